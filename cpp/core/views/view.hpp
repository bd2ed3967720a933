// Views: what patches may lie on in place of the example itself, computed from it before anything
// is drawn. A view turns the features of one example into cells of the same type on a grid of its
// own: the orientations of an image's gradients, the spectrum of a series, ... One file in this
// folder for each, and one table of all, list.cpp.
//
// Growing and predicting call the same function, whose bytes are the same on every build: it uses
// + - * / and square roots, and no functions of the mathematical library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mf {

// What a view is made of, and all that a model file holds of it.
struct ViewSpec {
  std::string kind;
  std::vector<int> shape;    // of the examples; of what Python appends to them
  std::vector<int> numbers;  // parameters and learned state; their meaning is the kind's own

  bool operator==(const ViewSpec&) const = default;
};

class View {
 public:
  virtual ~View() = default;

  const ViewSpec& spec() const { return spec_; }
  // Row-major shape of the cells of one example.
  const std::vector<int>& cell_shape() const { return cell_shape_; }
  std::size_t n_cells() const { return n_cells_; }
  // How many columns that Python has computed the view takes from behind the features.
  virtual std::size_t n_columns() const { return 0; }

  // Whether examples may be bytes: cells are then bytes, too.
  virtual bool takes_bytes() const { return false; }
  // A cell is missing only where the example has a missing feature.
  virtual void compute(const std::uint8_t* /*example*/, std::uint8_t* /*cells*/) const {
    throw std::logic_error(spec_.kind + " has no cells of bytes");
  }
  virtual void compute(const float* example, float* cells) const = 0;

  // The features to which some cells belong, each once: importances give gains back to them.
  void features_of(std::span<const std::int32_t> cells, std::vector<std::int32_t>& out) const;

  // What a cell is, for people.
  virtual std::string cell_text(std::int32_t cell) const {
    return spec_.kind + "[" + std::to_string(cell) + "]";
  }
  // What an index along an axis of the cells is called; null if the axis has no name.
  virtual const char* axis_name(std::size_t /*axis*/, bool /*plural*/) const { return nullptr; }

 protected:
  View(ViewSpec spec, std::vector<int> cell_shape)
      : spec_(std::move(spec)), cell_shape_(std::move(cell_shape)) {
    for (const int length : cell_shape_) n_cells_ *= static_cast<std::size_t>(length);
  }

  // Cells of one group belong to the same features: to one pixel, or to a whole series.
  virtual std::int32_t group_of(std::int32_t cell) const = 0;
  virtual void append_features(std::int32_t group, std::vector<std::int32_t>& out) const = 0;

 private:
  ViewSpec spec_;
  std::vector<int> cell_shape_;
  std::size_t n_cells_ = 1;
};

using ViewPtr = std::shared_ptr<const View>;

// A sum of this many bytes is below 2^31; so many cells a view may have.
constexpr std::size_t kMostCells = std::size_t{1} << 23;

// A cell that may be larger than all floats is the largest of them; missing ones stay missing.
inline float to_cell(double value) {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<float>::max());
  if (value > kMost) value = kMost;
  if (value < -kMost) value = -kMost;
  return static_cast<float>(value);
}

// The view of rows of n_features features, behind which other views take n_columns columns. Throws
// std::invalid_argument if there is none: the spec may come from a forged file.
ViewPtr make_view(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns);

}  // namespace mf
