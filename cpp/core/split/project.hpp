// Projecting: one atom over the rows of a node gives a column of ordered keys.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "atoms/atom.hpp"
#include "atoms/compiled.hpp"
#include "atoms/geometry.hpp"
#include "atoms/row_rotation.hpp"
#include "data/dataset.hpp"
#include "split/kernels/kernels.hpp"
#include "split/keys.hpp"
#include "split/node_rows.hpp"

namespace mf::train {

// The data of a tree that has a rotation. Constant once all rows are rotated, so that all workers
// of the tree can read it.
struct RotatedData {
  RotatedData(const Rotation& of_tree, std::size_t n_rows, std::size_t n_features);

  const RowRotation rotation;
  std::vector<std::int32_t> column_of;  // of each feature; -1 if it is not rotated
  std::vector<float> columns;           // feature-major, rotated features only
};

// A subtree of more rows than a small block holds has a large one, whose columns are a few times
// larger than a cache, but no longer most of a cache line for each number that is read.
enum class BlockSize : std::uint8_t { large, small };
constexpr BlockSize kBlockSizes[] = {BlockSize::large, BlockSize::small};

// Per-thread evaluator. Virtual once per candidate, the row loop inside is compiled per type.
class Projector {
 public:
  virtual ~Projector() = default;
  // Whether single features of a block are projected as ranks (Column::ranks) from now on.
  virtual void give_ranks(bool wanted) = 0;
  // Whether most nodes ask for few_rows() from now on. Blocks have then the sizes that suit them;
  // in other searches large blocks, and more but smaller ones, take longer to copy than they save.
  virtual void expect_few(bool expected) = 0;
  // The tree that is grown from now on: its rotated data, which must stay, or null.
  virtual void start_tree(const RotatedData* rotated) = 0;
  // Memory for the rotated data, which rotate() fills in for rows begin .. end - 1.
  virtual std::unique_ptr<RotatedData> new_rotated(const Rotation& rotation) const = 0;
  virtual void rotate(std::size_t begin, std::size_t end, RotatedData& out) const = 0;
  // Rows that the following nodes are subsets of: if they are few, what the atoms read is copied
  // into a block that stays in cache while the whole subtree is grown. An empty span ends the
  // block. Blocks of each size are apart: nodes read a small one if there is one, otherwise a large
  // one.
  virtual void start_subtree(BlockSize size, std::span<const Row> rows,
                             NodeRows given_as = NodeRows::rows) = 0;
  // Whether nodes in blocks may be given as places: all that is read of them lies in the block.
  virtual bool takes_places() const = 0;
  // Most rows that a block can hold if each of them is projected so many times while it is there; 0
  // if copying them would take longer than it saves.
  virtual std::size_t max_block_rows(BlockSize size, std::size_t n_projections) const = 0;
  // The rows that are projected from now on, or their places in the block; they must not move.
  virtual void start_node(std::span<const Row> rows) = 0;
  // The node as rows of a block of floats, if it is one of few rows. Valid until the next node.
  virtual std::optional<FewRows> few_rows() = 0;
  // Sorts a column of the block, which must be done before its ranks are read.
  virtual void know_ranks(std::size_t feature) = 0;
  // Prefetches what an atom reads that will be projected soon.
  virtual void fetch_ahead(const Atom& atom) const = 0;
  // The atom at every row of the node; the column is valid until the next call.
  virtual Column project(const Atom& atom) = 0;
  // Makes the column that was projected last valid until this is called again, whatever is
  // projected meanwhile.
  virtual void keep_column() = 0;
  // The same for one that is compiled already.
  virtual Column project_compiled(const CompiledAtom& atom) = 0;
  // One example as floats, for samplers that look at the node's data.
  virtual void read_row(Row row, float* out) const = 0;
  // All examples, if they are floats; otherwise its data are null.
  virtual Matrix<float> float_rows() const = 0;
};

template <class T>
std::unique_ptr<Projector> make_projector(const Dataset<T>& data, const Geometry& geometry);

}  // namespace mf::train
