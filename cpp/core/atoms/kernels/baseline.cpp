// The product for any machine.
#include <cstring>

#include "atoms/kernels/variants.hpp"
#include "base/inlining.hpp"

namespace mf::rotation_baseline {
namespace {

#include "atoms/kernels/body.inc"

}  // namespace

const RotationKernels* table() { return &kTable; }

}  // namespace mf::rotation_baseline
