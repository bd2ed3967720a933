// Growing the whole subtree of a node of few rows at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "split/few_nodes.hpp"
#include "train/subtree.hpp"

namespace mf::train {

// Grows what SubtreeGrower grows, node by node in the same order, from small arrays that are filled
// once: a node waits as a set of bits and a few numbers, and nodes are appended to the tree
// together. What FewNodes cannot search (missing values, candidates that are all constant) it
// leaves to SubtreeGrower, one node at a time.
class FewSubtree {
 public:
  using Node = SubtreeGrower::Node;

  // `samples` are those of the numbers in the order.
  FewSubtree(Worker& worker, GrowingTree& growing, const RowSamples& samples, Part& part)
      : worker_(worker), growing_(growing), samples_(samples), part_(part), nodes_(*worker.few) {}

  // Takes over a node of 2 to 64 rows, at which the projector is; false if it cannot be grown here.
  bool start(const Node& root);
  // Grows until a node needs the general search, and returns it; none at the end.
  std::optional<Node> grow();
  // Goes on below that node, whose rows are partitioned.
  void resume(const Node& left, const Node& right);

 private:
  struct Waiting {
    RowSet rows;
    std::uint64_t seed;
    std::size_t begin;  // of the slice
    std::int32_t index;
    std::int32_t depth;
  };

  bool visit(const Waiting& node);
  void split(const Waiting& node, const FewCut& cut);
  void add_child(const Waiting& parent, RowSet rows, std::size_t begin, std::size_t index,
                 std::uint64_t side);
  FewNodes::Opened open(RowSet rows, std::size_t index);
  void place(RowSet rows, std::size_t begin);
  void make_room();
  void close_room();

  Worker& worker_;
  GrowingTree& growing_;
  const RowSamples& samples_;
  Part& part_;
  FewNodes& nodes_;
  std::array<Row, FewRows::kMost> rows_;  // of the subtree, by their numbers
  std::array<Waiting, FewRows::kMost> stack_;
  std::size_t n_waiting_ = 0;
  std::size_t n_nodes_ = 0;                            // of the tree, without the room behind them
  std::size_t most_nodes_ = 0;                         // of the tree, when the subtree is grown
  std::array<std::int32_t, FewRows::kMost> features_;  // of splits that are not in the tree yet
  std::size_t n_features_ = 0;
  std::size_t first_atom_ = 0;  // of them
};

}  // namespace mf::train
