// What must hold for a stored forest before it is used.
#pragma once

#include <functional>

#include "boundary/forest.hpp"

namespace mf {

// Throws std::invalid_argument if anything does not hold that the code relies on; `watch` throws
// when somebody wants to stop. Takes memory and time in proportion to the record.
void check_record(const BoundaryRecord& record, const BoundaryOptions& options,
                  const std::function<void()>& watch);

}  // namespace mf
