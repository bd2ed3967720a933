#include "tree/impurity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mf::train {
namespace {

// Mean over outputs of the sum over classes of a term of their share.
template <class Term>
double of_shares(const Target& target, const NodeSample& node, const Term& term) {
  double sum = 0.0;
  for (std::size_t o = 0; o < node.n_outputs; ++o) {
    std::vector<double> of_class(static_cast<std::size_t>(target.n_classes[o]), 0.0);
    for (std::size_t i = 0; i < node.size(); ++i)
      of_class[static_cast<std::size_t>(node.labels[i * node.n_outputs + o])] += node.weight[i];
    for (const double weight : of_class) sum += term(weight / node.total_weight);
  }
  return sum / static_cast<double>(node.n_outputs);
}

double variance(const NodeSample& node, std::size_t output) {
  auto value = [&](std::size_t i) { return node.values[i * node.n_outputs + output]; };
  double mean = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < node.size(); ++i) mean += node.weight[i] * value(i);
  mean /= node.total_weight;
  for (std::size_t i = 0; i < node.size(); ++i)
    squares += node.weight[i] * (value(i) - mean) * (value(i) - mean);
  return squares / node.total_weight;
}

// Mean distance from a weighted median.
double deviation(const NodeSample& node, std::size_t output) {
  auto value = [&](std::size_t i) { return node.values[i * node.n_outputs + output]; };
  std::vector<std::size_t> order(node.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  double below = 0.0;
  std::size_t middle = 0;
  while (middle + 1 < order.size() && below + node.weight[order[middle]] < 0.5 * node.total_weight)
    below += node.weight[order[middle++]];
  const double median = value(order[middle]);
  double sum = 0.0;
  for (std::size_t i = 0; i < node.size(); ++i) sum += node.weight[i] * std::abs(value(i) - median);
  return sum / node.total_weight;
}

template <class OfOutput>
double mean_over_outputs(const NodeSample& node, const OfOutput& of_output) {
  double sum = 0.0;
  for (std::size_t o = 0; o < node.n_outputs; ++o) sum += of_output(node, o);
  return sum / static_cast<double>(node.n_outputs);
}

// Frechet variance: half the mean squared distance of two rows.
double frechet_variance(const Target& target, const NodeSample& node) {
  double sum = 0.0;
  if (target.squared_distances == nullptr) {
    for (std::size_t o = 0; o < node.n_outputs; ++o)
      sum += (target.signs.empty() ? 1.0 : target.signs[o]) * variance(node, o);
    return sum;
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const float* to =
        target.squared_distances + static_cast<std::size_t>(node.rows[i]) * target.n_rows;
    for (std::size_t j = 0; j < node.size(); ++j)
      sum += node.weight[i] * node.weight[j] * static_cast<double>(to[node.rows[j]]);
  }
  return sum / (2.0 * node.total_weight * node.total_weight);
}

}  // namespace

double impurity(const Objective& objective, const Target& target, const NodeSample& node) {
  const std::string name = objective.name();
  if (name == "gini") return of_shares(target, node, [](double p) { return p * (1.0 - p); });
  if (name == "entropy")
    return of_shares(target, node, [](double p) { return p > 0.0 ? -p * std::log(p) : 0.0; });
  if (name == "squared_error") return mean_over_outputs(node, variance);
  if (name == "absolute_error") return mean_over_outputs(node, deviation);
  return frechet_variance(target, node);
}

}  // namespace mf::train
