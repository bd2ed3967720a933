// Growing a subtree: the whole tree from its root, or a part that one worker took over from
// another.
#pragma once

#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "train/growing_tree.hpp"
#include "train/worker.hpp"

namespace mf::train {

// The streams of random numbers of a node's children.
enum Side : std::uint64_t { kLeftSide = 0, kRightSide = 1 };

class SubtreeGrower {
 public:
  // A node that is being grown: a slice of the rows and, once searched, perhaps a split.
  struct Node {
    std::int32_t index = 0;
    Slice slice;
    int depth = 0;
    std::uint64_t seed = 0;
    std::optional<Split> split;
    // Its atom, if other nodes are searched before it is split.
    std::shared_ptr<const AtomList> kept;
    std::shared_ptr<CodeSums> sums;  // for all features; null if they are not known
    std::shared_ptr<Part> given;     // that another worker grows it into, or null
  };

  // Grows into `part`, which is the tree's own or belongs to another part of it.
  SubtreeGrower(Worker& worker, std::shared_ptr<GrowingTree> growing, Part& part)
      : worker_(worker), inputs_(worker.inputs), growing_(std::move(growing)), part_(part) {}

  // `root` has everything but its index.
  void grow(Node root);

 private:
  std::span<Row> rows_of(const Node& node) const { return growing_->rows_in(node.slice); }
  void grow_depth_first(Node root);
  void grow_best_first(Node root);
  bool grow_few(const Node& root);
  void give(Node& node);
  std::size_t n_projections(const Node& node) const;
  void enter_block(const Node& node);
  void copy_block(BlockSize size, Slice slice);
  void leave_blocks(const std::optional<Slice>& next);
  bool gives_places() const;
  BlockRows& block_rows(BlockSize size) const {
    return worker_.block_rows[static_cast<std::size_t>(size)];
  }
  bool in_places() const;
  const RowSamples& samples() const;
  void open(Node& node);
  void open_by_sums(Node& node);
  bool may_split(const Node& node) const;
  void search(Node& node);
  bool try_candidates(Node& node, bool first_only);
  bool share_candidates(Node& node, std::size_t first, bool some_varied);
  bool may_share(const Node& node) const;
  bool by_codes(const Node& node) const;
  bool keeps_sums() const;
  bool try_codes(Node& node, bool first_only);
  void hand_down_sums(const Node& node, Node& left, Node& right);
  std::pair<Node, Node> split(const Node& node, const Atom& atom);
  Node add_child(const Node& parent, Slice slice, std::uint64_t side);

  Worker& worker_;
  const GrowInputs& inputs_;
  const std::shared_ptr<GrowingTree> growing_;
  Part& part_;
  std::array<Slice, std::size(kBlockSizes)> blocks_;  // the rows that the projector has copied
};

}  // namespace mf::train
