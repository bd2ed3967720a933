// Entropy: I = -sum_k p_k log p_k, averaged over outputs.
//
// W I = W log W - sum_k c_k log c_k. The c log c of every class are kept and added up afresh at
// each threshold, so that equal counts always give equal scores, whichever way they were reached.
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "objectives/class_counts.hpp"
#include "objectives/list.hpp"
#include "objectives/objective.hpp"
#include "split/criterion_finder.hpp"

namespace mf::train {
namespace {

class Entropy : public ClassCounts {
 public:
  explicit Entropy(const Target& target) : ClassCounts(target) {}

  void start(const NodeSample& node) {
    count(node);
    total_terms_.resize(total_.size());
    for (std::size_t k = 0; k < total_.size(); ++k) total_terms_[k] = x_log_x(total_[k]);
  }

  void reset() {
    reset_counts();
    left_terms_.assign(total_.size(), 0.0);
    right_terms_ = total_terms_;
  }

  void move_left(std::size_t i) {
    const double w = node_->weight[i];
    for (std::size_t o = 0; o < n_outputs_; ++o) move_class(slot(i, o), w);
    shift(w);
  }

  void move_bin_left(const double* bin) {
    double w = 0.0;
    for (std::size_t k = 0; k < total_.size(); ++k) {
      if (bin[k] == 0.0) continue;
      move_class(k, bin[k]);
      if (k < offsets_[1]) w += bin[k];
    }
    shift(w);
  }

  double score() const {
    return score_of(left_terms_, left_weight_) + score_of(right_terms_, right_weight_);
  }
  double node_score() const { return score_of(total_terms_, node_->total_weight); }
  double loss() const { return -node_score(); }
  bool perfect(double score) const { return score >= 0.0; }

 private:
  static double x_log_x(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

  void move_class(std::size_t k, double w) {
    left_[k] += w;
    right_[k] -= w;
    left_terms_[k] = x_log_x(left_[k]);
    right_terms_[k] = x_log_x(right_[k]);
  }
  void shift(double w) {
    left_weight_ += w;
    right_weight_ -= w;
  }
  double score_of(const std::vector<double>& terms, double weight) const {
    double sum = 0.0;
    for (const double t : terms) sum += t;
    return sum / static_cast<double>(n_outputs_) - x_log_x(weight);
  }

  std::vector<double> total_terms_, left_terms_, right_terms_;
};

// Users have it in bits, as in scikit-learn.
class EntropyObjective final : public ClassObjective {
 public:
  std::vector<std::string_view> names() const override { return {"entropy", "log_loss"}; }
  double gain_unit() const override { return std::numbers::ln2; }

  std::unique_ptr<SplitFinder> finder(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    return std::make_unique<CriterionFinder<Entropy>>(Entropy(target), rules, splitter);
  }
};

}  // namespace

std::shared_ptr<const Objective> entropy() { return std::make_shared<EntropyObjective>(); }

}  // namespace mf::train
