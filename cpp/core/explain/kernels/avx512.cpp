// The walk for machines with AVX-512; CMakeLists.txt sets the flags of this file.
#include <algorithm>
#include <cstring>

#include "base/inlining.hpp"
#include "explain/kernels/variants.hpp"

#if defined(__AVX512BW__)

namespace mf::explain::kernels_avx512 {
namespace {

#include "explain/kernels/body.inc"

}  // namespace

const Kernels* table() { return &kTable; }

}  // namespace mf::explain::kernels_avx512
#else
namespace mf::explain::kernels_avx512 {
const Kernels* table() { return nullptr; }
}  // namespace mf::explain::kernels_avx512
#endif
