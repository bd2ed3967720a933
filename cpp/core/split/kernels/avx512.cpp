// The kernels for machines with AVX-512; CMakeLists.txt sets the flags of this file.
#include "split/kernels/variants.hpp"

#if defined(__AVX512F__)
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace mf::kernels_avx512 {
namespace {

#include "split/kernels/body.inc"

}  // namespace

const Kernels* table() {
  static const Kernels kernels{"avx512", bin_by_shift, bin_by_edges, count, cut_bins, cut_small};
  return &kernels;
}

}  // namespace mf::kernels_avx512
#else
namespace mf::kernels_avx512 {
const Kernels* table() { return nullptr; }
}  // namespace mf::kernels_avx512
#endif
