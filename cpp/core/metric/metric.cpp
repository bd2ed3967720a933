#include "metric/metric.hpp"

#include <array>
#include <cmath>

#include "cpu/instruction_set.hpp"
#include "metric/kernels/variants.hpp"

namespace mf::metric {
namespace {

constexpr std::array<const char*, kMetrics> kNames{"euclidean", "manhattan", "chebyshev",
                                                   "cosine",    "hamming",   "inner_product"};
constexpr std::array<const char*, 3> kElements{"uint8", "float32", "float64"};
constexpr std::array<std::size_t, 3> kSizes{sizeof(std::uint8_t), sizeof(float), sizeof(double)};

const DistanceKernels& distance_kernels() {
  static const Variants<DistanceKernels> variants{baseline::table(), avx2::table(), avx512::table(),
                                                  avx512vnni::table()};
  return variant_in_use(variants);
}

const MetricKernels& kernels_of(const Metric& metric) {
  const DistanceKernels& kernels = distance_kernels();
  if (metric.rows == Element::uint8) return kernels.bytes;
  if (metric.rows == Element::float64) return kernels.doubles;
  return metric.queries == Element::float64 ? kernels.doubles_to_floats : kernels.floats;
}

template <class Value, std::size_t n>
std::optional<Value> value_named(const std::array<const char*, n>& names, const std::string& name) {
  for (std::size_t i = 0; i < n; ++i)
    if (name == names[i]) return static_cast<Value>(i);
  return std::nullopt;
}

}  // namespace

std::size_t size_of(Element element) { return kSizes[static_cast<std::size_t>(element)]; }

RankRows Metric::rank_rows() const {
  return kernels_of(*this).rows[static_cast<std::size_t>(kind)];
}

RankTile Metric::rank_tile() const {
  return kernels_of(*this).tiles[static_cast<std::size_t>(kind)];
}

double Metric::distance(double rank) const {
  switch (kind) {
    case MetricKind::euclidean:  // the squares of doubles may not be doubles: ranks are roots
      return queries == Element::float64 ? rank : std::sqrt(rank);
    case MetricKind::hamming:
      return rank / static_cast<double>(width);
    case MetricKind::inner_product:
      return 1.0 + rank;
    default:
      return rank;
  }
}

std::optional<MetricKind> metric_named(const std::string& name) {
  return value_named<MetricKind>(kNames, name);
}

std::optional<Element> element_named(const std::string& name) {
  return value_named<Element>(kElements, name);
}

}  // namespace mf::metric
