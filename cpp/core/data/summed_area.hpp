// Summed-area tables (integral images) in any number of dimensions.
//
// Along every summed axis the table has a leading zero, so that the sum over [a, b) is T[b] - T[a].
// uint8 data sum in uint32, which is exact: a whole example of at most kMaxSummedBytes features
// stays below 2^31, and sums of several entries are taken modulo 2^32. float data sum in double.
// Growing and predicting call the same function, so that a row can never be routed differently by
// rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "data/grid.hpp"

namespace mf {

template <class T>
using Sum = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::uint32_t, double>;

// Copies the example to its places in the padded table, axis by axis; the last axis is summed on
// the way. Returns the first feature that was not copied.
template <class T, class S, class Value>
const T* fill_table(const T* example, const Grid& grid, int axis, S* out, std::size_t size,
                    const Value& value) {
  const int length = grid.shape[axis];
  const std::size_t step = size / static_cast<std::size_t>(grid.table_length(axis));
  if (grid.summed[axis]) out += step;
  if (axis + 1 < grid.n_axes()) {
    for (int i = 0; i < length; ++i, out += step)
      example = fill_table(example, grid, axis + 1, out, step, value);
    return example;
  }
  S sum{0};
  for (int i = 0; i < length; ++i) {
    const S x = value(example[i]);
    sum = grid.summed[axis] ? static_cast<S>(sum + x) : x;
    out[i] = sum;
  }
  return example + length;
}

// out has grid.table_size() entries; value(x) maps a feature to what is summed.
template <class T, class S, class Value>
void build_summed_area(const T* example, const Grid& grid, S* out, const Value& value) {
  const std::size_t size = grid.table_size();
  std::fill(out, out + size, S{0});
  fill_table(example, grid, 0, out, size, value);
  // One running sum per summed axis but the last: whole slices are added to the next ones.
  const int last = grid.n_axes() - 1;
  auto inner = static_cast<std::size_t>(grid.table_length(last));
  for (int axis = last - 1; axis >= 0; --axis) {
    const std::size_t outer = inner * static_cast<std::size_t>(grid.table_length(axis));
    for (S* begin = out; grid.summed[axis] && begin < out + size; begin += outer)
      for (S* slice = begin + inner; slice < begin + outer; slice += inner)
        for (std::size_t i = 0; i < inner; ++i)
          slice[i] = static_cast<S>(
              slice[i] +
              slice[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(inner)]);
    inner = outer;
  }
}

// What is summed: the value, with zero in place of a missing one; and whether it is missing.
template <class T, class S>
struct ValueOf {
  S operator()(T x) const {
    if constexpr (std::is_same_v<T, float>)
      return std::isnan(x) ? S{0} : static_cast<S>(x);
    else
      return static_cast<S>(x);
  }
};
struct MissingOf {
  std::uint32_t operator()(float x) const { return std::isnan(x) ? 1 : 0; }
};

// S is Sum<T>, or uint16 for the low bits of a table of uint8; see data/dataset.hpp.
template <class T, class S>
void summed_area(const T* example, const Grid& grid, S* out) {
  build_summed_area(example, grid, out, ValueOf<T, S>{});
}

// The table of how many values are missing.
inline void summed_missing(const float* example, const Grid& grid, std::uint32_t* out) {
  build_summed_area(example, grid, out, MissingOf{});
}

}  // namespace mf
