// Gini impurity: I = sum_k p_k (1 - p_k), averaged over outputs.
//
// The score of a split is -W_L I(S_L) - W_R I(S_R), where W I = (W^2 - sum_k c_k^2) / W: the weight
// of all pairs of different classes, by the weight. Rows may weigh a million times as much as
// others of the same node, and the gain of a split may then be a tiny share of the weight. So the
// difference of squares is taken exactly (whole weights), or avoided: sum_k c_k (c_1 + ... +
// c_{k-1}) is half of it. Rounding errors are then a share of the loss of the node, not of its
// weight.
//
// Squares are updated in O(1) per row. Whole weights have a search of their own, GiniFinder.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "objectives/class_counts.hpp"
#include "objectives/list.hpp"
#include "objectives/objective.hpp"
#include "split/criterion_finder.hpp"
#include "split/few_classes.hpp"
#include "split/gini_finder.hpp"

namespace mf::train {
namespace {

class Gini : public ClassCounts {
 public:
  explicit Gini(const Target& target) : ClassCounts(target) {}

  void start(const NodeSample& node) {
    count(node);
    exact_ = node.total_weight < kLargestExact && std::all_of(
                                                      node.weight.begin(), node.weight.end(),
                                                      [](double w) { return w == std::floor(w); });
    total_squares_.assign(n_outputs_, 0.0);
    for (std::size_t o = 0; o < n_outputs_; ++o)
      for (std::size_t k = offsets_[o]; k < offsets_[o + 1]; ++k)
        total_squares_[o] += total_[k] * total_[k];
  }

  void reset() {
    reset_counts();
    left_squares_.assign(n_outputs_, 0.0);
    right_squares_ = total_squares_;
  }

  void move_left(std::size_t i) {
    const double w = node_->weight[i];
    for (std::size_t o = 0; o < n_outputs_; ++o) move_class(o, slot(i, o), w);
    shift(w);
  }

  void move_bin_left(const double* bin) {
    double w = 0.0;
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      w = 0.0;
      for (std::size_t k = offsets_[o]; k < offsets_[o + 1]; ++k) {
        if (bin[k] == 0.0) continue;
        move_class(o, k, bin[k]);
        w += bin[k];
      }
    }
    shift(w);
  }

  double score() const {
    return -loss_of(left_, left_squares_, left_weight_) -
           loss_of(right_, right_squares_, right_weight_);
  }
  double node_score() const { return -loss_of(total_, total_squares_, node_->total_weight); }
  double loss() const { return -node_score(); }
  double scale() const { return loss(); }
  // Both children pure: no other split can be better.
  bool perfect(double score) const { return score >= 0.0; }

 private:
  void move_class(std::size_t o, std::size_t k, double w) {
    left_squares_[o] += w * (2.0 * left_[k] + w);
    left_[k] += w;
    right_squares_[o] -= w * (2.0 * right_[k] - w);
    right_[k] -= w;
  }
  void shift(double w) {
    left_weight_ += w;
    right_weight_ -= w;
  }
  // W I of one side, the average over outputs.
  double loss_of(const std::vector<double>& counts, const std::vector<double>& squares,
                 double weight) const {
    const double pairs = exact_ ? pairs_by_squares(squares, weight) : pairs_by_classes(counts);
    return pairs / (weight * static_cast<double>(n_outputs_));
  }
  static double pairs_by_squares(const std::vector<double>& squares, double weight) {
    double pairs = 0.0;
    for (const double s : squares) pairs += weight * weight - s;
    return pairs;
  }
  double pairs_by_classes(const std::vector<double>& counts) const {
    double pairs = 0.0;
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      double before = 0.0;
      for (std::size_t k = offsets_[o]; k < offsets_[o + 1]; ++k) {
        pairs += counts[k] * before;
        before += counts[k];
      }
    }
    return 2.0 * pairs;
  }

  static constexpr double kLargestExact = 0x1.0p26;  // squares of sums stay below 2^53

  bool exact_ = true;
  std::vector<double> total_squares_, left_squares_, right_squares_;  // per output
};

class GiniObjective final : public ClassObjective {
 public:
  std::vector<std::string_view> names() const override { return {"gini"}; }

  std::unique_ptr<SplitFinder> finder(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    auto general = std::make_unique<CriterionFinder<Gini>>(Gini(target), rules, splitter);
    if (target.n_outputs > 1 || target.n_classes[0] > GiniFinder::kMaxClasses) return general;
    return std::make_unique<GiniFinder>(rules, splitter, std::move(general));
  }
  // Thresholds that are drawn; all of them are tried in codes, of which there are no columns here.
  std::unique_ptr<FewNodes> few_nodes(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    if (target.n_outputs > 1 || splitter != SplitterKind::random) return nullptr;
    const auto n_classes = static_cast<std::size_t>(target.n_classes[0]);
    if (n_classes > FewClasses::kMaxClasses) return nullptr;
    return std::make_unique<FewNodesOf<FewClasses>>(FewClasses(n_classes, rules), true);
  }
  // Values that share a code cannot be told apart where every threshold counts, and a threshold
  // that is drawn would have to be found among the codes.
  bool prefers_codes(SplitterKind splitter) const override {
    return splitter == SplitterKind::automatic || splitter == SplitterKind::histogram;
  }
};

}  // namespace

std::shared_ptr<const Objective> gini() { return std::make_shared<GiniObjective>(); }

}  // namespace mf::train
