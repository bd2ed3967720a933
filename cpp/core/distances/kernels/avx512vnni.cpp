// Metrics for machines with AVX-512 and its products of bytes; CMakeLists.txt sets the flags of
// this file.
#include <cfloat>
#include <cmath>
#include <cstring>
#include <utility>

#include "distances/kernels/variants.hpp"

#if defined(__AVX512VNNI__)
#include <immintrin.h>

namespace mf::distances::avx512vnni {
namespace {

#include "distances/kernels/body.inc"

}  // namespace

const MetricTable* table() { return &kTable; }

}  // namespace mf::distances::avx512vnni
#else
namespace mf::distances::avx512vnni {
const MetricTable* table() { return nullptr; }
}  // namespace mf::distances::avx512vnni
#endif
