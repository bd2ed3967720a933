// Absolute error: I = mean absolute deviation from the weighted median, averaged over outputs.
//
// Each side keeps its rows in a Fenwick tree over the ranks of the responses, so that moving a row
// and finding the new median cost O(log rows).
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "data/samples.hpp"
#include "objectives/list.hpp"
#include "objectives/objective.hpp"
#include "split/criterion_finder.hpp"

namespace mf::train {
namespace {

// Weights and weighted sums by rank, with prefix search.
class RankTree {
 public:
  void clear(std::size_t n_ranks) {
    weight_.assign(n_ranks + 1, 0.0);
    sum_.assign(n_ranks + 1, 0.0);
    total_weight_ = total_sum_ = 0.0;
    top_ = 1;
    while (top_ * 2 <= n_ranks) top_ *= 2;
  }
  void add(std::size_t rank, double weight, double value) {
    total_weight_ += weight;
    total_sum_ += weight * value;
    for (std::size_t i = rank + 1; i < weight_.size(); i += i & (~i + 1)) {
      weight_[i] += weight;
      sum_[i] += weight * value;
    }
  }
  double total_weight() const { return total_weight_; }
  // Sum of |value - median| over what is in the tree.
  double loss(const std::vector<double>& value_of_rank) const {
    std::size_t below = 0;  // ranks whose total weight is still under one half
    double weight_below = 0.0, sum_below = 0.0;
    for (std::size_t step = top_; step > 0; step /= 2) {
      const std::size_t next = below + step;
      if (next >= weight_.size() || weight_below + weight_[next] >= 0.5 * total_weight_) continue;
      below = next;
      weight_below += weight_[next];
      sum_below += sum_[next];
    }
    const double median = value_of_rank[std::min(below, value_of_rank.size() - 1)];
    const double lower = median * weight_below - sum_below;
    const double upper = (total_sum_ - sum_below) - median * (total_weight_ - weight_below);
    return lower + upper;
  }

 private:
  std::vector<double> weight_, sum_;
  double total_weight_ = 0.0, total_sum_ = 0.0;
  std::size_t top_ = 1;
};

class AbsoluteError {
 public:
  static constexpr bool kAdditive = false;

  explicit AbsoluteError(const Target& target) : outputs_(target.n_outputs) {}

  void start(const NodeSample& node) {
    node_ = &node;
    pure_ = true;
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      rank_output(o);
      if (outputs_[o].values.size() > 1) pure_ = false;
    }
    reset();
    node_score_ = score();
  }

  bool pure() const { return pure_; }
  double loss() const { return -node_score_; }
  double scale() const { return loss(); }
  double left_weight() const { return outputs_[0].left.total_weight(); }

  void reset() {
    for (Output& output : outputs_) {
      output.left.clear(output.values.size());
      output.right.clear(output.values.size());
      for (std::size_t i = 0; i < node_->size(); ++i)
        output.right.add(output.rank[i], node_->weight[i], output.values[output.rank[i]]);
    }
  }

  void move_left(std::size_t i) {
    for (Output& output : outputs_) {
      const double value = output.values[output.rank[i]];
      output.left.add(output.rank[i], node_->weight[i], value);
      output.right.add(output.rank[i], -node_->weight[i], value);
    }
  }

  double score() const {
    double loss = 0.0;
    for (const Output& output : outputs_)
      loss += output.left.loss(output.values) + output.right.loss(output.values);
    return -loss / static_cast<double>(outputs_.size());
  }
  double node_score() const { return node_score_; }
  bool perfect(double) const { return false; }

 private:
  struct Output {
    std::vector<std::uint32_t> rank;  // of each row
    std::vector<double> values;       // distinct responses, ascending
    RankTree left, right;
  };

  void rank_output(std::size_t o) {
    Output& output = outputs_[o];
    const std::size_t m = node_->size();
    auto value = [&](std::size_t i) { return node_->values[i * outputs_.size() + o]; };
    order_.resize(m);
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return value(a) < value(b) || (value(a) == value(b) && a < b);
    });
    output.rank.resize(m);
    output.values.clear();
    for (const std::uint32_t i : order_) {
      if (output.values.empty() || value(i) != output.values.back())
        output.values.push_back(value(i));
      output.rank[i] = static_cast<std::uint32_t>(output.values.size() - 1);
    }
    // Centred on a middle response, which changes no deviation and saves digits.
    const double middle = output.values[output.values.size() / 2];
    for (double& v : output.values) v -= middle;
  }

  std::vector<Output> outputs_;
  const NodeSample* node_ = nullptr;
  std::vector<std::uint32_t> order_;
  double node_score_ = 0.0;
  bool pure_ = false;
};

class AbsoluteErrorObjective final : public NumberObjective {
 public:
  std::vector<std::string_view> names() const override { return {"absolute_error"}; }
  int power() const override { return 1; }

  std::unique_ptr<SplitFinder> finder(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    return std::make_unique<CriterionFinder<AbsoluteError>>(AbsoluteError(target), rules, splitter);
  }
  std::unique_ptr<LeafSummary> leaf(const Target& target) const override {
    return std::make_unique<Medians>(target);
  }
};

}  // namespace

std::shared_ptr<const Objective> absolute_error() {
  return std::make_shared<AbsoluteErrorObjective>();
}

}  // namespace mf::train
