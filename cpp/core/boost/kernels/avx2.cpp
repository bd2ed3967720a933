// The losses for machines with AVX2; CMakeLists.txt sets the flags of this file.
#include "base/portable_math.hpp"
#include "boost/derivative.hpp"
#include "boost/kernels/variants.hpp"

#if defined(__AVX2__)
namespace mf::boost::losses_avx2 {
namespace {

#include "boost/kernels/body.inc"

}  // namespace

const LossKernels* table() { return &kTable; }

}  // namespace mf::boost::losses_avx2
#else
namespace mf::boost::losses_avx2 {
const LossKernels* table() { return nullptr; }
}  // namespace mf::boost::losses_avx2
#endif
