// Gradients of an image, by orientation.
//
// At every pixel the gradient is the pair of differences between its right and left, and its lower
// and upper neighbour (the border repeats the last pixel), that is twice the central difference.
// Its direction lies between two of B (an even number) signed orientations, which share its
// magnitude in proportion to how close they are: soft bins, as in histograms of oriented gradients.
// Of the channels of a colour image the one with the largest gradient counts, the first of equals.
//
// Cells: orientation x row x column. Bytes are rounded and cut at 255; they are looked up in a
// table by both differences. Cells of floats are neither, and are missing where a neighbour is.
//
// numbers  channel axis or -1, orientations, whether cells are those of bytes: if so those of
// floats
//          are rounded and cut in the same way, so that the same image has the same cells
#pragma once

#include "views/view.hpp"

namespace mf {

class GradientView final : public View {
 public:
  static constexpr const char* kKind = "gradients";
  static constexpr int kMostOrientations = 64;

  // Throws std::invalid_argument unless the numbers have a meaning, here and in other views.
  static ViewPtr make(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns);

  bool takes_bytes() const override { return whole_; }
  void compute(const std::uint8_t* example, std::uint8_t* cells) const override;
  void compute(const float* example, float* cells) const override;
  const char* axis_name(std::size_t axis, bool plural) const override;

 protected:
  std::int32_t group_of(std::int32_t cell) const override;  // the pixel
  void append_features(std::int32_t pixel, std::vector<std::int32_t>& out) const override;

 private:
  // Steps, in features, of one row, column and channel.
  struct Layout {
    std::ptrdiff_t n_rows, n_columns, n_channels;
    std::ptrdiff_t row, column, channel;
  };

  GradientView(const ViewSpec& spec, const Layout& layout);
  static Layout layout_of(const ViewSpec& spec);

  // visit(pixel, x, y) for each pixel with its strongest gradient, in the type D of the
  // differences; one of them is not a number where a neighbour is missing.
  template <class D, class T, class Visit>
  void visit_gradients(const T* example, const Visit& visit) const;

  Layout layout_;
  int n_orientations_;
  bool whole_;
};

}  // namespace mf
