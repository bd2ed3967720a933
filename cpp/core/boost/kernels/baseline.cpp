// The losses for any machine; CMakeLists.txt sets the flags of this file.
#include "base/portable_math.hpp"
#include "boost/derivative.hpp"
#include "boost/kernels/variants.hpp"

namespace mf::boost::losses_baseline {
namespace {

#include "boost/kernels/body.inc"

}  // namespace

const LossKernels* table() { return &kTable; }

}  // namespace mf::boost::losses_baseline
