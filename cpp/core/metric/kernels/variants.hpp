// The variants of the distance kernels; a table is null where the compiler was not asked for it.
#pragma once

#include <array>
#include <type_traits>

#include "metric/metric.hpp"

namespace mf {

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

namespace distances_baseline {
const DistanceKernels* table();
}
namespace distances_avx2 {
const DistanceKernels* table();
}
namespace distances_avx512 {
const DistanceKernels* table();
}
namespace distances_avx512vnni {
const DistanceKernels* table();
}

}  // namespace mf
