#include "boundary/predict.hpp"

#include <cmath>
#include <memory>

#include "boundary/query_walks.hpp"

namespace mf::boundary {
namespace {

// Where the walk of each query ends in each tree, queries × trees.
struct WalkEnds {
  std::size_t n_trees = 0;
  std::vector<Slot> slots;
  std::vector<double> proxies;
};

WalkEnds walk_ends(const State& state, std::size_t n_queries, const CallContext& context) {
  const std::vector<Tree>& trees = state.trees.all;
  const std::size_t n_trees = trees.size(), n = n_queries * n_trees;
  WalkEnds ends{n_trees, std::vector<Slot>(n), std::vector<double>(n)};
  auto enter = [&](std::size_t q, std::size_t t, const Tree::Arrival& end) {
    ends.slots[q * n_trees + t] = end.slot;
    ends.proxies[q * n_trees + t] = end.proxy;
  };
  if (walk_together(n_queries, context)) {
    walk_in_batches(state, n_queries, context, NotMeasured(), enter);
    return ends;
  }
  walk_one_by_one(state, n_queries, context,
                  [&](SharedDistances& distances, std::size_t q, InterruptCheck& interrupts) {
                    for (std::size_t t = 0; t < n_trees; ++t) {
                      enter(q, t, trees[t].walk(distances));
                      interrupts.poll_after(kWalk);
                    }
                  });
  return ends;
}

// n distances become n weights that sum to one. Distances are taken relative to the least, which
// cannot overflow.
void weigh(double* weights, std::size_t n, double power) {
  double least = INFINITY, sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) least = weights[i] < least ? weights[i] : least;
  for (std::size_t i = 0; i < n; ++i) {
    const bool exact = weights[i] == 0.0;
    weights[i] = least == 0.0 ? (exact ? 1.0 : 0.0) : std::pow(least / weights[i], power);
    sum += weights[i];
  }
  for (std::size_t i = 0; i < n; ++i) weights[i] /= sum;
}

// Adds the label of an example to a row of the answer.
void add_label(const State& state, Slot slot, double weight, double* row, std::size_t n_columns) {
  if (state.options.task == Task::classify) {
    const auto column = static_cast<std::size_t>(state.examples.class_of(slot));
    if (column < n_columns) row[column] += weight;
    return;
  }
  const double* values = state.examples.values_of(slot);
  for (std::size_t o = 0; o < n_columns; ++o) row[o] += weight * values[o];
}

}  // namespace

std::vector<double> predict(const State& state, std::size_t n_queries, std::size_t n_columns,
                            double power, const CallContext& context) {
  const WalkEnds ends = walk_ends(state, n_queries, context);
  const auto computer = context.make_computer(state.points());
  std::vector<double> out(n_queries * n_columns, 0.0), weights(ends.n_trees);
  for (std::size_t q = 0; q < n_queries; ++q) {
    const std::size_t first = q * ends.n_trees;
    for (std::size_t t = 0; t < ends.n_trees; ++t)
      weights[t] = computer->distance(ends.proxies[first + t]);
    weigh(weights.data(), ends.n_trees, power);
    for (std::size_t t = 0; t < ends.n_trees; ++t)
      add_label(state, ends.slots[first + t], weights[t], &out[q * n_columns], n_columns);
  }
  return out;
}

}  // namespace mf::boundary
