#include "views/series_base.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mf {

SeriesBase::SeriesBase(const ViewSpec& spec) {
  const auto require = [&](bool condition, const char* what) {
    if (!condition) throw std::invalid_argument("view: " + spec.kind + ": " + what);
  };
  const std::vector<int>& numbers = spec.numbers;
  require(!spec.shape.empty() && numbers.size() >= kNumbers, "examples must be series");
  require(numbers[0] >= kItself && numbers[0] < kKinds, "unknown base");
  kind_ = static_cast<Kind>(numbers[0]);
  order_ = numbers[1];
  ViewPtr view;
  if (kind_ == kDifferences)
    view = DifferenceView::make({DifferenceView::kKind, spec.shape, {order_, numbers[2]}}, 0, 0);
  else
    require(order_ == 0 && numbers[2] == 0, "only differences have order and smoothing");
  if (kind_ == kSpectrum) view = SpectrumView::make({SpectrumView::kKind, spec.shape, {}}, 0, 0);
  view_ = std::static_pointer_cast<const SeriesView>(view);
  length_ = spec.shape.back();
  for (std::size_t a = 0; a + 1 < spec.shape.size(); ++a)
    n_series_ *= static_cast<std::size_t>(spec.shape[a]);
}

int SeriesBase::length_of(const float* example) const {
  int longest = 0;
  for (std::size_t s = 0; s < n_series_; ++s) {
    const float* const values = series(example, s);
    int end = length_;
    while (end > longest && std::isnan(values[end - 1])) --end;
    longest = std::max(longest, end);
  }
  return longest;
}

int SeriesBase::n_cells_of(int length) const {
  if (length == 0) return 0;
  return view_ ? view_->n_cells_of(length) : length;
}

void SeriesBase::compute(const float* series, int length, float* values) const {
  if (view_)
    view_->compute_series(series, length, values);
  else
    std::copy_n(series, length, values);
}

void SeriesBase::append_features(std::int32_t series, int begin, int end,
                                 std::vector<std::int32_t>& out) const {
  if (kind_ == kDifferences) end += order_;
  if (kind_ == kSpectrum) {
    begin = 0;
    end = length_;
  }
  for (int t = begin; t < end; ++t) out.push_back(series * length_ + t);
}

std::string SeriesBase::text(std::int32_t series, int begin, int end) const {
  static constexpr std::array kOne{"time", "difference", "frequency"};
  static constexpr std::array kSeveral{"times", "differences", "frequencies"};
  const bool one = end == begin + 1;
  std::string text;
  if (kind_ == kDifferences && order_ > 1) {
    text += std::to_string(order_);
    text += "-fold ";
  }
  text += one ? kOne[kind_] : kSeveral[kind_];
  text += " ";
  text += std::to_string(begin);
  if (!one) {
    text += "-";
    text += std::to_string(end - 1);
  }
  if (n_series_ > 1) {
    text += ", series ";
    text += std::to_string(series);
  }
  return text;
}

}  // namespace mf
