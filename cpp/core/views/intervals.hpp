// Statistics of intervals of series: the cells of a bank.
//
// Every series along the last axis, or its differences or spectrum, is cut into intervals, and each
// interval has a cell for every statistic. A series that ends before the others, its last values
// being missing, has its intervals in proportion. A cell is missing where a value in its interval
// is.
//
// Sums come from prefix sums of the series minus its first value, extremes from tables of the
// extremes of 2^k points, and quantiles from one sort of the series: intervals that do not overlap
// form a layer, and one pass over the sorted points deals them out to the intervals of a layer. So
// no cost grows with the lengths of intervals [QUANT, Dempster, Schmidt and Webb 2024: quantiles of
// dyadic intervals].
//
// numbers  those of the base (series_base.hpp)
//          statistics, a set of bits
//          points for each quantile: an interval of m has 1 + (m - 1) / so many of them, evenly
//          spaced in order from the least to the largest, the median if there is one only
//          then begin and end of each interval, on the cells of the base
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "views/series_base.hpp"

namespace mf {

class IntervalView final : public View {
 public:
  static constexpr const char* kKind = "intervals";
  static ViewPtr make(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns);

  // In the order of the cells of an interval. kPosition is that of the first maximum, from 0 for
  // the first point to 1 for the last. kCentredQuantile stands in place of kQuantile: every second
  // quantile has the mean of its interval taken off, as in QUANT.
  enum Statistic : int {
    kMean,
    kMinimum,
    kMaximum,
    kDeviation,
    kSlope,
    kPosition,
    kQuantile,
    kCentredQuantile,
    kStatistics
  };

  void compute(const float* example, float* cells) const override;
  const char* axis_name(std::size_t axis, bool plural) const override;
  std::string cell_text(std::int32_t cell) const override;

 protected:
  // Cells of one interval belong to the same features.
  std::int32_t group_of(std::int32_t cell) const override;
  void append_features(std::int32_t group, std::vector<std::int32_t>& out) const override;

 private:
  struct Interval {
    int begin, end;
    int first_cell;  // of a series
    int n_quantiles;
    int layer;  // intervals of one layer do not overlap
  };
  struct Plan {
    SeriesBase base;
    int n_base = 0;  // values of a series of the base
    unsigned statistics = 0;
    std::vector<Interval> intervals;
    int n_layers = 0;
    int n_cells = 0;  // of a series

    bool has(Statistic statistic) const { return (statistics >> statistic & 1U) != 0; }
    bool has_quantiles() const { return has(kQuantile) || has(kCentredQuantile); }
  };
  class Scratch;

  IntervalView(const ViewSpec& spec, Plan plan);
  static Plan plan_of(const ViewSpec& spec);
  static void plan_layers(std::vector<Interval>& intervals, int& n_layers);

  const Interval& interval_of(std::int32_t cell_of_series) const;

  Plan plan_;
  std::vector<std::vector<std::size_t>> by_layer_;  // intervals of each layer
};

}  // namespace mf
