// The objectives of a round of boosting, whose target are derivatives of a loss.
//
// second_order    leaves make a Newton step: rate * factor_k * G_k / (H_k + l2), at most
//                 rate * max_step in size (no limit if that is 0)
// second_order_median    leaves take the weighted median of the residuals, times the rate
#include "objectives/second_order.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/prefetch.hpp"
#include "objectives/list.hpp"
#include "objectives/objective.hpp"
#include "split/code_search.hpp"
#include "split/criterion_finder.hpp"
#include "split/gradient_finder.hpp"

namespace mf::train {
namespace {

struct Step {
  double l2 = 1.0;
  double learning_rate = 0.1;
  double max_step = 0.0;
};

class NewtonSteps final : public LeafSummary {
 public:
  NewtonSteps(const Derivatives& derivatives, const Step& step)
      : LeafSummary(derivatives.n_scores), derivatives_(derivatives), step_(step) {}

  void summarise(const NodeSample& node, double* value) override {
    const std::size_t width = derivatives_.width();
    sums_.assign(width, 0.0);
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      const float* from = derivatives_.rows + static_cast<std::size_t>(node.rows[i]) * width;
      const double weight = node.weight[i];
      for (std::size_t k = 0; k < width; ++k) sums_[k] += weight * static_cast<double>(from[k]);
    }
    from_sums(sums_.data(), value);
  }
  double summarise_rows(std::span<const Row> rows, const RowSamples& samples,
                        double* value) override {
    const double total = samples.unit_weights ? add_rows(rows) : add_weighted_rows(rows, samples);
    from_sums(sums_.data(), value);
    return total;
  }
  std::size_t n_sums() const override { return derivatives_.width(); }
  const double* sums() const override { return sums_.data(); }
  void from_sums(const double* sums, double* value) const override {
    for (std::size_t k = 0; k < derivatives_.n_scores; ++k) {
      const std::size_t h = derivatives_.n_scores + (derivatives_.n_hessians == 1 ? 0 : k);
      const double divisor = sums[h] + step_.l2;
      double step = divisor > 0.0 ? derivatives_.factors[k] * sums[k] / divisor : 0.0;
      if (step_.max_step > 0.0) step = std::clamp(step, -step_.max_step, step_.max_step);
      value[k] = step_.learning_rate * step;
    }
  }

 private:
  static constexpr std::size_t kAhead = 16;  // rows that are fetched before they are read

  // Sums over rows, in their order. Both return what the rows weigh.
  double add_weighted_rows(std::span<const Row> rows, const RowSamples& samples) {
    const std::size_t width = derivatives_.width();
    sums_.assign(width, 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + kAhead < rows.size()) {
        const auto ahead = static_cast<std::size_t>(rows[i + kAhead]);
        prefetch(derivatives_.rows + ahead * width);
        prefetch(&samples.weight[ahead]);
      }
      const auto row = static_cast<std::size_t>(rows[i]);
      const float* from = derivatives_.rows + row * width;
      const double weight = samples.weight[row];
      total += weight;
      for (std::size_t k = 0; k < width; ++k) sums_[k] += weight * static_cast<double>(from[k]);
    }
    return total;
  }
  double add_rows(std::span<const Row> rows) {
    const std::size_t width = derivatives_.width();
    sums_.assign(width, 0.0);
    if (width == 2)
      add_pairs(rows);
    else
      for (std::size_t i = 0; i < rows.size(); ++i) {
        fetch_ahead(rows, i);
        const float* from = derivatives_.rows + static_cast<std::size_t>(rows[i]) * width;
        for (std::size_t k = 0; k < width; ++k) sums_[k] += static_cast<double>(from[k]);
      }
    return static_cast<double>(rows.size());
  }
  // Of one score, in registers.
  void add_pairs(std::span<const Row> rows) {
    double gradient = 0.0, hessian = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      fetch_ahead(rows, i);
      const float* from = derivatives_.rows + static_cast<std::size_t>(rows[i]) * 2;
      gradient += static_cast<double>(from[0]);
      hessian += static_cast<double>(from[1]);
    }
    sums_[0] = gradient;
    sums_[1] = hessian;
  }
  void fetch_ahead(std::span<const Row> rows, std::size_t i) const {
    if (i + kAhead < rows.size())
      prefetch(derivatives_.rows +
               static_cast<std::size_t>(rows[i + kAhead]) * derivatives_.width());
  }

  const Derivatives& derivatives_;
  const Step step_;
  std::vector<double> sums_;
};

class MedianSteps final : public LeafSummary {
 public:
  MedianSteps(const Target& target, double learning_rate)
      : LeafSummary(target.n_outputs), medians_(target), learning_rate_(learning_rate) {}

  void summarise(const NodeSample& node, double* value) override {
    medians_.summarise(node, value);
    for (std::size_t k = 0; k < value_width(); ++k) value[k] *= learning_rate_;
  }

 private:
  Medians medians_;
  const double learning_rate_;
};

class SecondOrderObjective final : public Objective {
 public:
  SecondOrderObjective(bool medians, const Step& step) : medians_(medians), step_(step) {}

  std::vector<std::string_view> names() const override {
    return {medians_ ? "second_order_median" : "second_order"};
  }
  std::string_view view() const override { return kDerivatives; }
  int power() const override { return 2; }

  void check(const Target& target) const override {
    if (target.derivatives == nullptr)
      throw std::invalid_argument("the criterion " + name() + " learns derivatives of a loss only");
    if (medians_ && target.values == nullptr)
      throw std::invalid_argument("the criterion " + name() + " needs residuals");
  }

  std::unique_ptr<SplitFinder> finder(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    auto general = std::make_unique<CriterionFinder<SecondOrder>>(
        SecondOrder(*target.derivatives, step_.l2), rules, splitter);
    return std::make_unique<GradientFinder>(*target.derivatives, step_.l2, rules, splitter,
                                            std::move(general));
  }
  std::unique_ptr<CodeSearch> code_search(const Target& target, const SplitRules& rules,
                                          SplitterKind splitter) const override {
    const bool by_bins = splitter == SplitterKind::automatic || splitter == SplitterKind::histogram;
    if (!by_bins || target.derivatives->n_searched > GradientFinder::kMaxGradients) return nullptr;
    return std::make_unique<CodeSearch>(*target.derivatives, step_.l2, rules);
  }
  std::unique_ptr<LeafSummary> leaf(const Target& target) const override {
    if (medians_) return std::make_unique<MedianSteps>(target, step_.learning_rate);
    return std::make_unique<NewtonSteps>(*target.derivatives, step_);
  }

  std::shared_ptr<const Objective> with(const Parameters& parameters) const override {
    Step step = step_;
    for (const auto& [key, number] : parameters) {
      if (key == "l2")
        step.l2 = number;
      else if (key == "learning_rate")
        step.learning_rate = number;
      else if (key == "max_step")
        step.max_step = number;
      else
        return Objective::with({{key, number}});
      if (!(number >= 0.0 && std::isfinite(number)))
        throw std::invalid_argument(key + " must be a finite number of at least 0");
    }
    return std::make_shared<SecondOrderObjective>(medians_, step);
  }

 private:
  const bool medians_;
  const Step step_;
};

}  // namespace

std::shared_ptr<const Objective> second_order() {
  return std::make_shared<SecondOrderObjective>(false, Step{});
}
std::shared_ptr<const Objective> second_order_median() {
  return std::make_shared<SecondOrderObjective>(true, Step{});
}

}  // namespace mf::train
