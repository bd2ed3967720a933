// One function for each objective, defined in the file of its name. They are compiled apart: what
// the compiler makes of the loops of one does not depend on others.
#pragma once

#include <memory>

#include "objectives/objective.hpp"

namespace mf::train {

std::shared_ptr<const Objective> gini();
std::shared_ptr<const Objective> entropy();
std::shared_ptr<const Objective> squared_error();
std::shared_ptr<const Objective> absolute_error();
std::shared_ptr<const Objective> poisson();
std::shared_ptr<const Objective> squared_distance();
std::shared_ptr<const Objective> second_order();
std::shared_ptr<const Objective> second_order_median();

}  // namespace mf::train
