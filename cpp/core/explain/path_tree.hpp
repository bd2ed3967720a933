// A tree as the walk over all its paths reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "explain/leaf_values.hpp"
#include "forest/flat_forest.hpp"

namespace mf::explain {

// A player of the game: a feature, or another atom of the tree, whatever the number of splits on
// it.
struct Player {
  std::int32_t feature;  // -1 for atoms of several features, or on views
  std::int32_t split;    // a node whose atom it is, within the tree
};

// The way from a split to one of its children. "Before" is the last step before it on the path that
// belongs to the same player, if there is one.
struct Step {
  double share;  // of the training weight that goes this way at all splits of the player so far
  double share_before;
  std::int32_t split;      // node within the tree
  std::int32_t player;     // of the split
  std::int32_t before;     // number of that step; -1 if there is none
  std::int32_t level;      // of the child; the root has level 0
  std::int32_t n_columns;  // that some leaf below has
  bool to_right;
  bool to_leaf;
  std::size_t columns;  // the first of them in PathTree::columns
  std::size_t values;   // of a leaf: the first in PathTree::values, in the same order
};

// A column that is not zero everywhere below a step.
struct BelowColumn {
  std::int32_t column;
  std::int32_t above;  // its place among the columns of the step above; unused on level 1
};

struct PathTree {
  std::vector<Step> steps;  // depth first: all below a step follow it
  std::vector<Player> players;
  std::vector<BelowColumn> columns;
  std::vector<double> values;
  std::vector<double> base;                // of each column: the mean over leaves by their shares
  std::vector<std::int32_t> most_columns;  // of steps to splits on each level
  std::size_t most_players = 0;            // on one path

  std::size_t n_levels() const { return most_columns.size(); }
};

// Makes path trees of the trees of a forest, one at a time.
class PathTreeBuilder {
 public:
  // Keeps references.
  PathTreeBuilder(const FlatForest& forest, const Geometry& geometry, const LeafValues& values)
      : forest_(forest),
        geometry_(geometry),
        values_(values),
        player_of_feature_(geometry.n_features, -1) {}

  PathTree build(std::size_t tree);

 private:
  // The columns of all steps, those of the last step first.
  struct StepColumns {
    std::vector<std::size_t> first;  // of each step
    std::vector<std::int32_t> columns;

    std::span<const std::int32_t> of(std::size_t step) const {
      const std::size_t end = step == 0 ? columns.size() : first[step - 1];
      return {columns.data() + first[step], end - first[step]};
    }
  };

  void find_players(PathTree& out);
  std::int32_t player_of(std::size_t node, PathTree& out);
  void add_steps(PathTree& out);
  void add_step(PathTree& out, std::int32_t split, bool to_right, std::int32_t level);
  void find_columns(PathTree& out);
  void store_columns(PathTree& out, const StepColumns& of_steps);
  double share_of(std::size_t split, std::size_t child) const;

  const FlatForest& forest_;
  const Geometry& geometry_;
  const LeafValues& values_;
  std::size_t root_ = 0;  // of the tree
  std::size_t end_ = 0;
  Rotation rotation_;
  std::vector<std::int32_t> player_of_node_;
  std::vector<std::int32_t> player_of_feature_;  // -1 where the tree has none
  std::unordered_map<std::string, std::int32_t> player_of_atom_;
  std::vector<std::int32_t> features_;
  std::vector<float> weights_;
  std::string key_;
};

}  // namespace mf::explain
