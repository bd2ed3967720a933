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
#include <unordered_map>
#include <vector>

#include "atoms/kind.hpp"
#include "atoms/rotation.hpp"
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

template <class Form>
class PackedForest {
 public:
  using Node = typename Form::Node;
  using Entry = typename Form::Entry;

  PackedForest(const FlatForest& forest, const Geometry& geometry)
      : geometry_(geometry), form_(geometry), atoms_(geometry.grids.size()) {
    Scratch scratch;
    for (std::size_t t = 0; t < forest.n_trees(); ++t) pack_tree(forest, t, scratch);
    for (const std::size_t first : first_node_) roots_.push_back(nodes_.data() + first);
    first_node_.push_back(nodes_.size());
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

  const Geometry& geometry() const { return geometry_; }
  // The summed-area tables that long nodes read.
  const std::vector<bool>& reads_grid() const { return atoms_.reads_grid(); }

  // Where a row goes from long node i of a tree.
  template <class Tables>
  Reference beyond(std::size_t tree, std::size_t i, const Tables& tables, std::size_t row) const {
    const LongNode& node = long_[first_long_[tree] + i];
    const double value = value_at(node.atom, atoms_.of_tree(tree), tables, row);
    const bool right = value != value ? !node.missing_left : value > node.threshold;
    return node.child[right ? 1 : 0];
  }

 private:
  // What packing one tree needs.
  struct Scratch {
    CompiledAtom atom;
    Rotation rotation;                                        // of the tree, once it is read
    std::unordered_map<std::int32_t, StoredAtom> coordinate;  // rotated ones stored so far
    std::vector<Reference> references;                        // to each node of the tree
  };

  void pack_tree(const FlatForest& forest, std::size_t tree, Scratch& scratch) {
    const auto begin = static_cast<std::size_t>(forest.tree_offsets[tree]);
    const auto end = static_cast<std::size_t>(forest.tree_offsets[tree + 1]);
    first_node_.push_back(nodes_.size());
    first_long_.push_back(long_.size());
    atoms_.start_tree();
    scratch.coordinate.clear();
    scratch.rotation = {};
    std::vector<Reference>& references = scratch.references;
    references.clear();
    for (std::size_t i = begin; i < end; ++i) {
      references.push_back(forest.is_leaf(i) ? leaf_reference(static_cast<std::int32_t>(i - begin))
                                             : pack_split(forest, tree, i, scratch));
      if (i == begin && references[0] < 0) put_before(references[0]);
    }
    for (std::size_t i = begin; i < end; ++i)
      if (!forest.is_leaf(i)) link(references, i - begin, forest.left[i]);
  }

  // A walk begins at a packed node, if need be at one whose children are both the true root.
  void put_before(Reference root) {
    Node node{};
    node.child = {root, root};
    nodes_.push_back(node);
  }

  // Returns what refers to the node, counted from the first one of its tree.
  Reference pack_split(const FlatForest& forest, std::size_t tree, std::size_t i,
                       Scratch& scratch) {
    CompiledAtom& atom = scratch.atom;
    compile(forest.atom(i), geometry_, atom);
    const double threshold = forest.threshold[i];
    const bool missing_left = forest.missing_left[i] != 0;
    if (atom.table.kind == TableId::Kind::rotated) {
      if (scratch.rotation.empty()) scratch.rotation = forest.rotation(tree);
      if (!stays_axis(scratch.rotation, atom))
        return add_long({{0, 1}, threshold, store_rotated(scratch), missing_left});
      unrotate(scratch.rotation, atom);
    }
    Node node{};
    node.child = {0, 1};
    if (!packs(form_, {atom, threshold, missing_left}, node))
      return add_long({{0, 1}, threshold, atoms_.add(atom), missing_left});
    nodes_.push_back(node);
    return static_cast<Reference>((nodes_.size() - 1 - first_node_.back()) * sizeof(Node));
  }

  Reference add_long(const LongNode& node) {
    long_.push_back(node);
    return long_reference(long_.size() - 1 - first_long_.back());
  }

  // Rows of a packed forest are not rotated: their coordinates become sums of features, which are
  // long, so that equal ones of a tree are stored once.
  StoredAtom store_rotated(Scratch& scratch) {
    CompiledAtom& atom = scratch.atom;
    if (atom.reduction != Reduction::sum) {
      unrotate(scratch.rotation, atom);
      return atoms_.add(atom);
    }
    const auto [place, is_new] = scratch.coordinate.try_emplace(atom.terms[0].column);
    if (is_new) {
      unrotate(scratch.rotation, atom);
      place->second = atoms_.add(atom);
    }
    return place->second;
  }

  // Replaces the sides that a node has as children by what is there.
  void link(const std::vector<Reference>& references, std::size_t node, std::int32_t left) {
    const Reference own = references[node];
    auto child = [&](Reference side) { return references[static_cast<std::size_t>(left + side)]; };
    if (own < 0) {
      for (Reference& c : long_[first_long_.back() + static_cast<std::size_t>(index_of(own))].child)
        c = child(c);
      return;
    }
    const std::size_t i = first_node_.back() + static_cast<std::size_t>(own) / sizeof(Node);
    for (Reference& c : nodes_[i].child) {
      c = child(c);
      if (c >= 0) c -= own;
    }
  }

  const Geometry& geometry_;
  Form form_;
  std::vector<const Node*> roots_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> first_node_;  // of each tree, and the end
  std::vector<LongNode> long_;
  std::vector<std::size_t> first_long_;
  StoredAtoms atoms_;  // of long nodes
};

}  // namespace mf::predict
