// Squared distance: I = Frechet variance, sum_ij w_i w_j D2_ij / (2 W^2), of responses on a
// manifold, of which coordinates, or squared distances, or both are known.
//
// Coordinates are searched as squared errors: their variance is the sum over outputs, and those of
// negative directions of a pseudo-Euclidean space count negatively, D2_ij = sum_k s_k (z_ik -
// z_jk)^2.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "objectives/list.hpp"
#include "objectives/objective.hpp"
#include "objectives/squared_error.hpp"
#include "split/criterion_finder.hpp"
#include "split/distance_finder.hpp"

namespace mf::train {
namespace {

// The value of a node whose rows have only distances: there is no mean.
class Zero final : public LeafSummary {
 public:
  Zero() : LeafSummary(1) {}
  void summarise(const NodeSample&, double* value) override { value[0] = 0.0; }
};

class SquaredDistanceObjective final : public Objective {
 public:
  std::vector<std::string_view> names() const override { return {"squared_distance"}; }
  std::string_view view() const override { return kPoints; }
  int power() const override { return 2; }

  void check(const Target& target) const override {
    if (target.labels != nullptr) throw std::invalid_argument("classes have no distances");
    if (target.values == nullptr && target.squared_distances == nullptr)
      throw std::invalid_argument("y must have coordinates or squared_distances");
  }

  std::unique_ptr<SplitFinder> finder(const Target& target, const SplitRules& rules,
                                      SplitterKind splitter) const override {
    std::unique_ptr<SplitFinder> points;
    // Beside distances, coordinates without signs are no embedding: they serve directions that are
    // derived from the node.
    if (target.squared_distances == nullptr || !target.signs.empty())
      points = std::make_unique<CriterionFinder<SquaredError>>(
          SquaredError(target.n_outputs, 1.0, target.signs), rules, splitter);
    if (target.squared_distances == nullptr) return points;
    return std::make_unique<DistanceFinder>(target, rules, splitter, std::move(points));
  }

  // Only the partition counts; the mean of the first coordinate is kept for inspection.
  std::unique_ptr<LeafSummary> leaf(const Target& target) const override {
    if (target.values == nullptr) return std::make_unique<Zero>();
    return std::make_unique<Means>(target, 1);
  }
};

}  // namespace

std::shared_ptr<const Objective> squared_distance() {
  return std::make_shared<SquaredDistanceObjective>();
}

}  // namespace mf::train
