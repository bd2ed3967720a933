// Projecting: one atom over the rows of a node gives one ordered key per row.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "projections/terms.hpp"
#include "split/keys.hpp"

namespace mf {

// Per-thread evaluator. Virtual once per candidate, the row loop inside is compiled per type.
class Projector {
 public:
  virtual ~Projector() = default;
  // The rotated data of the tree being grown, when its sampler wants one.
  virtual void start_tree(const Rotation& rotation) = 0;
  // Rows that the following nodes are subsets of: if they are few, what the atoms read is copied
  // into a block that stays in cache while the whole subtree is grown. An empty span ends the
  // block.
  virtual void start_subtree(std::span<const Row> rows) = 0;
  // Most rows that a block can hold.
  virtual std::size_t max_block_rows() const = 0;
  // The rows that are projected from now on; they must stay where they are.
  virtual void start_node(std::span<const Row> rows) = 0;
  // One key per row of the node.
  virtual KeyRange project(const Atom& atom, std::span<Key> keys) = 0;
  // One example as floats, for samplers that look at the node's data.
  virtual void read_row(Row row, float* out) const = 0;
};

template <class T>
std::unique_ptr<Projector> make_projector(const Dataset<T>& data, const Geometry& geometry);

// X[:, dims] Q for one example: every output sums over dims in the same order in growing and
// predicting, and the inner loop runs along outputs so that it vectorises without reordering.
template <class T>
void rotate_row(const T* example, const Rotation& rotation, double* sums, float* out) {
  const std::size_t r = rotation.dims.size();
  std::fill(sums, sums + r, 0.0);
  for (std::size_t j = 0; j < r; ++j) {
    const double x = static_cast<double>(example[rotation.dims[j]]);
    const float* q = rotation.matrix.data() + j * r;
    for (std::size_t k = 0; k < r; ++k) sums[k] += x * static_cast<double>(q[k]);
  }
  for (std::size_t k = 0; k < r; ++k) out[k] = static_cast<float>(sums[k]);
}

}  // namespace mf
