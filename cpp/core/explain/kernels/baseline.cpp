// The walk for any machine.
#include <algorithm>
#include <cstring>

#include "base/inlining.hpp"
#include "explain/kernels/variants.hpp"

namespace mf::explain::kernels_baseline {
namespace {

#include "explain/kernels/body.inc"

}  // namespace

const Kernels* table() { return &kTable; }

}  // namespace mf::explain::kernels_baseline
