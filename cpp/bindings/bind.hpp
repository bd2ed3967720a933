// One bind_* function per stage; module.cpp calls them.
#pragma once

#include "arrays.hpp"

namespace mf::bindings {

void bind_geometry(nb::module_& m);
void bind_projections(nb::module_& m);
void bind_objectives(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_boost(nb::module_& m);
void bind_predict(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_boundary(nb::module_& m);
void bind_metrics(nb::module_& m);

}  // namespace mf::bindings
