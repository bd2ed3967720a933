// Drawing the candidates of nodes.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "atoms/kind.hpp"
#include "samplers/list.hpp"
#include "stages.hpp"
#include "whole_node.hpp"

namespace mf::bindings {
namespace {

// Appends atoms in expanded form.
struct ExpandedAtoms {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> features;
  std::vector<float> weights;

  void add(const AtomList& atoms, const Geometry& geometry) {
    std::vector<std::int32_t> f;
    std::vector<float> w;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      expand(atoms[i], geometry, Rotation{}, f, w);
      features.insert(features.end(), f.begin(), f.end());
      weights.insert(weights.end(), w.begin(), w.end());
      offsets.push_back(static_cast<std::int64_t>(features.size()));
    }
  }
};

std::tuple<Owned<std::int64_t>, Owned<std::int64_t>, Owned<std::int32_t>, Owned<float>> draw_atoms(
    const Sampler& sampler, const Geometry& geometry, int n_candidates, std::uint64_t seed,
    int n_nodes) {
  ExpandedAtoms all;
  std::vector<std::int64_t> node_offsets{0};
  for (int node = 0; node < n_nodes; ++node) {
    DrawContext context{Rng(combine_seeds(seed, static_cast<std::uint64_t>(node)))};
    context.n_candidates = n_candidates;
    AtomList atoms;
    sampler.draw(context, atoms);
    all.add(atoms, geometry);
    node_offsets.push_back(static_cast<std::int64_t>(all.offsets.size() - 1));
  }
  return {to_numpy(std::move(node_offsets)), to_numpy(std::move(all.offsets)),
          to_numpy(std::move(all.features)), to_numpy(std::move(all.weights))};
}

std::tuple<Owned<std::int64_t>, Owned<std::int32_t>, Owned<float>> derive_atoms(
    const Sampler& sampler, const Geometry& geometry, const Array2<float>& X, const TargetArray& y,
    const Array1<double>& weight, const std::vector<int>& n_classes, int n_candidates,
    std::uint64_t seed) {
  const Target target = to_target(y, n_classes, {}, {}, X.shape(0));
  require(weight.size() == X.shape(0), "weight must have one entry per row");
  const WholeNode whole(target, weight, std::vector<std::int32_t>(weight.size(), 1));
  const Matrix<float> matrix = to_matrix(X);
  NodeData node{whole.rows, &whole.sample, &target, [&](Row row, float* out) {
                  std::copy_n(matrix.row(static_cast<std::size_t>(row)), matrix.n_features, out);
                }};
  DrawContext context{Rng(seed)};
  context.n_candidates = n_candidates;
  context.node = &node;
  AtomList atoms;
  sampler.draw(context, atoms);
  ExpandedAtoms all;
  all.add(atoms, geometry);
  return {to_numpy(std::move(all.offsets)), to_numpy(std::move(all.features)),
          to_numpy(std::move(all.weights))};
}

}  // namespace

void stage_atoms(nb::module_& m) {
  m.def("draw_atoms", &draw_atoms, nb::arg("sampler"), nb::arg("geometry"), nb::arg("n_candidates"),
        nb::arg("seed"), nb::arg("n_nodes"),
        "Atoms of independent nodes, expanded: node_offsets, offsets, features, weights.");
  m.def("derive_atoms", &derive_atoms, nb::arg("sampler"), nb::arg("geometry"), nb::arg("X"),
        nb::arg("y"), nb::arg("weight"), nb::arg("n_classes"), nb::arg("n_candidates"),
        nb::arg("seed"),
        "Atoms drawn at a node that holds all rows of X: offsets, features, weights.");
}

}  // namespace mf::bindings
