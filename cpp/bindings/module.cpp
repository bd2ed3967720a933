#include "bind.hpp"

NB_MODULE(_core, m) {
  // Objects that outlive the interpreter are the user's globals, not leaks worth a message.
  nanobind::set_leak_warnings(false);
  m.doc() = "The C++ core of manifoldforest. Everything here is private; see docs/architecture.md.";
  mf::bindings::bind_geometry(m);
  mf::bindings::bind_projections(m);
  mf::bindings::bind_objectives(m);
  mf::bindings::bind_forest(m);
  mf::bindings::bind_boost(m);
  mf::bindings::bind_predict(m);
  mf::bindings::bind_scores(m);
  mf::bindings::bind_kernels(m);
  mf::bindings::bind_boundary(m);
  mf::bindings::bind_metrics(m);
}
