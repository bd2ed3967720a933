// Non-owning, read-only views of numbers arranged as examples × columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mf {

using Row = std::int32_t;  // index of a training example; there are fewer than 2^31

// One table in one layout: entry (row, column) is base[row * row_stride + column * column_stride].
// Row-major has column_stride 1, feature-major has row_stride 1.
template <class T>
struct Table {
  const T* base = nullptr;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;

  explicit operator bool() const { return base != nullptr; }
  const T* column(std::ptrdiff_t c) const { return base + c * column_stride; }
};

// The training matrix as Python hands it over: C-contiguous, uint8 or float32.
template <class T>
struct Matrix {
  const T* data = nullptr;
  std::size_t n_rows = 0;
  std::size_t n_features = 0;

  const T* row(std::size_t i) const { return data + i * n_features; }
  Table<T> table() const { return {data, static_cast<std::ptrdiff_t>(n_features), 1}; }
};

}  // namespace mf
