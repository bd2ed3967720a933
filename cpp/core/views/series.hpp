// Views along the last axis of an example, its time: each series of the other axes for itself. They
// make floats, also of bytes, which Python hands over as floats.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "views/fourier.hpp"
#include "views/view.hpp"

namespace mf {

class SeriesView : public View {
 public:
  void compute(const float* example, float* cells) const override;

  // How many cells a series of a length has, and these cells; there may be none.
  virtual int n_cells_of(int length) const = 0;
  virtual void compute_series(const float* series, int length, float* cells) const = 0;

 protected:
  SeriesView(const ViewSpec& spec, int cells_of_series);

  int length() const { return length_; }  // of the series of an example
  int cells_of_series() const { return cells_of_series_; }

 private:
  int length_, cells_of_series_;
  std::size_t n_series_;
};

// Differences of some order of the series, after a centred moving mean over `smoothing` points, or
// over those of them that exist near an end. Missing where a point is missing that it depends on.
//
// numbers  order, smoothing (odd)
class DifferenceView final : public SeriesView {
 public:
  static constexpr const char* kKind = "difference";
  static ViewPtr make(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns);

  const char* axis_name(std::size_t axis, bool plural) const override;
  int n_cells_of(int length) const override { return length > order_ ? length - order_ : 0; }
  void compute_series(const float* series, int length, float* cells) const override;

 protected:
  // A difference belongs to the points that it is one of.
  std::int32_t group_of(std::int32_t cell) const override { return cell; }
  void append_features(std::int32_t cell, std::vector<std::int32_t>& out) const override;

 private:
  explicit DifferenceView(const ViewSpec& spec);

  int order_, half_;
};

// Magnitudes of the discrete Fourier transform of the series, from frequency 0 to the highest. All
// are missing where a point of the series is.
//
// numbers  none
class SpectrumView final : public SeriesView {
 public:
  static constexpr const char* kKind = "spectrum";
  static ViewPtr make(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns);

  const char* axis_name(std::size_t axis, bool plural) const override;
  int n_cells_of(int length) const override { return length / 2 + 1; }
  void compute_series(const float* series, int length, float* cells) const override;

 protected:
  // A frequency belongs to the whole series.
  std::int32_t group_of(std::int32_t cell) const override { return cell / cells_of_series(); }
  void append_features(std::int32_t series, std::vector<std::int32_t>& out) const override;

 private:
  explicit SpectrumView(const ViewSpec& spec);

  const FourierTransform& transform_of(int length) const;

  // Made for the first series of a length: tables may be large, and files may name views that no
  // one asks.
  mutable std::mutex making_;
  mutable std::map<int, std::unique_ptr<const FourierTransform>> transforms_;
};

}  // namespace mf
