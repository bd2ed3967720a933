// The names and properties of all metrics.
#include "bind.hpp"
#include "distances/metric.hpp"

namespace mf::bindings {

void bind_metrics(nb::module_& m) {
  using distances::Metric;
  nb::class_<Metric>(m, "Metric", "What is to be known of a metric between rows of numbers.")
      .def_prop_ro("name", [](const Metric& metric) { return metric.properties.name; })
      .def_prop_ro(
          "non_negative", [](const Metric& metric) { return metric.properties.non_negative; },
          "Whether no distance is below 0, so that predictions can weigh examples by them.")
      .def_prop_ro(
          "of_differences", [](const Metric& metric) { return metric.properties.of_differences; },
          "Whether it depends on nothing but the differences of entries.")
      .def_prop_ro(
          "exact_for_bytes", [](const Metric& metric) { return metric.properties.exact_for_bytes; },
          "Whether what is measured between rows of bytes are exact whole numbers.")
      .def_prop_ro(
          "largest_entry", [](const Metric& metric) { return metric.properties.largest_entry; },
          "Doubles up to this magnitude have finite distances.");
  m.def(
      "metrics",
      [] {
        nb::typed<nb::list, Metric> all;
        for (const Metric& metric : distances::all_metrics()) all.append(nb::cast(metric));
        return all;
      },
      "All metrics that have names.");
}

}  // namespace mf::bindings
