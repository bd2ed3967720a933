// A tree while it is being grown, perhaps by several workers: parts of it, and what they share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/copy_range.hpp"
#include "base/page_vector.hpp"
#include "base/work_sharing.hpp"
#include "data/samples.hpp"
#include "split/code_search.hpp"
#include "split/project.hpp"
#include "train/options.hpp"
#include "train/tree.hpp"

namespace mf::train {

// Nodes of fewer rows are not given to an idle worker: growing them takes about as long as waking
// it.
constexpr std::size_t kMinGivenRows = 1024;

struct Slice {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};

// The same in less memory, for every node of a tree. There are fewer than 2^31 rows.
struct StoredSlice {
  StoredSlice() = default;
  StoredSlice(const Slice& slice)  // NOLINT: the conversion is the point
      : begin(static_cast<std::uint32_t>(slice.begin)),
        end(static_cast<std::uint32_t>(slice.end)) {}
  operator Slice() const { return {begin, end}; }  // NOLINT: the same

  std::uint32_t begin = 0, end = 0;
};

struct Part;

// A subtree that another worker grows.
struct Given {
  std::shared_ptr<Part> part;
  std::size_t leaf = 0;                  // that stands for it
  std::size_t n_nodes = 0, n_atoms = 0;  // of the part that gave it, when its turn had come
};

// A subtree with a numbering of its own, in the order in which one worker grew it.
struct Part {
  Tree tree;
  PageVector<StoredSlice> slices;  // of each node, in GrowingTree::order
  // Subtrees that were given to other workers, in the order in which this one would have grown
  // them.
  std::vector<Given> given;
  // Sums of which the values of nodes are made, if inner nodes may have those of their children.
  std::size_t n_sums = 0;
  std::vector<double> sums;

  double* sums_of(std::size_t node) { return sums.data() + node * n_sums; }
  const double* sums_of(std::size_t node) const { return sums.data() + node * n_sums; }

  std::int32_t add_leaf(std::size_t value_width, Slice slice) {
    slices.push_back(slice);
    sums.resize(sums.size() + n_sums);
    return tree.add_leaf(value_width);
  }
  void reserve(std::size_t n_nodes, std::size_t value_width, const AtomList::Size& of_atoms) {
    slices.reserve(n_nodes);
    tree.reserve(n_nodes, value_width, of_atoms);
  }
  // Copies nodes begin .. end - 1 of another part, or of this one to a later place, as they are.
  void copy_nodes(const Part& from, std::size_t begin, std::size_t end, std::size_t to,
                  std::size_t value_width) {
    copy_range(from.slices, begin, end, slices, to);
    copy_range(from.sums, begin * n_sums, end * n_sums, sums, to * n_sums);
    tree.copy_nodes(from.tree, begin, end, to, value_width);
  }
  // Appends leaves, whose slices are empty, or removes the last nodes.
  void resize(std::size_t n_nodes, std::size_t value_width) {
    slices.resize(n_nodes);
    sums.resize(n_nodes * n_sums);
    tree.resize(n_nodes, value_width);
  }
};

// Workers write to disjoint places: a row is in one slice at a time, and a node has one worker.
struct GrowingTree {
  Pending given;                         // jobs for this tree that were pushed and are not done
  std::unique_ptr<RotatedData> rotated;  // null unless the tree has a rotation
  PageVector<Row> order;                 // row indices; the rows of a node are a slice
  RowSamples samples;                    // of every training row
  std::shared_ptr<RoundedRows> rounded;  // null if no node is searched by codes
  std::shared_ptr<RoundedRows> former_rounded;  // of the tree before, for its memory
  double root_weight = 0.0;                     // of the rows that grow the tree
  Part part;                                    // from the root on
  PageVector<std::int32_t> leaf_of_row;         // the leaf of each row, when it is finished

  // That a tree has taken which is finished, to be used again: new pages take time, and memory that
  // is given back in pieces is not always used for the next tree. What it has not returned is kept.
  void take_memory(GrowingTree& finished) {
    order = std::move(finished.order);
    samples.weight = std::move(finished.samples.weight);
    samples.ones = finished.samples.ones;
    samples.responses = std::move(finished.samples.responses);
    former_rounded = std::move(finished.rounded);
    part.tree = std::move(finished.part.tree);
    part.tree.clear(Memory::kept);
    part.slices = std::move(finished.part.slices);
    empty(part.slices, Memory::kept);
    part.sums = std::move(finished.part.sums);
    part.sums.clear();
  }

  Tree& tree() { return part.tree; }
  std::span<Row> rows_in(Slice slice) {
    return std::span<Row>(order).subspan(slice.begin, slice.size());
  }
};

// Reserves memory for as many nodes as a subtree of so many rows may have, unless that is very
// much. More than is used is not written to, and so takes no memory where the system gives pages at
// their first use.
void reserve_most(Part& part, const GrowOptions& options, std::size_t n_rows,
                  std::size_t value_width);

// The node to give away: the largest on the stack, if it is large enough; otherwise null. The top
// of the stack stays: it comes next, and its rows are in cache.
template <class Waiting>
Waiting* find_spare(std::vector<Waiting>& stack) {
  if (stack.size() < 2) return nullptr;
  const auto largest = std::max_element(
      stack.begin(), stack.end() - 1,
      [](const Waiting& a, const Waiting& b) { return a.slice.size() < b.slice.size(); });
  return largest->slice.size() < kMinGivenRows ? nullptr : &*largest;
}

}  // namespace mf::train
