#include "metric/metric.hpp"

#include <array>
#include <cmath>

#include "cpu/instruction_set.hpp"
#include "metric/kernels/variants.hpp"

namespace mf {
namespace {

constexpr std::array<const char*, kMetrics> kNames{"euclidean", "manhattan", "chebyshev", "cosine",
                                                   "hamming"};

const DistanceKernels& distance_kernels() {
  static const Variants<DistanceKernels> variants{
      distances_baseline::table(), distances_avx2::table(), distances_avx512::table(),
      distances_avx512vnni::table()};
  return variant_in_use(variants);
}

}  // namespace

RankRows Metric::rank_rows() const {
  const DistanceKernels& kernels = distance_kernels();
  return (bytes ? kernels.bytes : kernels.floats)[static_cast<std::size_t>(kind)];
}

RankTile Metric::rank_tile() const {
  const DistanceKernels& kernels = distance_kernels();
  return (bytes ? kernels.byte_tiles : kernels.float_tiles)[static_cast<std::size_t>(kind)];
}

double Metric::distance(double rank) const {
  switch (kind) {
    case MetricKind::euclidean:
      return std::sqrt(rank);
    case MetricKind::hamming:
      return rank / static_cast<double>(width);
    default:
      return rank;
  }
}

std::optional<MetricKind> metric_named(const std::string& name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i]) return static_cast<MetricKind>(i);
  return std::nullopt;
}

}  // namespace mf
