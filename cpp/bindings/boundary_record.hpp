// Stored boundary forests as Python keeps them: a dict of arrays.
#pragma once

#include "arrays.hpp"
#include "boundary/record.hpp"

namespace mf::bindings {

// All but the points themselves.
nb::dict to_dict(boundary::Record record);
boundary::Record to_record(const nb::dict& arrays);

}  // namespace mf::bindings
