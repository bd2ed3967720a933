// All objectives, in the order in which they are listed for users.
#include <algorithm>
#include <array>
#include <stdexcept>

#include "objectives/absolute_error.hpp"
#include "objectives/entropy.hpp"
#include "objectives/gini.hpp"
#include "objectives/objective.hpp"
#include "objectives/poisson.hpp"
#include "objectives/squared_distance.hpp"
#include "objectives/squared_error.hpp"

namespace mf::train {

std::span<const std::shared_ptr<const Objective>> objectives() {
  static const auto all = std::to_array<std::shared_ptr<const Objective>>({
      std::make_shared<GiniObjective>(),
      std::make_shared<EntropyObjective>(),
      std::make_shared<SquaredErrorObjective>(),
      std::make_shared<AbsoluteErrorObjective>(),
      std::make_shared<PoissonObjective>(),
      std::make_shared<SquaredDistanceObjective>(),
  });
  return all;
}

std::shared_ptr<const Objective> find_objective(std::string_view name,
                                                const Parameters& parameters) {
  for (const auto& objective : objectives()) {
    const auto names = objective->names();
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    return parameters.empty() ? objective : objective->with(parameters);
  }
  throw std::invalid_argument("unknown criterion " + std::string(name));
}

}  // namespace mf::train
