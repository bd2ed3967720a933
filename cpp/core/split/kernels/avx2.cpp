// The kernels for machines with AVX2; CMakeLists.txt sets the flags of this file.
#include <cstring>

#include "split/kernels/variants.hpp"

#if defined(__AVX2__)
#include <immintrin.h>

namespace mf::kernels_avx2 {
namespace {

#include "split/kernels/body.inc"

}  // namespace

const Kernels* table() {
  static const Kernels kernels = kernels_named("avx2");
  return &kernels;
}

}  // namespace mf::kernels_avx2
#else
namespace mf::kernels_avx2 {
const Kernels* table() { return nullptr; }
}  // namespace mf::kernels_avx2
#endif
