#include "distances/metric.hpp"

#include "base/instruction_set.hpp"
#include "distances/kernels/variants.hpp"

namespace mf::distances {

std::size_t size_of(Element element) {
  switch (element) {
    case Element::uint8:
      return sizeof(std::uint8_t);
    case Element::float32:
      return sizeof(float);
    case Element::float64:
      return sizeof(double);
  }
  return 0;
}

std::span<const Metric> all_metrics() {
  static const Variants<MetricTable> variants{baseline::table(), avx2::table(), avx512::table(),
                                              avx512vnni::table()};
  const MetricTable& table = variant_in_use(variants);
  return {table.metrics, table.n};
}

const Metric* metric_named(std::string_view name) {
  for (const Metric& metric : all_metrics())
    if (name == metric.properties.name) return &metric;
  return nullptr;
}

const Kernels& Measure::kernels() const {
  if (rows == Element::uint8) return metric->bytes;
  if (rows == Element::float64) return metric->doubles;
  return queries == Element::float64 ? metric->doubles_to_floats : metric->floats;
}

}  // namespace mf::distances
