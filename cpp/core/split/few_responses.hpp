// Squared error of one output in nodes of few rows (few_nodes.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "split/centred.hpp"
#include "split/few_nodes.hpp"

namespace mf::train {

// All numbers are those of RegressionFinder and Means, bit for bit.
class FewResponses {
 public:
  FewResponses(const Target& target, const SplitRules& rules, bool draws_thresholds)
      : target_(target), rules_(rules), step_(draws_thresholds ? 1 : 2) {}

  // Weights that are not counts must be of a usual size, with no limit on counts.
  bool take(std::span<const Row> rows, const RowSamples& samples, double min_child_weight) {
    counted_ = !samples.responses.empty();
    limited_ = rules_.min_samples_leaf > 1 || rules_.min_balance > 0.0;
    min_child_weight_ =
        std::max(up_to_rounding(min_child_weight), std::numeric_limits<double>::min());
    if (!counted_ && limited_) return false;
    unit_ = counted_;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      Taken& taken = rows_[i];
      if (counted_) {
        taken = {samples.responses[row].value, 0.0, samples.responses[row].count};
        taken.weight = static_cast<double>(taken.count);
        unit_ = unit_ && taken.count == 1;
      } else {
        taken = {target_.values[row], samples.weight[row], samples.count[row]};
        if (!(taken.weight > kSmallestWeight && taken.weight < kLargestWeight)) return false;
      }
    }
    if (unit_) weight_.fill(1.0);
    return true;
  }

  void add(std::size_t number, std::size_t i) {
    values_[i] = rows_[number].value;
    if (unit_) return;
    weight_[i] = rows_[number].weight;
    count_[i] = rows_[number].count;
  }

  FewNodes::Opened open(RowSet /*rows*/, std::size_t n, double* value) {
    std::int64_t count = static_cast<std::int64_t>(n);
    total_ = static_cast<double>(n);
    if (!unit_) {
      count = 0;
      total_ = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        count += count_[i];
        total_ += weight_[i];
      }
    }
    least_ = min_child_weight_;
    if (counted_)
      least_ = std::max(least_, limited_ ? static_cast<double>(rules_.min_child(count)) : 1.0);
    const double base = values_[0];
    double sum = 0.0;
    bool pure = true;
    for (std::size_t i = 0; i < n; ++i) {
      sum += weight_[i] * (values_[i] - base);
      pure = pure && values_[i] == base;
    }
    value[0] = base + sum / total_;
    return {total_, count, pure};
  }

  double open_row(std::size_t number, double* value) const {
    value[0] = rows_[number].value + 0.0;  // the sum that open() makes: never -0
    return rows_[number].weight;
  }

  FewRules start_search(std::size_t n) {
    const Centred centred =
        centre_responses(values_.data(), weight_.data(), n, total_, step_, centred_.data());
    const double tolerance = kScoreNoise * centred.loss;
    const double largest = n <= kMaxDivided ? best_division(values_.data(), weight_.data(), n,
                                                            total_, step_, centred_.data())
                                            : centred.loss;
    return {0.0, tolerance, largest - tolerance};
  }

  // Sums are added in the order of the kernels.
  double score(std::uint64_t left, std::size_t n) const {
    double sums[4] = {}, weights[4] = {};
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_left = (left >> i & 1) != 0;
      sums[i] = is_left ? centred_[i * step_] : 0.0;
      weights[i] = is_left ? weight_[i] : 0.0;
    }
    const double sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    const double weight = (weights[0] + weights[2]) + (weights[1] + weights[3]);
    const double other = total_ - weight;
    if (!(weight >= least_ && other >= least_)) return kNoSplitYet;
    return sum * sum * (total_ / (weight * other));
  }

  FewCut cut(const Kernels& kernels, const FewRows& node, const FewCandidates& candidates,
             const FewRules& rules) const {
    if (step_ == 1)
      return kernels.draw_few_responses(
          node, candidates, rules,
          {centred_.data(), unit_ ? nullptr : weight_.data(), total_, least_});
    return kernels.cut_few_ranks(node, candidates, rules, {centred_.data(), node.n, step_}, total_,
                                 least_);
  }

 private:
  // Products of weights, and their quotients, neither overflow nor vanish in between: within the
  // limits of RegressionFinder also when 64 are added up.
  static constexpr double kSmallestWeight = 1e-100, kLargestWeight = 1e98;

  struct Taken {
    double value = 0.0;
    double weight = 0.0;
    std::int32_t count = 0;
  };

  const Target& target_;
  const SplitRules rules_;
  const std::size_t step_;  // numbers per row of centred_: with the weight where all cuts are tried

  // The subtree.
  std::array<Taken, FewRows::kMost> rows_;
  bool counted_ = false;  // rows weigh as much as they count
  bool limited_ = false;  // by how many rows a child has
  bool unit_ = false;     // all rows count once
  double min_child_weight_ = 0.0;

  // The node.
  std::array<double, FewRows::kMost> values_, weight_;
  std::array<std::int32_t, FewRows::kMost> count_;
  std::array<double, 2 * FewRows::kMost> centred_;
  double total_ = 0.0, least_ = 0.0;
};

}  // namespace mf::train
