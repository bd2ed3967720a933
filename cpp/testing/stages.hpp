// One stage_* function per file; module.cpp calls them.
#pragma once

#include "arrays.hpp"

namespace mf::bindings {

void stage_atoms(nb::module_& m);
void stage_projections(nb::module_& m);
void stage_codes(nb::module_& m);
void stage_groups(nb::module_& m);
void stage_splits(nb::module_& m);
void stage_blocks(nb::module_& m);
void stage_random(nb::module_& m);
void stage_boundary(nb::module_& m);
void stage_math(nb::module_& m);
void stage_losses(nb::module_& m);
void stage_gradients(nb::module_& m);

}  // namespace mf::bindings
