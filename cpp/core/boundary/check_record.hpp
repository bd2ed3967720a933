// What must hold for a stored forest before it is used.
#pragma once

#include <functional>

#include "boundary/record.hpp"

namespace mf::boundary {

// Throws std::invalid_argument if anything does not hold that the code relies on; `watch` throws
// when the call is to stop. Takes memory and time in proportion to the record.
void check_record(const Record& record, const Options& options, const std::function<void()>& watch);

}  // namespace mf::boundary
