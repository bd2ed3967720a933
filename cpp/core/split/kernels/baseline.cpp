// The kernels for any machine; CMakeLists.txt sets the flags of this file.
#include "split/kernels/variants.hpp"

#if 1
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace mf::kernels_baseline {
namespace {

#include "split/kernels/body.inc"

}  // namespace

const Kernels* table() {
  static const Kernels kernels{"baseline", bin_by_shift, bin_by_edges, count, cut_bins, cut_small};
  return &kernels;
}

}  // namespace mf::kernels_baseline
#else
namespace mf::kernels_baseline {
const Kernels* table() { return nullptr; }
}  // namespace mf::kernels_baseline
#endif
