#include "views/intervals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <queue>

#include "base/ordered_bits.hpp"

namespace mf {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kHeader = SeriesBase::kNumbers + 2;  // numbers before the first interval

void require_intervals(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(std::string("view: intervals: ") + what);
}

}  // namespace

ViewPtr IntervalView::make(const ViewSpec& spec, std::size_t, std::size_t) {
  return std::shared_ptr<const View>(new IntervalView(spec, plan_of(spec)));
}

IntervalView::Plan IntervalView::plan_of(const ViewSpec& spec) {
  const std::vector<int>& numbers = spec.numbers;
  require_intervals(!spec.shape.empty(), "examples must be series");
  require_intervals(numbers.size() >= kHeader + 2 && numbers.size() % 2 == kHeader % 2,
                    "there must be an interval, and two numbers for each");
  Plan plan;
  plan.base = SeriesBase(spec);
  plan.n_base = plan.base.n_cells_of(plan.base.length());
  const int statistics = numbers[3], spacing = numbers[4];
  require_intervals(statistics > 0 && statistics < 1 << kStatistics, "unknown statistics");
  plan.statistics = static_cast<unsigned>(statistics);
  require_intervals(!plan.has(kQuantile) || !plan.has(kCentredQuantile),
                    "quantiles must be centred or not, but not both");
  require_intervals(plan.has_quantiles() ? spacing >= 1 : spacing == 0,
                    "only quantiles have, and need, a number of points for each");
  const int others = std::popcount(plan.statistics) - (plan.has_quantiles() ? 1 : 0);
  const std::size_t n_series = plan.base.n_series();
  std::size_t n_cells = 0;
  for (std::size_t i = kHeader; i < numbers.size(); i += 2) {
    const int begin = numbers[i], end = numbers[i + 1];
    require_intervals(begin >= 0 && begin < end && end <= plan.n_base,
                      "an interval must lie in the series");
    const int n_quantiles = plan.has_quantiles() ? 1 + (end - begin - 1) / spacing : 0;
    plan.intervals.push_back({begin, end, static_cast<int>(n_cells), n_quantiles, 0});
    n_cells += static_cast<std::size_t>(others + n_quantiles);
    require_intervals(n_cells * n_series <= kMostCells, "there must be at most 2**23 cells");
  }
  plan.n_cells = static_cast<int>(n_cells);
  plan_layers(plan.intervals, plan.n_layers);
  return plan;
}

// From left to right, each interval goes to the layer that has been free for longest.
void IntervalView::plan_layers(std::vector<Interval>& intervals, int& n_layers) {
  std::vector<std::size_t> order(intervals.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return intervals[a].begin < intervals[b].begin;
  });
  using End = std::pair<int, int>;  // of the last interval of a layer, and the layer
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  n_layers = 0;
  for (const std::size_t i : order) {
    Interval& interval = intervals[i];
    if (!ends.empty() && ends.top().first <= interval.begin) {
      interval.layer = ends.top().second;
      ends.pop();
    } else {
      interval.layer = n_layers++;
    }
    ends.emplace(interval.end, interval.layer);
  }
}

namespace {

std::vector<int> bank_shape(const std::vector<int>& shape, int n_cells) {
  std::vector<int> cells(shape);
  cells.back() = n_cells;
  return cells;
}

}  // namespace

IntervalView::IntervalView(const ViewSpec& spec, Plan plan)
    : View(spec, bank_shape(spec.shape, plan.n_cells)), plan_(std::move(plan)) {
  by_layer_.resize(static_cast<std::size_t>(plan_.n_layers));
  for (std::size_t i = 0; i < plan_.intervals.size(); ++i)
    by_layer_[static_cast<std::size_t>(plan_.intervals[i].layer)].push_back(i);
}

// What is known of one series, from which the statistics of its intervals are read.
class IntervalView::Scratch {
 public:
  explicit Scratch(const IntervalView& view)
      : view_(view), plan_(view.plan_), values_(static_cast<std::size_t>(plan_.n_base)) {
    for (int s = kMean; s <= kPosition; ++s)
      if (plan_.has(static_cast<Statistic>(s))) single_.push_back(static_cast<Statistic>(s));
    sums_wanted_ = plan_.has(kMean) || plan_.has(kDeviation) || plan_.has(kSlope) ||
                   plan_.has(kCentredQuantile);
    extremes_wanted_ = plan_.has(kMinimum) || plan_.has(kMaximum) || plan_.has(kPosition);
  }

  void compute(const float* series, int length, float* cells) {
    n_ = plan_.base.n_cells_of(length);
    if (n_ == 0) {
      std::fill_n(cells, plan_.n_cells, kNoValue);
      return;
    }
    plan_.base.compute(series, length, values_.data());
    count_missing();
    if (sums_wanted_) add_up();
    if (extremes_wanted_) find_extremes();
    for (const Interval& interval : plan_.intervals) write_single(interval, cells);
    if (plan_.has_quantiles()) write_quantiles(cells);
  }

 private:
  struct Span {
    int begin, end;

    int size() const { return end - begin; }
  };
  struct Sums {
    double x = 0.0, squares = 0.0, times = 0.0;
  };

  // An interval of the series as long as it is.
  Span span_of(const Interval& interval) const {
    if (n_ == plan_.n_base) return {interval.begin, interval.end};
    const auto scaled = [&](int place) {
      return static_cast<int>(std::int64_t{place} * n_ / plan_.n_base);
    };
    const int begin = std::min(scaled(interval.begin), n_ - 1);
    return {begin, std::max(scaled(interval.end), begin + 1)};
  }

  void count_missing() {
    some_missing_ = false;
    for (int t = 0; t < n_ && !some_missing_; ++t) some_missing_ = std::isnan(values_[at(t)]);
    if (!some_missing_) return;
    n_missing_.assign(at(n_) + 1, 0);
    for (int t = 0; t < n_; ++t)
      n_missing_[at(t) + 1] = n_missing_[at(t)] + (std::isnan(values_[at(t)]) ? 1 : 0);
  }
  bool is_missing(const Span& span) const {
    return some_missing_ && n_missing_[at(span.end)] > n_missing_[at(span.begin)];
  }

  void add_up() {
    first_ = 0.0;
    for (int t = n_ - 1; t >= 0; --t)
      if (!std::isnan(values_[at(t)])) first_ = static_cast<double>(values_[at(t)]);
    sums_.resize(at(n_) + 1);
    sums_[0] = {};
    for (int t = 0; t < n_; ++t) {
      const float value = values_[at(t)];
      const double x = std::isnan(value) ? 0.0 : static_cast<double>(value) - first_;
      const Sums& before = sums_[at(t)];
      sums_[at(t) + 1] = {before.x + x, before.squares + x * x, before.times + x * t};
    }
  }

  // The place of the first largest of 2^k values from each place on, and of the first least.
  void find_extremes() {
    const auto n_levels = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(n_)));
    largest_.resize(n_levels * at(n_));
    least_.resize(n_levels * at(n_));
    for (int t = 0; t < n_; ++t) largest_[at(t)] = least_[at(t)] = t;
    for (std::size_t k = 1; k < n_levels; ++k) {
      const int half = 1 << (k - 1);
      const std::size_t row = k * at(n_), before = row - at(n_);
      for (int t = 0; t + 2 * half <= n_; ++t) {
        largest_[row + at(t)] = larger(largest_[before + at(t)], largest_[before + at(t + half)]);
        least_[row + at(t)] = smaller(least_[before + at(t)], least_[before + at(t + half)]);
      }
    }
  }
  int larger(int a, int b) const { return values_[at(b)] > values_[at(a)] ? b : a; }
  int smaller(int a, int b) const { return values_[at(b)] < values_[at(a)] ? b : a; }
  int place_of_largest(const Span& span) const {
    const auto k = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(span.size()))) - 1;
    const std::size_t row = k * at(n_);
    return larger(largest_[row + at(span.begin)], largest_[row + at(span.end - (1 << k))]);
  }
  int place_of_least(const Span& span) const {
    const auto k = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(span.size()))) - 1;
    const std::size_t row = k * at(n_);
    return smaller(least_[row + at(span.begin)], least_[row + at(span.end - (1 << k))]);
  }

  Sums sums_of(const Span& span) const {
    const Sums &to = sums_[at(span.end)], &from = sums_[at(span.begin)];
    return {to.x - from.x, to.squares - from.squares, to.times - from.times};
  }
  double mean_of(const Span& span) const { return first_ + sums_of(span).x / span.size(); }
  double deviation_of(const Span& span) const {
    const Sums sums = sums_of(span);
    const double mean = sums.x / span.size();
    return std::sqrt(std::max(0.0, sums.squares / span.size() - mean * mean));
  }
  // Of the line of least squares, per point.
  double slope_of(const Span& span) const {
    if (span.size() == 1) return 0.0;
    const Sums sums = sums_of(span);
    const double m = span.size(), centre = 0.5 * (span.begin + span.end - 1);
    return (sums.times - centre * sums.x) / (m * (m * m - 1.0) / 12.0);
  }
  double position_of(const Span& span) const {
    if (span.size() == 1) return 0.0;
    return static_cast<double>(place_of_largest(span) - span.begin) / (span.size() - 1);
  }
  float value_of(Statistic statistic, const Span& span) const {
    switch (statistic) {
      case kMean:
        return to_cell(mean_of(span));
      case kMinimum:
        return values_[at(place_of_least(span))];
      case kMaximum:
        return values_[at(place_of_largest(span))];
      case kDeviation:
        return to_cell(deviation_of(span));
      case kSlope:
        return to_cell(slope_of(span));
      default:
        return to_cell(position_of(span));
    }
  }
  void write_single(const Interval& interval, float* cells) const {
    const Span span = span_of(interval);
    const bool missing = is_missing(span);
    float* out = cells + interval.first_cell;
    for (const Statistic statistic : single_)
      *out++ = missing ? kNoValue : value_of(statistic, span);
  }

  // Sorted values of intervals, layer by layer. Intervals of a shorter series may overlap where
  // they have come down to single points: these are sorted one by one.
  void write_quantiles(float* cells) {
    sorted_.resize(at(n_));
    const bool dealt = n_ == plan_.n_base && !some_missing_;
    if (!dealt) {
      for (const Interval& interval : plan_.intervals) {
        const Span span = span_of(interval);
        if (!is_missing(span)) {
          std::copy(values_.begin() + span.begin, values_.begin() + span.end,
                    sorted_.begin() + span.begin);
          std::sort(sorted_.begin() + span.begin, sorted_.begin() + span.end);
        }
        write_quantiles_of(interval, span, cells);
      }
      return;
    }
    sort_points();
    interval_at_.resize(at(n_));
    for (const std::vector<std::size_t>& layer : view_.by_layer_) {
      deal(layer);
      for (const std::size_t i : layer)
        write_quantiles_of(plan_.intervals[i], span_of(plan_.intervals[i]), cells);
    }
  }

  void sort_points() {
    keys_.resize(at(n_));
    for (int t = 0; t < n_; ++t)
      keys_[at(t)] = std::uint64_t{ordered_bits(values_[at(t)])} << 32 | static_cast<unsigned>(t);
    std::sort(keys_.begin(), keys_.end());
  }

  void deal(const std::vector<std::size_t>& layer) {
    constexpr std::int32_t kNone = -1;
    std::fill(interval_at_.begin(), interval_at_.end(), kNone);
    next_.resize(layer.size());
    for (std::size_t k = 0; k < layer.size(); ++k) {
      const Interval& interval = plan_.intervals[layer[k]];
      std::fill(interval_at_.begin() + interval.begin, interval_at_.begin() + interval.end,
                static_cast<std::int32_t>(k));
      next_[k] = interval.begin;
    }
    for (const std::uint64_t key : keys_) {
      const auto t = static_cast<std::uint32_t>(key);
      const std::int32_t interval = interval_at_[t];
      if (interval != kNone) sorted_[at(next_[static_cast<std::size_t>(interval)]++)] = values_[t];
    }
  }

  void write_quantiles_of(const Interval& interval, const Span& span, float* cells) const {
    float* const out = cells + interval.first_cell + single_.size();
    const int k = interval.n_quantiles;
    if (is_missing(span)) {
      std::fill_n(out, k, kNoValue);
      return;
    }
    const double mean = plan_.has(kCentredQuantile) && k > 1 ? mean_of(span) : 0.0;
    for (int q = 0; q < k; ++q) {
      const double quantile = quantile_of(span, q, k);
      out[q] = to_cell(q % 2 == 1 ? quantile - mean : quantile);
    }
  }
  // The q-th of k, between two neighbouring values in proportion.
  double quantile_of(const Span& span, int q, int k) const {
    const double place =
        k == 1 ? 0.5 * (span.size() - 1) : static_cast<double>(q) * (span.size() - 1) / (k - 1);
    const auto below = static_cast<int>(place);
    const double low = static_cast<double>(sorted_[at(span.begin + below)]);
    if (below + 1 >= span.size()) return low;
    const double high = static_cast<double>(sorted_[at(span.begin + below + 1)]);
    return low + (place - below) * (high - low);
  }

  static std::size_t at(int place) { return static_cast<std::size_t>(place); }

  const IntervalView& view_;
  const Plan& plan_;
  std::vector<Statistic> single_;  // those with one cell for each interval
  bool sums_wanted_, extremes_wanted_;
  int n_ = 0;  // values of the series at hand
  std::vector<float> values_;
  bool some_missing_ = false;
  std::vector<int> n_missing_;  // before each place
  double first_ = 0.0;
  std::vector<Sums> sums_;            // before each place
  std::vector<int> largest_, least_;  // level by level
  std::vector<std::uint64_t> keys_;   // values and their places, in order
  std::vector<std::int32_t> interval_at_;
  std::vector<int> next_;
  std::vector<float> sorted_;  // of the intervals of a layer, each at its place
};

void IntervalView::compute(const float* example, float* cells) const {
  const int length = plan_.base.length_of(example);
  Scratch scratch(*this);
  for (std::size_t s = 0; s < plan_.base.n_series(); ++s)
    scratch.compute(plan_.base.series(example, s), length,
                    cells + s * static_cast<std::size_t>(plan_.n_cells));
}

const IntervalView::Interval& IntervalView::interval_of(std::int32_t cell_of_series) const {
  return *(std::upper_bound(
               plan_.intervals.begin(), plan_.intervals.end(), cell_of_series,
               [](std::int32_t cell, const Interval& next) { return cell < next.first_cell; }) -
           1);
}

std::int32_t IntervalView::group_of(std::int32_t cell) const {
  const Interval& interval = interval_of(cell % plan_.n_cells);
  const auto number = static_cast<std::int32_t>(&interval - plan_.intervals.data());
  const auto n_intervals = static_cast<std::int32_t>(plan_.intervals.size());
  return cell / plan_.n_cells * n_intervals + number;
}

void IntervalView::append_features(std::int32_t group, std::vector<std::int32_t>& out) const {
  const auto n_intervals = static_cast<std::int32_t>(plan_.intervals.size());
  const std::int32_t series = group / n_intervals;
  const Interval& interval = plan_.intervals[static_cast<std::size_t>(group % n_intervals)];
  plan_.base.append_features(series, interval.begin, interval.end, out);
}

const char* IntervalView::axis_name(std::size_t axis, bool plural) const {
  if (axis + 1 < cell_shape().size()) return nullptr;
  return plural ? "statistics" : "statistic";
}

std::string IntervalView::cell_text(std::int32_t cell) const {
  static constexpr std::array kNames{
      "mean", "minimum", "maximum", "standard deviation", "slope", "place of the maximum"};
  const Interval& interval = interval_of(cell % plan_.n_cells);
  int rest = cell % plan_.n_cells - interval.first_cell;
  std::string text;
  for (int s = kMean; s <= kPosition && text.empty(); ++s)
    if (plan_.has(static_cast<Statistic>(s)) && rest-- == 0)
      text = kNames[static_cast<std::size_t>(s)];
  if (text.empty()) {
    char number[32];
    const int k = interval.n_quantiles;
    std::snprintf(number, sizeof number, "quantile %.3g", k == 1 ? 0.5 : rest / (k - 1.0));
    text = number;
    if (plan_.has(kCentredQuantile) && rest % 2 == 1) text += " minus mean";
  }
  return text + " of " + plan_.base.text(cell / plan_.n_cells, interval.begin, interval.end);
}

}  // namespace mf
