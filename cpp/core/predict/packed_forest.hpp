// A forest whose splits are packed into one form, without its leaves.
//
// A reference to a child is a number of bytes from its parent if the child is packed: children come
// after their parents, so it is positive. Otherwise it is negative and says which leaf or which
// long node (one that its form refuses) the child is. Long nodes are of any kind of atom.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/inlining.hpp"
#include "forest/flat_forest.hpp"
#include "predict/forms/form.hpp"
#include "predict/stored_atoms.hpp"

namespace mf::predict {

inline Reference leaf_reference(std::int32_t node) { return ~(node * 2); }
inline Reference long_reference(std::size_t i) { return ~static_cast<Reference>(i * 2 + 1); }
inline bool names_leaf(Reference r) { return (~r & 1) == 0; }
inline std::int32_t index_of(Reference r) { return ~r >> 1; }

// A split of any kind; children are counted from the first node of the tree if they are packed.
struct LongNode {
  std::array<Reference, 2> child;
  double threshold;
  StoredAtom atom;
  bool missing_left;
};

// What does not depend on the form: how trees become nodes, and long nodes.
class PackedTrees {
 public:
  const Geometry& geometry() const { return geometry_; }
  // The summed-area tables that long nodes read.
  const std::vector<bool>& reads_grid() const { return atoms_.reads_grid(); }

  // What a row reaches from a long node of a tree: a packed node or a leaf.
  template <class Tables>
  MF_NOINLINE Reference pass_long_nodes(Reference r, std::size_t tree, const Tables& tables,
                                        std::size_t row) const {
    while (r < 0 && !names_leaf(r)) {
      const LongNode& node = long_[first_long_[tree] + static_cast<std::size_t>(index_of(r))];
      const double value = value_at(node.atom, atoms_.of_tree(tree), tables, row);
      const bool right = value != value ? !node.missing_left : value > node.threshold;
      r = node.child[right ? 1 : 0];
    }
    return r;
  }

 protected:
  PackedTrees(const Geometry& geometry, std::size_t node_size);
  virtual ~PackedTrees() = default;
  PackedTrees(const PackedTrees&) = delete;
  PackedTrees& operator=(const PackedTrees&) = delete;

  void pack_trees(const FlatForest& forest);
  // Packs a split as one more node whose children are its sides, unless the form refuses it.
  virtual bool add_packed(const Split& split) = 0;
  // One more node; both of its children are the root.
  virtual void add_before(Reference root) = 0;
  virtual std::size_t n_packed() const = 0;
  virtual std::array<Reference, 2>& children_of(std::size_t packed) = 0;

  std::vector<std::size_t> first_node_;  // of each tree, and the end

 private:
  struct Scratch;

  void pack_tree(const FlatForest& forest, std::size_t tree, Scratch& scratch);
  Reference pack_split(const FlatForest& forest, std::size_t tree, std::size_t i, Scratch& scratch);
  Reference add_long(const LongNode& node);
  StoredAtom store_rotated(Scratch& scratch);
  void link(const std::vector<Reference>& references, std::size_t node, std::int32_t left);

  const Geometry& geometry_;
  const std::size_t node_size_;
  std::vector<LongNode> long_;
  std::vector<std::size_t> first_long_;
  StoredAtoms atoms_;  // of long nodes
};

template <class Form>
class PackedForest final : public PackedTrees {
 public:
  using Node = typename Form::Node;
  using Entry = typename Form::Entry;

  PackedForest(const FlatForest& forest, const Geometry& geometry)
      : PackedTrees(geometry, sizeof(Node)), form_(geometry) {
    pack_trees(forest);
    for (std::size_t t = 0; t < forest.n_trees(); ++t)
      roots_.push_back(nodes_.data() + first_node_[t]);
  }

  // Whether references have room for all nodes.
  static bool allows(const FlatForest& forest) {
    constexpr std::int64_t kBytes = std::numeric_limits<Reference>::max();
    for (std::size_t t = 0; t < forest.n_trees(); ++t)
      if (forest.tree_offsets[t + 1] - forest.tree_offsets[t] >=
          kBytes / static_cast<std::int64_t>(sizeof(Node)))
        return false;
    return true;
  }

  const Form& form() const { return form_; }
  std::size_t n_trees() const { return roots_.size(); }
  // The first packed node of each tree.
  const Node* const* roots() const { return roots_.data(); }
  // The packed nodes of trees first .. last - 1.
  std::span<const Node> nodes(std::size_t first, std::size_t last) const {
    return {nodes_.data() + first_node_[first], nodes_.data() + first_node_[last]};
  }

 private:
  bool add_packed(const Split& split) override {
    Node node{};
    node.child = {0, 1};
    if (!packs(form_, split, node)) return false;
    nodes_.push_back(node);
    return true;
  }
  void add_before(Reference root) override {
    Node node{};
    node.child = {root, root};
    nodes_.push_back(node);
  }
  std::size_t n_packed() const override { return nodes_.size(); }
  std::array<Reference, 2>& children_of(std::size_t packed) override {
    return nodes_[packed].child;
  }

  Form form_;
  std::vector<const Node*> roots_;
  std::vector<Node> nodes_;
};

}  // namespace mf::predict
