// Summed-area tables (integral images) in any number of dimensions.
//
// Along every summed axis the table has a leading zero, so that the sum over [a, b) is T[b] - T[a].
// uint8 data sum in int32, which is exact; float data sum in double. Growing and predicting call
// the same function, so that a row can never be routed differently by rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "data/grid.hpp"

namespace mf {

template <class T>
using Sum = std::conditional_t<std::is_same_v<T, std::uint8_t>, std::int32_t, double>;

// out has grid.table_size() entries; value(x) maps a feature to what is summed.
template <class T, class S, class Value>
void build_summed_area(const T* example, const Grid& grid, S* out, const Value& value) {
  std::fill(out, out + grid.table_size(), S{0});
  const int last = grid.n_axes() - 1;
  // Copy runs of the last axis to their padded places, walking the other axes like an odometer.
  std::size_t n_runs = 1;
  for (int a = 0; a < last; ++a) n_runs *= static_cast<std::size_t>(grid.shape[a]);
  const std::size_t width = static_cast<std::size_t>(grid.shape[last]);
  for (std::size_t run = 0; run < n_runs; ++run) {
    std::size_t index = 0, rest = run, divisor = n_runs;
    for (int a = 0; a < last; ++a) {
      divisor /= static_cast<std::size_t>(grid.shape[a]);
      const std::size_t position = rest / divisor;
      rest -= position * divisor;
      index = index * static_cast<std::size_t>(grid.table_length(a)) + position +
              (grid.summed[a] ? 1 : 0);
    }
    S* to = out + index * static_cast<std::size_t>(grid.table_length(last)) +
            (grid.summed[last] ? 1 : 0);
    for (std::size_t i = 0; i < width; ++i) to[i] = value(example[run * width + i]);
  }
  // One running sum per summed axis.
  std::size_t inner = 1;
  for (int a = last; a >= 0; --a) {
    const auto length = static_cast<std::size_t>(grid.table_length(a));
    if (grid.summed[a]) {
      const std::size_t outer = grid.table_size() / (length * inner);
      for (std::size_t o = 0; o < outer; ++o) {
        S* block = out + o * length * inner;
        for (std::size_t i = inner; i < length * inner; ++i) block[i] += block[i - inner];
      }
    }
    inner *= length;
  }
}

// The table of the values; a missing value counts as zero here and as one in summed_missing.
template <class T>
void summed_area(const T* example, const Grid& grid, Sum<T>* out) {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    build_summed_area(example, grid, out, [](T x) { return static_cast<std::int32_t>(x); });
  else
    build_summed_area(example, grid, out,
                      [](T x) { return std::isnan(x) ? 0.0 : static_cast<double>(x); });
}

// The table of how many values are missing.
inline void summed_missing(const float* example, const Grid& grid, std::int32_t* out) {
  build_summed_area(example, grid, out, [](float x) { return std::isnan(x) ? 1 : 0; });
}

}  // namespace mf
