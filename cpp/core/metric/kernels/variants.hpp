// The variants of the distance kernels; a table is null where the compiler was not asked for it.
#pragma once

#include <array>
#include <type_traits>

#include "metric/metric.hpp"

namespace mf::metric {

constexpr std::size_t kMetrics = 6;

// Functions in the order of MetricKind.
struct MetricKernels {
  std::array<RankRows, kMetrics> rows;
  std::array<RankTile, kMetrics> tiles;
};

// By the types of queries and rows.
struct DistanceKernels {
  MetricKernels bytes, floats, doubles, doubles_to_floats;
};

namespace baseline {
const DistanceKernels* table();
}
namespace avx2 {
const DistanceKernels* table();
}
namespace avx512 {
const DistanceKernels* table();
}
namespace avx512vnni {
const DistanceKernels* table();
}

}  // namespace mf::metric
