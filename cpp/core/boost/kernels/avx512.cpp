// The losses for machines with AVX-512; CMakeLists.txt sets the flags of this file.
#include "base/portable_math.hpp"
#include "boost/derivative.hpp"
#include "boost/kernels/variants.hpp"

#if defined(__AVX512F__)
namespace mf::boost::losses_avx512 {
namespace {

#include "boost/kernels/body.inc"

}  // namespace

const LossKernels* table() { return &kTable; }

}  // namespace mf::boost::losses_avx512
#else
namespace mf::boost::losses_avx512 {
const LossKernels* table() { return nullptr; }
}  // namespace mf::boost::losses_avx512
#endif
