#include "predict/packed_forest.hpp"

#include <unordered_map>

#include "atoms/kind.hpp"
#include "atoms/rotation.hpp"

namespace mf::predict {

// What packing one tree needs.
struct PackedTrees::Scratch {
  CompiledAtom atom;
  Rotation rotation;                                        // of the tree, once it is read
  std::unordered_map<std::int32_t, StoredAtom> coordinate;  // rotated ones stored so far
  std::vector<Reference> references;                        // to each node of the tree
};

PackedTrees::PackedTrees(const Geometry& geometry, std::size_t node_size)
    : geometry_(geometry), node_size_(node_size), atoms_(geometry.grids.size()) {}

void PackedTrees::pack_trees(const FlatForest& forest) {
  Scratch scratch;
  for (std::size_t t = 0; t < forest.n_trees(); ++t) pack_tree(forest, t, scratch);
  first_node_.push_back(n_packed());
}

void PackedTrees::pack_tree(const FlatForest& forest, std::size_t tree, Scratch& scratch) {
  const auto begin = static_cast<std::size_t>(forest.tree_offsets[tree]);
  const auto end = static_cast<std::size_t>(forest.tree_offsets[tree + 1]);
  first_node_.push_back(n_packed());
  first_long_.push_back(long_.size());
  atoms_.start_tree();
  scratch.coordinate.clear();
  scratch.rotation = {};
  std::vector<Reference>& references = scratch.references;
  references.clear();
  for (std::size_t i = begin; i < end; ++i) {
    references.push_back(forest.is_leaf(i) ? leaf_reference(static_cast<std::int32_t>(i - begin))
                                           : pack_split(forest, tree, i, scratch));
    // A walk begins at a packed node, if need be at one before the true root.
    if (i == begin && references[0] < 0) add_before(references[0]);
  }
  for (std::size_t i = begin; i < end; ++i)
    if (!forest.is_leaf(i)) link(references, i - begin, forest.left[i]);
}

// Returns the reference to the node, counted from the first node of its tree.
Reference PackedTrees::pack_split(const FlatForest& forest, std::size_t tree, std::size_t i,
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
  if (!add_packed({atom, threshold, missing_left}))
    return add_long({{0, 1}, threshold, atoms_.add(atom), missing_left});
  return static_cast<Reference>((n_packed() - 1 - first_node_.back()) * node_size_);
}

Reference PackedTrees::add_long(const LongNode& node) {
  long_.push_back(node);
  return long_reference(long_.size() - 1 - first_long_.back());
}

// Rows of a packed forest are not rotated: their coordinates become sums of features, which are
// long, so that equal ones of a tree are stored once.
StoredAtom PackedTrees::store_rotated(Scratch& scratch) {
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

// Replaces the sides that stand for the children of a node by references to the children.
void PackedTrees::link(const std::vector<Reference>& references, std::size_t node,
                       std::int32_t left) {
  const Reference own = references[node];
  auto child = [&](Reference side) { return references[static_cast<std::size_t>(left + side)]; };
  if (own < 0) {
    for (Reference& c : long_[first_long_.back() + static_cast<std::size_t>(index_of(own))].child)
      c = child(c);
    return;
  }
  const std::size_t packed = first_node_.back() + static_cast<std::size_t>(own) / node_size_;
  for (Reference& c : children_of(packed)) {
    c = child(c);
    if (c >= 0) c -= own;
  }
}

}  // namespace mf::predict
