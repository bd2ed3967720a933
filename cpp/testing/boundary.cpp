// Distances and orders of boundary forests, so that each can be tested on its own.
#include <nanobind/stl/string.h>

#include "boundary/learning_order.hpp"
#include "distances/metric.hpp"
#include "stages.hpp"

namespace mf::bindings {
namespace {

// Distances between all rows, row by row or in tiles: the two must agree.
template <class A, class B>
Owned<double> distances(const std::string& name, const Array2<A>& X, const Array2<B>& Y,
                        bool in_tiles) {
  const distances::Metric* found = distances::metric_named(name);
  require(found != nullptr, "unknown metric " + name);
  require(X.shape(1) == Y.shape(1), "X and Y must be equally wide");
  const distances::Measure measure{found, distances::kElementOf<A>, distances::kElementOf<B>,
                                   X.shape(1)};
  std::vector<const void*> queries, rows;
  for (std::size_t i = 0; i < X.shape(0); ++i) queries.push_back(X.data() + i * X.shape(1));
  for (std::size_t i = 0; i < Y.shape(0); ++i) rows.push_back(Y.data() + i * Y.shape(1));
  std::vector<double> out(queries.size() * rows.size());
  if (in_tiles)
    measure.kernels().tile(queries.data(), queries.size(), rows.data(), rows.size(), measure.width,
                           out.data());
  else
    for (std::size_t i = 0; i < queries.size(); ++i)
      measure.kernels().rows(queries[i], rows.data(), rows.size(), measure.width,
                             out.data() + i * rows.size());
  for (double& proxy : out) proxy = measure.distance(proxy);
  return to_numpy(std::move(out), {X.shape(0), Y.shape(0)});
}

// The nearest of the rows of Y for each row of X: its position and its distance, and how many were
// measured after an estimate. None if the metric has no kernel for it.
nb::object nearest_rows(const std::string& name, const Array2<float>& X, const Array2<float>& Y) {
  const distances::Metric* found = distances::metric_named(name);
  require(found != nullptr, "unknown metric " + name);
  require(X.shape(1) == Y.shape(1), "X and Y must be equally wide");
  const distances::Measure measure{found, distances::Element::float32, distances::Element::float32,
                                   X.shape(1)};
  const distances::Kernels& kernels = measure.kernels();
  if (kernels.nearest == nullptr) return nb::none();
  struct Rows {
    std::vector<const void*> rows;
    std::vector<float> norms;
  };
  auto normed = [&](const Array2<float>& all) {
    Rows out;
    for (std::size_t i = 0; i < all.shape(0); ++i) {
      out.rows.push_back(all.data() + i * all.shape(1));
      out.norms.push_back(kernels.norm(out.rows.back(), measure.width));
    }
    return out;
  };
  const Rows queries = normed(X), rows = normed(Y);
  std::vector<distances::NearestRow> nearest(queries.rows.size());
  const std::size_t n_measured = kernels.nearest(
      {queries.rows.data(), queries.norms.data(), queries.rows.size()},
      {rows.rows.data(), rows.norms.data(), rows.rows.size()}, measure.width, nearest.data());
  std::vector<std::int64_t> positions;
  std::vector<double> to_nearest;
  for (const distances::NearestRow& row : nearest) {
    positions.push_back(row.position);
    to_nearest.push_back(measure.distance(row.proxy));
  }
  return nb::make_tuple(to_numpy(std::move(positions)), to_numpy(std::move(to_nearest)),
                        n_measured);
}

template <class A, class B>
void bind_distances(nb::module_& m) {
  m.def("distances", &distances<A, B>, nb::arg("metric"), nb::arg("X").noconvert(),
        nb::arg("Y").noconvert(), nb::arg("in_tiles"));
}

Owned<std::int64_t> as_int64(const std::vector<std::size_t>& order) {
  return to_numpy(std::vector<std::int64_t>(order.begin(), order.end()));
}

}  // namespace

void stage_boundary(nb::module_& m) {
  bind_distances<std::uint8_t, std::uint8_t>(m);
  bind_distances<float, float>(m);
  bind_distances<double, double>(m);
  bind_distances<double, float>(m);
  m.def("nearest_rows", &nearest_rows, nb::arg("metric"), nb::arg("X").noconvert(),
        nb::arg("Y").noconvert());
  m.def(
      "boundary_order",
      [](std::uint64_t seed, std::size_t tree, std::size_t m_first) {
        return as_int64(boundary::start_order(seed, tree, m_first));
      },
      nb::arg("seed"), nb::arg("tree"), nb::arg("m"),
      "The order in which a tree learns the others of the first m examples.");
  m.def(
      "boundary_pass_order",
      [](std::uint64_t seed, std::size_t pass, std::size_t n) {
        return as_int64(boundary::pass_order(seed, pass, n));
      },
      nb::arg("seed"), nb::arg("pass_"), nb::arg("n"),
      "The order of the examples in a pass after the first.");
}

}  // namespace mf::bindings
