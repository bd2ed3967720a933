// The variants of all metrics; a table is null if it was not compiled.
#pragma once

#include <type_traits>

#include "distances/metric.hpp"

namespace mf::distances {

// All metrics, compiled for one instruction set.
struct MetricTable {
  const Metric* metrics;
  std::size_t n;
};

namespace baseline {
const MetricTable* table();
}
namespace avx2 {
const MetricTable* table();
}
namespace avx512 {
const MetricTable* table();
}
namespace avx512vnni {
const MetricTable* table();
}

}  // namespace mf::distances
