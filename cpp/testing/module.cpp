// Single stages of the core, so that each can be tested on its own. Only tests need this module: it
// is built with -DMANIFOLDFOREST_TESTING=ON and is no part of a wheel.
#include "bind.hpp"
#include "stages.hpp"

NB_MODULE(_testing, m) {
  // Arguments such as samplers have types that _core binds.
  nanobind::module_::import_("manifoldforest._core");
  m.doc() = "Single stages of the C++ core, for tests.";
  mf::bindings::stage_atoms(m);
  mf::bindings::stage_projections(m);
  mf::bindings::stage_codes(m);
  mf::bindings::stage_groups(m);
  mf::bindings::stage_splits(m);
  mf::bindings::stage_blocks(m);
  mf::bindings::stage_random(m);
  mf::bindings::stage_boundary(m);
  mf::bindings::stage_math(m);
  mf::bindings::stage_losses(m);
  mf::bindings::stage_gradients(m);
  // This module holds a copy of the core of its own, which chooses its instruction set for itself.
  mf::bindings::bind_kernels(m);
}
