// The kernels for any machine; CMakeLists.txt sets the flags of this file.
#include <cstring>
#include <limits>
#include <utility>

#include "base/bits.hpp"
#include "base/prefetch.hpp"
#include "split/kernels/variants.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mf::train::kernels_baseline {
namespace {

#include "split/kernels/body.inc"

}  // namespace

const Kernels* table() { return &kTable; }

}  // namespace mf::train::kernels_baseline
