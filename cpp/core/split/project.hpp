// Projecting: one atom over the rows of a node gives a column of ordered keys.
#pragma once

#include <atomic>
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
  // `stop` ends the rotating early, with Stopped.
  virtual void start_tree(const Rotation& rotation, const std::atomic<bool>& stop) = 0;
  // Blocks: what atoms read of the rows of a subtree, copied together so that it stays in a cache
  // while the subtree is grown. They nest, each level smaller than the one around it.
  // Most rows of a block of each level.
  virtual std::span<const std::size_t> block_rows() const = 0;
  // The nodes that follow are subsets of these rows, until the block is left again.
  virtual void enter_block(std::size_t level, std::span<const Row> rows) = 0;
  virtual void leave_block() = 0;
  // The rows that are projected from now on; they must stay where they are.
  virtual void start_node(std::span<const Row> rows) = 0;
  // The atom at every row of the node; the column is valid until the next call.
  virtual Column project(const Atom& atom) = 0;
  // One example as floats, for samplers that look at the node's data.
  virtual void read_row(Row row, float* out) const = 0;
};

template <class T>
std::unique_ptr<Projector> make_projector(const Dataset<T>& data, const Geometry& geometry);

}  // namespace mf
