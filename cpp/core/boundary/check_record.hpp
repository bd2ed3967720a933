// What must hold for a stored forest before it is used.
#pragma once

#include "base/interrupt.hpp"
#include "boundary/record.hpp"

namespace mf::boundary {

// Throws std::invalid_argument if the record lacks a property that the code relies on, or what
// check_interrupt() throws. Takes memory and time in proportion to the record.
void check_record(const Record& record, const Options& options,
                  const InterruptFunction& check_interrupt);

}  // namespace mf::boundary
