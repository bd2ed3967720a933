// Squared distances between some rows, copied to one place: they stay in cache while the subtree of
// these rows is grown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"

namespace mf::train {

// Where distances are: those of all rows, or of the rows of a block.
struct Distances {
  const float* from = nullptr;
  std::size_t stride = 0;
  const std::int32_t* place = nullptr;  // of each training row; null: they are in their own order

  std::int32_t place_of(Row row) const { return place == nullptr ? row : place[row]; }
  const float* row(std::int32_t at) const { return from + static_cast<std::size_t>(at) * stride; }
};

// Number by number: instructions that gather are slower on many machines, and files that include
// this are compiled without them.
inline void gather(const float* from, std::span<const std::int32_t> columns, float* to) {
  for (std::size_t j = 0; j < columns.size(); ++j) to[j] = from[columns[j]];
}

class DistanceBlock {
 public:
  // Rows are padded with zeros to a multiple of so many numbers.
  static constexpr std::size_t kVector = 16;
  static std::size_t whole_vectors(std::size_t n) { return (n + kVector - 1) / kVector * kVector; }

  explicit DistanceBlock(std::size_t n_rows) : place_(n_rows, -1) {}

  std::size_t size() const { return rows_.size(); }
  Distances distances() const { return {data_.data(), whole_vectors(size()), place_.data()}; }

  // Checks all rows, as subtrees come in any order. Rows of nodes and blocks are in ascending
  // order: if a node has as many rows as the block, they are in the same order, too.
  bool holds(std::span<const Row> rows) const {
    return rows.size() <= size() && std::all_of(rows.begin(), rows.end(), [&](Row row) {
             return place_[static_cast<std::size_t>(row)] >= 0;
           });
  }

  void fill(const Distances& distances, std::span<const Row> rows) {
    for (const Row row : rows_) place_[static_cast<std::size_t>(row)] = -1;
    rows_.assign(rows.begin(), rows.end());
    columns_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) {
      columns_[i] = distances.place_of(rows_[i]);
      place_[static_cast<std::size_t>(rows_[i])] = static_cast<std::int32_t>(i);
    }
    const std::size_t stride = whole_vectors(size());
    data_.resize(size() * stride);
    for (std::size_t i = 0; i < size(); ++i) {
      gather(distances.row(columns_[i]), columns_, &data_[i * stride]);
      std::fill_n(&data_[i * stride + size()], stride - size(), 0.0F);
    }
  }

 private:
  std::vector<std::int32_t> place_;
  std::vector<Row> rows_;
  std::vector<std::int32_t> columns_;  // where the rows were
  std::vector<float> data_;
};

}  // namespace mf::train
