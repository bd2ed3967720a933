#include "predict/any_forest.hpp"

#include <limits>
#include <stdexcept>

namespace mf::predict {

AnyForest::AnyForest(const FlatForest& forest, const Geometry& geometry_)
    : geometry(geometry_), rotation_size(forest.rotation_size), nodes(forest.n_nodes()) {
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    first_node.push_back(static_cast<std::size_t>(forest.tree_offsets[t]));
    first_term.push_back(terms.size());
    for (std::size_t i = first_node.back();
         i < static_cast<std::size_t>(forest.tree_offsets[t + 1]); ++i)
      if (!forest.is_leaf(i)) compile_split(forest, i, nodes[i]);
    if (rotation_size > 0) rotations.push_back(forest.rotation(t));
  }
}

void AnyForest::compile_split(const FlatForest& forest, std::size_t i, AnyNode& node) {
  compile(forest.atom(i), geometry, compiled_);
  node.threshold = forest.threshold[i];
  node.left = forest.left[i];
  node.missing_left = forest.missing_left[i] != 0;
  node.whole = compiled_.whole;
  node.grid = compiled_.grid;
  if (compiled_.source == Source::rotated) {
    node.way = AnyNode::Way::rotated;
    node.at = compiled_.terms[0].column;
  } else if (compiled_.source == Source::raw && compiled_.terms.size() == 1 &&
             compiled_.terms[0].weight == 1.0F) {
    node.way = AnyNode::Way::axis;
    node.at = compiled_.terms[0].column;
  } else {
    node.way = compiled_.source == Source::raw ? AnyNode::Way::terms : AnyNode::Way::summed;
    const std::size_t at = terms.size() - first_term.back();
    if (at > std::numeric_limits<std::int32_t>::max())
      throw std::length_error("the directions of a tree must have fewer than 2**31 terms");
    node.at = static_cast<std::int32_t>(at);
    node.n_terms = static_cast<std::uint32_t>(compiled_.terms.size());
    terms.insert(terms.end(), compiled_.terms.begin(), compiled_.terms.end());
  }
}

}  // namespace mf::predict
