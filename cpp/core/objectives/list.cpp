// All objectives, in the order in which they are listed for users.
#include "objectives/list.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace mf::train {

std::span<const std::shared_ptr<const Objective>> objectives() {
  static const auto all = std::to_array<std::shared_ptr<const Objective>>({
      gini(),
      entropy(),
      squared_error(),
      absolute_error(),
      poisson(),
      squared_distance(),
      second_order(),
      second_order_median(),
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
