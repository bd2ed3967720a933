#include "objectives/squared_error.hpp"

#include <memory>
#include <utility>

#include "objectives/list.hpp"
#include "objectives/objective.hpp"
#include "split/criterion_finder.hpp"
#include "split/few_responses.hpp"
#include "split/regression_finder.hpp"

namespace mf::train {
namespace {

class SquaredErrorObjective final : public NumberObjective {
 public:
  std::vector<std::string_view> names() const override { return {"squared_error"}; }
  int power() const override { return 2; }

  std::unique_ptr<SplitFinder> finder(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    SquaredError mean_over_outputs(target.n_outputs, static_cast<double>(target.n_outputs), {});
    auto general = std::make_unique<CriterionFinder<SquaredError>>(std::move(mean_over_outputs),
                                                                   rules, splitter);
    return std::make_unique<RegressionFinder>(target.n_outputs, rules, splitter,
                                              std::move(general));
  }
  std::unique_ptr<FewNodes> few_nodes(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    if (target.n_outputs > 1) return nullptr;
    const bool draws = splitter == SplitterKind::random;
    return std::make_unique<FewNodesOf<FewResponses>>(FewResponses(target, rules, draws), draws);
  }
  std::unique_ptr<LeafSummary> leaf(const Target& target) const override {
    return std::make_unique<Means>(target);
  }
};

}  // namespace

std::shared_ptr<const Objective> squared_error() {
  return std::make_shared<SquaredErrorObjective>();
}

}  // namespace mf::train
