#include "boundary_record.hpp"

#include <utility>

namespace mf::bindings {
namespace {

template <class T>
std::vector<T> vector_of(const nb::dict& arrays, const char* name) {
  std::vector<nb::object> keep;
  const std::span<const T> span = span_of<T>(arrays, name, keep);
  return {span.begin(), span.end()};
}

}  // namespace

nb::dict to_dict(boundary::Record record) {
  nb::dict arrays;
  arrays["ids"] = to_numpy(std::move(record.ids));
  arrays["arrivals"] = to_numpy(std::move(record.arrivals));
  arrays["classes"] = to_numpy(std::move(record.classes));
  arrays["values"] = to_numpy(std::move(record.values));
  arrays["tree_offsets"] = to_numpy(std::move(record.tree_offsets));
  arrays["node_slot"] = to_numpy(std::move(record.node_slot));
  arrays["node_children"] = to_numpy(std::move(record.node_children));
  arrays["starts"] = to_numpy(std::move(record.starts));
  arrays["starting"] = record.starting;
  arrays["n_seen"] = record.n_seen;
  return arrays;
}

boundary::Record to_record(const nb::dict& arrays) {
  boundary::Record record;
  record.ids = vector_of<std::int64_t>(arrays, "ids");
  record.arrivals = vector_of<std::int64_t>(arrays, "arrivals");
  record.classes = vector_of<std::int32_t>(arrays, "classes");
  record.values = vector_of<double>(arrays, "values");
  record.tree_offsets = vector_of<std::int64_t>(arrays, "tree_offsets");
  record.node_slot = vector_of<std::int32_t>(arrays, "node_slot");
  record.node_children = vector_of<std::int32_t>(arrays, "node_children");
  record.starts = vector_of<std::int32_t>(arrays, "starts");
  record.starting = nb::cast<bool>(arrays["starting"]);
  record.n_seen = nb::cast<std::int64_t>(arrays["n_seen"]);
  return record;
}

}  // namespace mf::bindings
