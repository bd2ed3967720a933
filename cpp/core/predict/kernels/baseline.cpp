// The kernels for any machine.
#include <cstring>

#include "base/inlining.hpp"
#include "predict/kernels/variants.hpp"

namespace mf::predict::kernels_baseline {
namespace {

#include "predict/kernels/body.inc"

}  // namespace

const Kernels* table() { return &kTable; }

}  // namespace mf::predict::kernels_baseline
