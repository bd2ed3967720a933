#include "boundary/examples.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mf::boundary {
namespace {

// The Euclidean norm, also where squares overflow or vanish.
double norm_of_difference(const double* a, const double* b, std::size_t n) {
  double squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  if (squares >= 0x1p-900 && squares <= 0x1p1000) return std::sqrt(squares);
  double norm = 0.0;
  for (std::size_t i = 0; i < n; ++i) norm = std::hypot(norm, a[i] - b[i]);
  return norm;
}

}  // namespace

bool Examples::labels_match(Slot a, Slot b) const {
  switch (task_) {
    case Task::retrieve:
      return false;
    case Task::classify:
      return classes_[a] == classes_[b];
    case Task::regress:
      return norm_of_difference(values_of(a), values_of(b), n_outputs_) <= tolerance_;
  }
  return false;
}

Slot Examples::add(const Batch& batch, std::size_t row, std::int64_t arrival) {
  const std::int64_t id = batch.ids == nullptr ? arrival : batch.ids[row];
  const std::uint8_t* bytes =
      batch.rows == nullptr ? nullptr : batch.rows + row * points_.row_bytes();
  const std::size_t n_slots = points_.n_slots() + 1, k = n_outputs_;
  const bool classifies = task_ == Task::classify;
  // what may fail comes first
  if (classifies && classes_.size() < n_slots) classes_.resize(n_slots);
  if (values_.size() < n_slots * k) values_.resize(n_slots * k);
  const Slot slot = points_.add(bytes, id, arrival);
  if (classifies) classes_[slot] = batch.classes[row];
  std::copy_n(batch.values + row * k, k, values_.begin() + static_cast<std::ptrdiff_t>(slot * k));
  return slot;
}

void Examples::adopt(std::uint8_t* rows, std::vector<std::int64_t> ids,
                     std::vector<std::int64_t> arrivals, std::vector<std::int32_t> classes,
                     std::vector<double> values) {
  points_.adopt(rows, std::move(ids), std::move(arrivals));
  classes_ = std::move(classes);
  values_ = std::move(values);
}

std::size_t Examples::bytes() const {
  return points_.bytes() + classes_.capacity() * sizeof(std::int32_t) +
         values_.capacity() * sizeof(double);
}

}  // namespace mf::boundary
