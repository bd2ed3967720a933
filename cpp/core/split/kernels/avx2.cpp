// The kernels for machines with AVX2; CMakeLists.txt sets the flags of this file.
#include <cstring>
#include <limits>
#include <utility>

#include "base/bits.hpp"
#include "base/prefetch.hpp"
#include "split/kernels/variants.hpp"

#if defined(__AVX2__)
#include <immintrin.h>

namespace mf::train::kernels_avx2 {
namespace {

#include "split/kernels/body.inc"

}  // namespace

const Kernels* table() { return &kTable; }

}  // namespace mf::train::kernels_avx2
#else
namespace mf::train::kernels_avx2 {
const Kernels* table() { return nullptr; }
}  // namespace mf::train::kernels_avx2
#endif
