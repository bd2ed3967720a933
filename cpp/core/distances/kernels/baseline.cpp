// Metrics for any machine.
#include <cfloat>
#include <cmath>
#include <cstring>
#include <utility>

#include "distances/kernels/variants.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mf::distances::baseline {
namespace {

#include "distances/kernels/body.inc"

}  // namespace

const MetricTable* table() { return &kTable; }

}  // namespace mf::distances::baseline
