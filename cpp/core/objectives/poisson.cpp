// Poisson deviance: I = mean of y log(y / m) over the rows, m their mean, averaged over outputs;
// that is half the deviance of a Poisson distribution. For responses of at least 0, such as counts.
//
// With r = m_S / m, the mean of a side by that of the node, the gain is the sum over both sides of
// W_S m (r log r - r + 1): the terms -r + 1 sum to zero over both sides, and make the part of each
// side at least 0 and as exact as r - 1 is. Responses are centred on the node's mean for that, as
// in squared_error.hpp. A moved row costs O(1), and two logarithms where its threshold is tried.
//
// A leaf with mean 0 would give later events probability 0. So no split may leave a child without
// events, as in scikit-learn. Of several outputs, one without events in the node is ignored,
// whereas scikit-learn then stops splitting.
#include <cmath>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/samples.hpp"
#include "objectives/list.hpp"
#include "objectives/objective.hpp"
#include "split/criterion_finder.hpp"

namespace mf::train {
namespace {

class PoissonDeviance {
 public:
  static constexpr bool kAdditive = true;

  explicit PoissonDeviance(std::size_t n_outputs) : n_outputs_(n_outputs) {}

  void start(const NodeSample& node) {
    node_ = &node;
    mean_.assign(n_outputs_, 0.0);
    n_events_.assign(n_outputs_, 0.0);
    all_equal_ = true;
    for (std::size_t i = 0; i < node.size(); ++i)
      for (std::size_t o = 0; o < n_outputs_; ++o) {
        const double value = node.values[i * n_outputs_ + o];
        mean_[o] += node.weight[i] * value;
        if (value > 0.0) n_events_[o] += 1.0;
        if (value != node.values[o]) all_equal_ = false;
      }
    for (double& mean : mean_) mean /= node.total_weight;
    weighted_.resize(node.size() * n_outputs_);
    total_.assign(n_outputs_, 0.0);
    loss_ = 0.0;
    for (std::size_t i = 0; i < node.size(); ++i)
      for (std::size_t o = 0; o < n_outputs_; ++o) {
        const double off_mean = node.values[i * n_outputs_ + o] - mean_[o];
        weighted_[i * n_outputs_ + o] = node.weight[i] * off_mean;
        total_[o] += weighted_[i * n_outputs_ + o];
        if (mean_[o] > 0.0) loss_ += node.weight[i] * mean_[o] * excess(off_mean / mean_[o]);
      }
    loss_ /= static_cast<double>(n_outputs_);
    node_score_ = 0.0;  // but for the rounding of the mean, which both sides have as well
    for (std::size_t o = 0; o < n_outputs_; ++o)
      if (mean_[o] > 0.0) node_score_ += gain_of_side(total_[o], node.total_weight, mean_[o]);
    node_score_ /= static_cast<double>(n_outputs_);
  }

  // Two children need two rows with events.
  bool pure() const {
    for (const double n : n_events_)
      if (n == 1.0) return true;
    return all_equal_;
  }
  double loss() const { return loss_; }
  double scale() const { return loss_; }
  double left_weight() const { return left_weight_; }

  void reset() {
    left_.assign(n_outputs_, 0.0);
    right_ = total_;
    left_events_.assign(n_outputs_, 0.0);
    left_weight_ = 0.0;
    right_weight_ = node_->total_weight;
  }

  void move_left(std::size_t i) {
    shift(node_->weight[i]);
    for (std::size_t o = 0; o < n_outputs_; ++o)
      move(o, weighted_[i * n_outputs_ + o], is_event(i, o));
  }

  // A bin holds its weight, and the sum and the number of events of each output.
  std::size_t bin_size() const { return 1 + 2 * n_outputs_; }
  void add_to_bin(double* bin, std::size_t i) const {
    bin[0] += node_->weight[i];
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      bin[1 + 2 * o] += weighted_[i * n_outputs_ + o];
      bin[2 + 2 * o] += is_event(i, o);
    }
  }
  void move_bin_left(const double* bin) {
    shift(bin[0]);
    for (std::size_t o = 0; o < n_outputs_; ++o) move(o, bin[1 + 2 * o], bin[2 + 2 * o]);
  }

  double score() const {
    double score = 0.0;
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      if (n_events_[o] == 0.0) continue;
      if (left_events_[o] == 0.0 || left_events_[o] == n_events_[o])
        return -std::numeric_limits<double>::infinity();
      score += gain_of_side(left_[o], left_weight_, mean_[o]) +
               gain_of_side(right_[o], right_weight_, mean_[o]);
    }
    return score / static_cast<double>(n_outputs_);
  }
  double node_score() const { return node_score_; }
  bool perfect(double) const { return false; }

 private:
  // (1 + d) log(1 + d) - d, which is at least 0; by its series where the difference would cancel.
  static double excess(double d) {
    if (std::abs(d) < 0.01) {
      double sum = 0.0;
      for (int k = 9; k >= 2; --k) sum = 1.0 / (k * (k - 1)) - d * sum;
      return d * d * sum;
    }
    const double ratio = 1.0 + d;
    return ratio > 0.0 ? ratio * std::log(ratio) - d : 1.0;
  }
  static double gain_of_side(double sum, double weight, double mean) {
    return weight * mean * excess(sum / (weight * mean));
  }
  double is_event(std::size_t i, std::size_t o) const {
    return node_->values[i * n_outputs_ + o] > 0.0 ? 1.0 : 0.0;
  }
  void shift(double w) {
    left_weight_ += w;
    right_weight_ -= w;
  }
  void move(std::size_t o, double sum, double n_events) {
    left_[o] += sum;
    right_[o] -= sum;
    left_events_[o] += n_events;
  }

  std::size_t n_outputs_;
  const NodeSample* node_ = nullptr;
  std::vector<double> weighted_;  // weight times centred response
  std::vector<double> mean_, total_, left_, right_;
  std::vector<double> n_events_, left_events_;  // rows with responses above 0, at most 2^31
  double left_weight_ = 0.0, right_weight_ = 0.0;
  double loss_ = 0.0;  // W I of the node
  double node_score_ = 0.0;
  bool all_equal_ = false;
};

class PoissonObjective final : public NumberObjective {
 public:
  std::vector<std::string_view> names() const override { return {"poisson"}; }
  int power() const override { return 1; }

  void check(const Target& target) const override {
    NumberObjective::check(target);
    bool some = false;
    for (std::size_t i = 0; i < target.n_rows * target.n_outputs; ++i) {
      if (!(target.values[i] >= 0.0)) {
        std::ostringstream message;
        message << "y must be at least 0 for the criterion poisson, got " << target.values[i];
        throw std::invalid_argument(message.str());
      }
      some = some || target.values[i] > 0.0;
    }
    if (!some)
      throw std::invalid_argument(
          "y must be above 0 somewhere for the criterion poisson, got nothing but 0");
  }

  std::unique_ptr<SplitFinder> finder(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    return std::make_unique<CriterionFinder<PoissonDeviance>>(PoissonDeviance(target.n_outputs),
                                                              rules, splitter);
  }
  std::unique_ptr<LeafSummary> leaf(const Target& target) const override {
    return std::make_unique<Means>(target);
  }
};

}  // namespace

std::shared_ptr<const Objective> poisson() { return std::make_shared<PoissonObjective>(); }

}  // namespace mf::train
