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

// The training matrix as Python hands it over: C-contiguous, uint8 or float32. Behind the features
// of a row there may be columns that only views read.
template <class T>
struct Matrix {
  const T* data = nullptr;
  std::size_t n_rows = 0;
  std::size_t n_features = 0;
  std::size_t width = 0;  // of a row, with such columns

  Matrix() = default;
  Matrix(const T* entries, std::size_t rows, std::size_t features)
      : Matrix(entries, rows, features, features) {}
  Matrix(const T* entries, std::size_t rows, std::size_t features, std::size_t row_width)
      : data(entries), n_rows(rows), n_features(features), width(row_width) {}

  const T* row(std::size_t i) const { return data + i * width; }
  Matrix rows(std::size_t begin, std::size_t n) const { return {row(begin), n, n_features, width}; }
  Table<T> table() const { return {data, static_cast<std::ptrdiff_t>(width), 1}; }
};

}  // namespace mf
