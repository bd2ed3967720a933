// RerF(d): differences of class means in the node [RERF section 3].
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "samplers/sampler.hpp"

namespace mf {

// Appends a dense direction as a sparse atom; zero entries are left out, and nothing is appended if
// all are zero or not finite.
inline void push_dense(const std::vector<double>& direction, AtomList& out) {
  // Only the direction matters; lengths near the ends of the float range are brought back to one.
  double largest = 0.0;
  for (const double x : direction)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  const double scale = largest > 1e12 || largest < 1e-12 ? 1.0 / largest : 1.0;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const auto weight = static_cast<float>(direction[j] * scale);
    if (weight == 0.0F || !std::isfinite(weight)) continue;
    out.ints.push_back(static_cast<std::int32_t>(j));
    out.weights.push_back(weight);
  }
  if (out.ints.size() > out.int_offsets.back()) out.close(AtomKind::sparse);
}

// delta_c = mu_c - mu_(1) for every class c present besides (1), the one with most weight. Under a
// regression criterion the two classes are the halves around the node's median response. A
// feature's mean is over the rows where it is not missing.
class MeanDifferenceSampler final : public Sampler {
 public:
  explicit MeanDifferenceSampler(int n_features)
      : n_features_(static_cast<std::size_t>(n_features)) {}

  void check(const Geometry& geometry) const override {
    require_features(static_cast<std::int64_t>(n_features_), geometry);
  }

  bool reads_node() const override { return true; }

  void draw(DrawContext& context, AtomList& out) const override {
    if (context.node == nullptr || context.attempt > 0) return;  // nothing new at a second attempt
    const NodeData& node = *context.node;
    std::vector<int> group;
    const int n_groups = assign_groups(node, group);
    std::vector<double> sums(static_cast<std::size_t>(n_groups) * n_features_, 0.0);
    std::vector<double> weights(sums.size(), 0.0),
        group_weight(static_cast<std::size_t>(n_groups), 0.0);
    std::vector<float> example(n_features_);
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      context.check_stop();
      node.read_row(node.rows[i], example.data());
      const double w = node.sample->weight[i];
      const auto g = static_cast<std::size_t>(group[i]);
      group_weight[g] += w;
      for (std::size_t j = 0; j < n_features_; ++j) {
        if (std::isnan(example[j])) continue;
        sums[g * n_features_ + j] += w * static_cast<double>(example[j]);
        weights[g * n_features_ + j] += w;
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c)
      sums[c] = weights[c] > 0.0 ? sums[c] / weights[c] : 0.0;
    const auto first = static_cast<std::size_t>(
        std::max_element(group_weight.begin(), group_weight.end()) - group_weight.begin());
    std::vector<double> delta(n_features_);
    for (std::size_t g = 0; g < group_weight.size(); ++g) {
      if (g == first || group_weight[g] == 0.0) continue;
      context.check_stop();
      for (std::size_t j = 0; j < n_features_; ++j)
        delta[j] = weights[g * n_features_ + j] > 0.0 && weights[first * n_features_ + j] > 0.0
                       ? sums[g * n_features_ + j] - sums[first * n_features_ + j]
                       : 0.0;
      push_dense(delta, out);
    }
  }

 private:
  // Classes of the first output, or 0 / 1 below and above the median of the first response.
  static int assign_groups(const NodeData& node, std::vector<int>& group) {
    const std::size_t m = node.rows.size(), outputs = node.sample->n_outputs;
    group.resize(m);
    if (node.target->is_classification()) {
      for (std::size_t i = 0; i < m; ++i) group[i] = node.sample->labels[i * outputs];
      return node.target->n_classes[0];
    }
    std::vector<std::pair<double, double>> sorted(m);  // response, weight
    for (std::size_t i = 0; i < m; ++i)
      sorted[i] = {node.sample->values[i * outputs], node.sample->weight[i]};
    std::sort(sorted.begin(), sorted.end());
    double below = 0.0;
    std::size_t r = 0;
    while (r + 1 < m && below + sorted[r].second < 0.5 * node.sample->total_weight)
      below += sorted[r++].second;
    const double median = sorted[r].first;
    // With many ties at the top the median is the largest response; the halves are then below and
    // at it.
    const bool above = sorted.back().first > median;
    for (std::size_t i = 0; i < m; ++i) {
      const double value = node.sample->values[i * outputs];
      group[i] = (above ? value > median : value >= median) ? 1 : 0;
    }
    return 2;
  }

  std::size_t n_features_;
};

}  // namespace mf
