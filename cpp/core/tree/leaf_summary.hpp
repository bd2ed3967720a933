// Leaf summaries: what a node says about its rows.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "data/samples.hpp"
#include "split/finder.hpp"

namespace mf::train {

class LeafSummary {
 public:
  explicit LeafSummary(const Target& target) : target_(target) {}
  virtual ~LeafSummary() = default;
  std::size_t block_size() const { return target_.block_size(); }
  // The value block of a node with at least one row.
  virtual void summarise(const NodeSample& node, double* block) = 0;

 protected:
  const Target& target_;
};

// Weighted class shares, all outputs side by side.
class ClassShares final : public LeafSummary {
 public:
  using LeafSummary::LeafSummary;
  void summarise(const NodeSample& node, double* block) override {
    if (!node.class_counts.empty()) {
      for (std::size_t k = 0; k < node.class_counts.size(); ++k)
        block[k] = node.class_counts[k] / node.total_weight;
      return;
    }
    std::fill(block, block + block_size(), 0.0);
    std::size_t offset = 0;
    for (std::size_t o = 0; o < target_.n_outputs; ++o) {
      for (std::size_t i = 0; i < node.size(); ++i)
        block[offset + static_cast<std::size_t>(node.labels[i * target_.n_outputs + o])] +=
            node.weight[i];
      const auto k = static_cast<std::size_t>(target_.n_classes[o]);
      for (std::size_t c = 0; c < k; ++c) block[offset + c] /= node.total_weight;
      offset += k;
    }
  }
};

// Weighted means; of coordinates the first one's.
class Means final : public LeafSummary {
 public:
  using LeafSummary::LeafSummary;
  void summarise(const NodeSample& node, double* block) override {
    for (std::size_t o = 0; o < block_size(); ++o) {
      // Around the first response, so that equal responses have exactly that mean.
      const double base = node.values[o];
      double sum = 0.0;
      for (std::size_t i = 0; i < node.size(); ++i)
        sum += node.weight[i] * (node.values[i * target_.n_outputs + o] - base);
      block[o] = base + sum / node.total_weight;
    }
  }
};

// Weighted medians; halfway between two values where both halves weigh the same.
class Medians final : public LeafSummary {
 public:
  using LeafSummary::LeafSummary;
  void summarise(const NodeSample& node, double* block) override {
    const std::size_t m = node.size();
    order_.resize(m);
    for (std::size_t o = 0; o < target_.n_outputs; ++o) {
      auto value = [&](std::size_t i) { return node.values[i * target_.n_outputs + o]; };
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      std::sort(order_.begin(), order_.end(),
                [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
      double below = 0.0;
      std::size_t r = 0;
      while (r + 1 < m && below + node.weight[order_[r]] < 0.5 * node.total_weight)
        below += node.weight[order_[r++]];
      const bool halfway = r + 1 < m && below + node.weight[order_[r]] == 0.5 * node.total_weight;
      block[o] = halfway ? 0.5 * (value(order_[r]) + value(order_[r + 1])) : value(order_[r]);
    }
  }

 private:
  std::vector<std::size_t> order_;
};

inline std::unique_ptr<LeafSummary> make_leaf_summary(CriterionKind criterion,
                                                      const Target& target) {
  if (target.is_classification()) return std::make_unique<ClassShares>(target);
  if (criterion == CriterionKind::absolute_error) return std::make_unique<Medians>(target);
  return std::make_unique<Means>(target);
}

}  // namespace mf::train
