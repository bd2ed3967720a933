// The kernels for machines with AVX-512; CMakeLists.txt sets the flags of this file.
#include <cstring>
#include <limits>
#include <utility>

#include "base/bits.hpp"
#include "base/prefetch.hpp"
#include "split/kernels/variants.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>

namespace mf::train::kernels_avx512 {
namespace {

#include "split/kernels/body.inc"

}  // namespace

const Kernels* table() { return &kTable; }

}  // namespace mf::train::kernels_avx512
#else
namespace mf::train::kernels_avx512 {
const Kernels* table() { return nullptr; }
}  // namespace mf::train::kernels_avx512
#endif
