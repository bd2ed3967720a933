#include "views/series.hpp"

#include <algorithm>
#include <cmath>

namespace mf {
namespace {

std::vector<int> with_last_axis(std::vector<int> shape, int length) {
  shape.back() = length;
  return shape;
}

}  // namespace

SeriesView::SeriesView(const ViewSpec& spec, int cells_of_series)
    : View(spec, with_last_axis(spec.shape, cells_of_series)),
      length_(spec.shape.back()),
      cells_of_series_(cells_of_series),
      n_series_(n_cells() / static_cast<std::size_t>(cells_of_series)) {}

void SeriesView::compute(const float* example, float* cells) const {
  for (std::size_t s = 0; s < n_series_; ++s, example += length_, cells += cells_of_series_)
    compute_series(example, length_, cells);
}

ViewPtr DifferenceView::make(const ViewSpec& spec, std::size_t, std::size_t) {
  const std::vector<int>& numbers = spec.numbers;
  if (spec.shape.empty() || numbers.size() != 2 || numbers[0] < 1 ||
      numbers[0] >= spec.shape.back() || numbers[1] < 1 || numbers[1] % 2 == 0)
    throw std::invalid_argument(
        "view: differences must have an order below the length of the series, and odd smoothing");
  return std::shared_ptr<const View>(new DifferenceView(spec));
}

DifferenceView::DifferenceView(const ViewSpec& spec)
    : SeriesView(spec, spec.shape.back() - spec.numbers[0]),
      order_(spec.numbers[0]),
      half_(std::min(spec.numbers[1] / 2, spec.shape.back())) {}

void DifferenceView::compute_series(const float* series, int length, float* cells) const {
  std::vector<double> values(static_cast<std::size_t>(length));
  for (int t = 0; t < length; ++t) {
    const int first = std::max(0, t - half_), last = std::min(length - 1, t + half_);
    double sum = 0.0;
    for (int i = first; i <= last; ++i) sum += static_cast<double>(series[i]);
    values[static_cast<std::size_t>(t)] = sum / (last - first + 1);
  }
  for (std::size_t k = 1; k <= static_cast<std::size_t>(order_); ++k)
    for (std::size_t t = 0; t + k < values.size(); ++t) values[t] = values[t + 1] - values[t];
  for (int t = 0; t < n_cells_of(length); ++t)
    cells[t] = to_cell(values[static_cast<std::size_t>(t)]);
}

void DifferenceView::append_features(std::int32_t cell, std::vector<std::int32_t>& out) const {
  const std::int32_t series = cell / cells_of_series(), t = cell % cells_of_series();
  for (int k = 0; k <= order_; ++k) out.push_back(series * length() + t + k);
}

const char* DifferenceView::axis_name(std::size_t axis, bool plural) const {
  if (axis + 1 < cell_shape().size()) return nullptr;
  return plural ? "differences" : "difference";
}

ViewPtr SpectrumView::make(const ViewSpec& spec, std::size_t, std::size_t) {
  if (spec.shape.empty() || !spec.numbers.empty())
    throw std::invalid_argument("view: a spectrum must be that of series, and has no numbers");
  return std::shared_ptr<const View>(new SpectrumView(spec));
}

SpectrumView::SpectrumView(const ViewSpec& spec) : SeriesView(spec, spec.shape.back() / 2 + 1) {}

const FourierTransform& SpectrumView::transform_of(int length) const {
  const std::lock_guard alone(making_);
  auto& transform = transforms_[length];
  if (!transform) transform = std::make_unique<FourierTransform>(static_cast<std::size_t>(length));
  return *transform;
}

void SpectrumView::compute_series(const float* series, int length, float* cells) const {
  if (std::any_of(series, series + length, [](float x) { return std::isnan(x); })) {
    std::fill_n(cells, n_cells_of(length), std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const std::vector<Complex> found = transform_of(length)(series);
  for (int k = 0; k < n_cells_of(length); ++k) {
    const Complex& z = found[static_cast<std::size_t>(k)];
    cells[k] = to_cell(std::sqrt(z.re * z.re + z.im * z.im));
  }
}

void SpectrumView::append_features(std::int32_t series, std::vector<std::int32_t>& out) const {
  for (int t = 0; t < length(); ++t) out.push_back(series * length() + t);
}

const char* SpectrumView::axis_name(std::size_t axis, bool plural) const {
  if (axis + 1 < cell_shape().size()) return nullptr;
  return plural ? "frequencies" : "frequency";
}

}  // namespace mf
