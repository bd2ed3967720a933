// Metrics for machines with AVX-512; CMakeLists.txt sets the flags of this file.
#include <cfloat>
#include <cmath>
#include <cstring>
#include <utility>

#include "distances/kernels/variants.hpp"

#if defined(__AVX512BW__)
#include <immintrin.h>

namespace mf::distances::avx512 {
namespace {

#include "distances/kernels/body.inc"

}  // namespace

const MetricTable* table() { return &kTable; }

}  // namespace mf::distances::avx512
#else
namespace mf::distances::avx512 {
const MetricTable* table() { return nullptr; }
}  // namespace mf::distances::avx512
#endif
