// The product for machines with AVX2; CMakeLists.txt sets the flags of this file.
#include <cstring>

#include "atoms/kernels/variants.hpp"
#include "base/inlining.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

namespace mf::rotation_avx2 {
namespace {

#include "atoms/kernels/body.inc"

}  // namespace

const RotationKernels* table() { return &kTable; }

}  // namespace mf::rotation_avx2
#else
namespace mf::rotation_avx2 {
const RotationKernels* table() { return nullptr; }
}  // namespace mf::rotation_avx2
#endif
