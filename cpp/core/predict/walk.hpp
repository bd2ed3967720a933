// The interface of compiled forests: walking rows through trees to their leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "data/table.hpp"
#include "forest/flat_forest.hpp"

namespace mf::predict {

// What one thread needs to walk batches of rows.
template <class T>
class Walk {
 public:
  virtual ~Walk() = default;

  // Rows begin .. begin + n - 1 of X; n is at most what the walk was made for.
  virtual void load(const Matrix<T>& X, std::size_t begin, std::size_t n) = 0;

  // The leaf of every loaded row in trees first .. first + n - 1, rows × n, counted within the
  // tree.
  virtual void leaves(std::size_t first, std::size_t n, std::int32_t* out) = 0;
};

// A forest compiled for rows of one type.
template <class T>
class WalkableForest {
 public:
  virtual ~WalkableForest() = default;

  // How many rows make a batch and how many trees they are best walked through at a time: the nodes
  // stay in the second-level cache while rows pass by, and a row in the first while it is walked.
  virtual std::size_t rows_at_once() const = 0;
  virtual std::size_t trees_at_once() const = 0;
  // Coordinates of a row that every tree rotates before it is walked; 0 if none does.
  virtual std::size_t rotation_size() const { return 0; }
  virtual std::unique_ptr<Walk<T>> walk(std::size_t n_rows) const = 0;
};

// The fastest form that the atoms of the forest allow. Keeps references to both arguments.
template <class T>
std::unique_ptr<WalkableForest<T>> compile_forest(const FlatForest& forest,
                                                  const Geometry& geometry);
template <>
std::unique_ptr<WalkableForest<std::uint8_t>> compile_forest(const FlatForest& forest,
                                                             const Geometry& geometry);
template <>
std::unique_ptr<WalkableForest<float>> compile_forest(const FlatForest& forest,
                                                      const Geometry& geometry);

// Rows of a batch whose tables take this many bytes per row.
inline std::size_t max_batch_rows(std::size_t bytes_per_row) {
  constexpr std::size_t kTableBytes = std::size_t{1} << 21;
  constexpr std::size_t kMinRows = 8, kMaxRows = 2048;
  if (bytes_per_row == 0) return kMaxRows;
  return std::clamp(kTableBytes / bytes_per_row, kMinRows, kMaxRows);
}

// How many trees to walk at a time, if the nodes of all n_trees trees take so many bytes: the cache
// should also have room for the next ones.
inline std::size_t trees_of_bytes(std::size_t bytes, std::size_t n_trees) {
  constexpr std::size_t kNodeBytes = std::size_t{1} << 19;
  constexpr std::size_t kMaxTrees = 8;
  return std::clamp<std::size_t>(kNodeBytes * n_trees / std::max<std::size_t>(1, bytes), 1,
                                 kMaxTrees);
}

}  // namespace mf::predict
