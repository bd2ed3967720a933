// Leaf summaries: the value of a node, from the targets of its rows.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "data/class_weights.hpp"
#include "data/row_numbers.hpp"
#include "data/samples.hpp"
#include "data/target.hpp"

namespace mf::train {

class LeafSummary {
 public:
  explicit LeafSummary(std::size_t value_width) : value_width_(value_width) {}
  virtual ~LeafSummary() = default;
  // Numbers in the value of a node.
  std::size_t value_width() const { return value_width_; }
  // The value of a node with at least one row.
  virtual void summarise(const NodeSample& node, double* value) = 0;
  // The same of all rows that have weight, in their order, with the same bits. Returns false if it
  // takes a sample of them.
  virtual bool summarise_all(const Target& /*target*/, const RowNumbers<double>& /*weight*/,
                             double* /*value*/) {
    return false;
  }
  // Values that are made of sums over rows: how many, those of the last node, and the value of
  // sums. Sums of a node are those of its children together. 0 if there are none.
  virtual std::size_t n_sums() const { return 0; }
  virtual const double* sums() const { return nullptr; }
  virtual void from_sums(const double* /*sums*/, double* /*value*/) const {}
  // The same as summarise() without a sample of the node, if there are sums. Returns the weight.
  virtual double summarise_rows(std::span<const Row> /*rows*/, const RowSamples& /*samples*/,
                                double* /*value*/) {
    return 0.0;
  }

 private:
  std::size_t value_width_;
};

// Weighted class shares, all outputs side by side.
class ClassShares final : public LeafSummary {
 public:
  explicit ClassShares(const Target& target)
      : LeafSummary(
            std::accumulate(target.n_classes.begin(), target.n_classes.end(), std::size_t{0})),
        target_(target) {}

  void summarise(const NodeSample& node, double* value) override {
    if (!node.class_counts.empty()) {
      for (std::size_t k = 0; k < node.class_counts.size(); ++k)
        value[k] = node.class_counts[k] / node.total_weight;
      return;
    }
    std::fill(value, value + value_width(), 0.0);
    std::size_t offset = 0;
    for (std::size_t o = 0; o < target_.n_outputs; ++o) {
      for (std::size_t i = 0; i < node.size(); ++i)
        value[offset + static_cast<std::size_t>(node.labels[i * target_.n_outputs + o])] +=
            node.weight[i];
      const auto k = static_cast<std::size_t>(target_.n_classes[o]);
      for (std::size_t c = 0; c < k; ++c) value[offset + c] /= node.total_weight;
      offset += k;
    }
  }

  bool summarise_all(const Target& target, const RowNumbers<double>& weight,
                     double* value) override {
    const double total = sum_of(weight, target.n_rows);
    for (std::size_t o = 0; o < target.n_outputs; ++o)
      for (const double of_class : weights_of_classes(target, o, weight))
        *value++ = of_class / total;
    return true;
  }

 private:
  const Target& target_;
};

// Weighted means of the first outputs.
class Means final : public LeafSummary {
 public:
  explicit Means(const Target& target) : Means(target, target.n_outputs) {}
  Means(const Target& target, std::size_t n_first)
      : LeafSummary(n_first), n_outputs_(target.n_outputs) {}

  void summarise(const NodeSample& node, double* value) override {
    for (std::size_t o = 0; o < value_width(); ++o) {
      // Around the first response, so that equal responses have exactly that mean.
      const double base = node.values[o];
      double sum = 0.0;
      for (std::size_t i = 0; i < node.size(); ++i)
        sum += node.weight[i] * (node.values[i * n_outputs_ + o] - base);
      value[o] = base + sum / node.total_weight;
    }
  }

  bool summarise_all(const Target& target, const RowNumbers<double>& weight,
                     double* value) override {
    std::size_t first = 0;  // with a weight
    while (!(weight[first] > 0.0)) ++first;
    const double total = sum_of(weight, target.n_rows);
    for (std::size_t o = 0; o < value_width(); ++o) {
      const double base = target.values[first * n_outputs_ + o];
      double sum = 0.0;
      for (std::size_t i = first; i < target.n_rows; ++i)
        if (weight[i] > 0.0) sum += weight[i] * (target.values[i * n_outputs_ + o] - base);
      value[o] = base + sum / total;
    }
    return true;
  }

 private:
  std::size_t n_outputs_;
};

// Weighted medians; halfway between two values where both halves weigh the same.
class Medians final : public LeafSummary {
 public:
  explicit Medians(const Target& target)
      : LeafSummary(target.n_outputs), n_outputs_(target.n_outputs) {}

  void summarise(const NodeSample& node, double* value) override {
    const std::size_t m = node.size();
    order_.resize(m);
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      auto response = [&](std::size_t i) { return node.values[i * n_outputs_ + o]; };
      std::iota(order_.begin(), order_.end(), std::size_t{0});
      std::sort(order_.begin(), order_.end(),
                [&](std::size_t a, std::size_t b) { return response(a) < response(b); });
      double below = 0.0;
      std::size_t r = 0;
      while (r + 1 < m && below + node.weight[order_[r]] < 0.5 * node.total_weight)
        below += node.weight[order_[r++]];
      const bool halfway = r + 1 < m && below + node.weight[order_[r]] == 0.5 * node.total_weight;
      value[o] =
          halfway ? 0.5 * (response(order_[r]) + response(order_[r + 1])) : response(order_[r]);
    }
  }

 private:
  std::size_t n_outputs_;
  std::vector<std::size_t> order_;
};

}  // namespace mf::train
