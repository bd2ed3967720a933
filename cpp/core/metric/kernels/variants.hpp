// The variants of the distance kernels; a table is null where the compiler was not asked for it.
#pragma once

#include <array>
#include <type_traits>

#include "metric/metric.hpp"

namespace mf {

constexpr std::size_t kMetrics = 5;

// Functions in the order of MetricKind.
struct DistanceKernels {
  std::array<RankRows, kMetrics> bytes, floats;
  std::array<RankTile, kMetrics> byte_tiles, float_tiles;
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
