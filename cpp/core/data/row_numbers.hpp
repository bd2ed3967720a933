// A number of each row, or one for all of them.
#pragma once

#include <cmath>
#include <cstddef>

namespace mf {

// A view: the caller owns the numbers.
template <class T>
class RowNumbers {
 public:
  RowNumbers() = default;
  // A step of 0 is the same number for all.
  explicit RowNumbers(const T* numbers, std::ptrdiff_t step = 1) : numbers_(numbers), step_(step) {}

  bool same_for_all() const { return step_ == 0; }
  RowNumbers first_for_all() const { return RowNumbers(numbers_, 0); }
  // Rows, from the first on, that have all numbers of n rows.
  std::size_t n_different(std::size_t n) const { return same_for_all() && n > 0 ? 1 : n; }
  T operator[](std::size_t row) const { return numbers_[static_cast<std::ptrdiff_t>(row) * step_]; }
  // Calls body(a function of the row): numbers that lie side by side and the same number for all
  // have one of their own, which compilers vectorise. There is a row.
  template <class Body>
  void with_each(const Body& body) const {
    if (step_ == 1)
      body([numbers = numbers_](std::size_t row) { return numbers[row]; });
    else if (step_ == 0)
      body([number = *numbers_](std::size_t) { return number; });
    else
      body([this](std::size_t row) { return (*this)[row]; });
  }

 private:
  const T* numbers_ = nullptr;
  std::ptrdiff_t step_ = 1;
};

// Whether n rows have the same whole number, so small that all sums of it are exact.
inline bool sums_are_products(const RowNumbers<double>& numbers, std::size_t n) {
  constexpr double kExact = 0x1.0p53;
  return numbers.same_for_all() && numbers[0] == std::floor(numbers[0]) &&
         std::abs(numbers[0]) * static_cast<double>(n) <= kExact;
}

// The sum over n rows, in their order.
inline double sum_of(const RowNumbers<double>& numbers, std::size_t n) {
  if (sums_are_products(numbers, n)) return numbers[0] * static_cast<double>(n);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += numbers[i];
  return sum;
}

}  // namespace mf
