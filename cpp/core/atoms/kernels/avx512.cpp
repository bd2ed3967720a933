// The product for machines with AVX-512; CMakeLists.txt sets the flags of this file.
#include <cstring>

#include "atoms/kernels/variants.hpp"
#include "base/inlining.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace mf::rotation_avx512 {
namespace {

#include "atoms/kernels/body.inc"

}  // namespace

const RotationKernels* table() { return &kTable; }

}  // namespace mf::rotation_avx512
#else
namespace mf::rotation_avx512 {
const RotationKernels* table() { return nullptr; }
}  // namespace mf::rotation_avx512
#endif
