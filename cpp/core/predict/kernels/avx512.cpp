// The kernels for machines with AVX-512; CMakeLists.txt sets the flags of this file.
#include <cstring>

#include "base/inlining.hpp"
#include "predict/kernels/variants.hpp"

#if defined(__AVX512BW__)

namespace mf::predict::kernels_avx512 {
namespace {

#include "predict/kernels/body.inc"

}  // namespace

const Kernels* table() { return &kTable; }

}  // namespace mf::predict::kernels_avx512
#else
namespace mf::predict::kernels_avx512 {
const Kernels* table() { return nullptr; }
}  // namespace mf::predict::kernels_avx512
#endif
