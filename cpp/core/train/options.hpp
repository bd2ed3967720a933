// Everything a user may set about growing, as one struct with defaults.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "objectives/objective.hpp"
#include "split/finder.hpp"

namespace mf::train {

enum class EmptyLeaf : std::uint8_t { ignore, uniform, empirical, prune };

struct GrowOptions {
  int n_trees = 100;
  int first_tree = 0;  // index of the first tree: growing 50 and then 50 more equals growing 100
  std::uint64_t seed = 0;

  std::shared_ptr<const Objective> objective = find_objective("gini");
  SplitterKind splitter = SplitterKind::exact;
  std::vector<int> n_classes;  // per output; empty for regression
  int n_candidates = 1;        // d, the papers' mtry

  int max_depth = -1;  // no limit
  std::int64_t min_samples_split = 2;
  std::int64_t min_samples_leaf = 1;
  double min_weight_fraction_leaf = 0.0;  // of the weight of the root
  double min_balance = 0.0;
  double min_impurity_decrease = 0.0;
  std::int64_t max_leaf_nodes = -1;  // no limit; otherwise best-first growth
  double ccp_alpha = 0.0;

  bool bootstrap = true;
  // With replacement when bootstrapping, else without; at most 2^31 - 1, 0 means all rows.
  std::int64_t n_draws = 0;
  bool stratify = false;
  bool balanced_subsample = false;

  bool honest = false;
  double honest_fraction = 0.5;  // share of the in-bag rows that choose the splits
  EmptyLeaf empty_leaf = EmptyLeaf::ignore;

  bool keep_samples = true;
  bool keep_bags = true;  // with keep_samples: also how often each row was drawn
  bool find_pruning_path = false;
};

}  // namespace mf::train
