// Single stages of the core, so that each can be tested on its own.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "cpu/instruction_set.hpp"
#include "problem.hpp"
#include "projections/list.hpp"
#include "split/finder.hpp"
#include "split/project.hpp"

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

// A node that holds all rows.
struct WholeNode {
  WholeNode(const Response& response, const Array1<double>& weight,
            const std::vector<std::int32_t>& counts)
      : rows(weight.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Row>(i);
    RowSamples samples{{weight.data(), weight.data() + weight.size()}, counts, {}};
    samples.pack(response);
    sample.gather(response, rows, samples);
  }
  WholeNode(const WholeNode&) = delete;  // the sample points to the rows

  std::vector<Row> rows;
  NodeSample sample;
};

std::tuple<Owned<std::int64_t>, Owned<std::int32_t>, Owned<float>> derive_atoms(
    const Sampler& sampler, const Geometry& geometry, const Array2<float>& X,
    const ResponseArray& y, const Array1<double>& weight, const std::vector<int>& n_classes,
    int n_candidates, std::uint64_t seed) {
  const Response response = to_response(y, n_classes, X.shape(0));
  require(weight.size() == X.shape(0), "weight must have one entry per row");
  const WholeNode whole(response, weight, std::vector<std::int32_t>(weight.size(), 1));
  const Matrix<float> matrix = to_matrix(X);
  NodeData node{whole.rows, &whole.sample, &response, [&](Row row, float* out) {
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

// A column of values as the projector would give it.
template <class V>
train::Column to_column(const Array1<V>& values, std::vector<train::Key>& keys) {
  train::Column column;
  column.range.integer = !std::is_same_v<V, float>;
  keys.resize(values.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if constexpr (std::is_same_v<V, float>)
      keys[i] = train::key_of(values(i));
    else
      keys[i] = train::key_of(std::int32_t{values(i)});
    if (keys[i] == train::kMissing) {
      ++column.range.n_missing;
      continue;
    }
    column.range.min = std::min(column.range.min, keys[i]);
    column.range.max = std::max(column.range.max, keys[i]);
  }
  if constexpr (std::is_same_v<V, std::uint8_t>)
    column.bytes = {values.data(), values.size()};
  else
    column.keys = keys;
  return column;
}

template <class V>
std::optional<std::tuple<double, double, bool>> find_split(
    const Array1<V>& values, const ResponseArray& y, const Array1<double>& weight,
    const Array1<std::int64_t>& count, const std::string& criterion,
    const std::vector<int>& n_classes, std::int64_t min_samples_leaf, double min_balance,
    const std::string& splitter, std::uint64_t seed, const OptionalSigns& signs,
    const OptionalDistances& squared_distances) {
  Response response = to_response(y, n_classes, values.size());
  add_geometry(response, kCriteria.parse(criterion), signs, squared_distances, values.size());
  require(weight.size() == values.size() && count.size() == values.size(),
          "weight and count must have one entry per value");
  const WholeNode whole(response, weight, {count.data(), count.data() + count.size()});
  std::vector<train::Key> keys;
  const train::Column column = to_column(values, keys);
  if (column.constant()) return std::nullopt;
  const auto finder =
      train::make_split_finder(kCriteria.parse(criterion), response,
                               {min_samples_leaf, min_balance}, kSplitters.parse(splitter));
  finder->start_node(whole.sample);
  Rng rng(seed);
  const auto split = finder->find(column, 0.0, rng);
  if (!split) return std::nullopt;
  return std::tuple{split->threshold, split->gain, split->missing_left};
}

template <class T>
Owned<double> project(const Array2<T>& X, const Geometry& geometry, const nb::dict& arrays,
                      bool in_block) {
  std::vector<nb::object> keep;
  const auto kinds = span_of<std::uint8_t>(arrays, "atom_kind", keep);
  FlatForest atoms;  // only its atoms are used
  atoms.atom_kind = kinds;
  atoms.atom_offsets = span_of<std::int64_t>(arrays, "atom_offsets", keep);
  atoms.atom_ints = span_of<std::int32_t>(arrays, "atom_ints", keep);
  atoms.weight_offsets = span_of<std::int64_t>(arrays, "weight_offsets", keep);
  atoms.atom_weights = span_of<float>(arrays, "atom_weights", keep);
  std::vector<std::size_t> largest_patch(geometry.grids.size(), 0);
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    const Atom atom = atoms.atom(a);
    if (atom.kind != AtomKind::patch) continue;
    std::size_t& largest = largest_patch[static_cast<std::size_t>(atom.ints[0])];
    const Grid& grid = geometry.grids[static_cast<std::size_t>(atom.ints[0])];
    largest = std::max(largest, patch_area(atom, grid));
  }
  const Dataset<T> data(to_matrix(X), geometry.grids, true, largest_patch, 1);
  const auto projector = train::make_projector(data, geometry);
  const std::size_t n_rows = X.shape(0), n_atoms = kinds.size();
  std::vector<Row> rows(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) rows[i] = static_cast<Row>(i);
  if (in_block) projector->start_subtree(rows);
  projector->start_node(rows);
  std::vector<train::Key> widened;
  std::vector<double> out(n_rows * n_atoms);
  for (std::size_t a = 0; a < n_atoms; ++a) {
    const train::Column column = projector->project(atoms.atom(a));
    const std::span<const train::Key> keys = train::keys_of(column, widened);
    for (std::size_t i = 0; i < n_rows; ++i)
      out[i * n_atoms + a] = keys[i] == train::kMissing ? std::numeric_limits<double>::quiet_NaN()
                                                        : column.range.decode(keys[i]);
  }
  return to_numpy(std::move(out), {n_rows, n_atoms});
}

Owned<double> random_stream(std::uint64_t seed, const std::string& kind, std::size_t n, double a) {
  Rng rng(seed);
  std::vector<double> out(n);
  for (double& x : out) {
    if (kind == "bits")
      x = static_cast<double>(rng.bits() >> 11);
    else if (kind == "uniform")
      x = rng.uniform();
    else if (kind == "normal")
      x = rng.normal();
    else if (kind == "poisson")
      x = rng.poisson(a);
    else {
      require(kind == "below", "unknown kind " + kind);
      x = static_cast<double>(rng.below64(static_cast<std::uint64_t>(a)));
    }
  }
  return to_numpy(std::move(out));
}

template <class V>
void bind_find_split(nb::module_& m) {
  m.def("find_split", &find_split<V>, nb::arg("values").noconvert(), nb::arg("y"),
        nb::arg("weight"), nb::arg("count"), nb::arg("criterion"), nb::arg("n_classes"),
        nb::arg("min_samples_leaf"), nb::arg("min_balance"), nb::arg("splitter") = "exact",
        nb::arg("seed") = 0, nb::arg("signs") = nb::none(),
        nb::arg("squared_distances").noconvert() = nb::none(),
        "Best split of one column: threshold, gain, missing_left; or None.");
}

}  // namespace

void bind_stages(nb::module_& m) {
  m.def("draw_atoms", &draw_atoms, nb::arg("sampler"), nb::arg("geometry"), nb::arg("n_candidates"),
        nb::arg("seed"), nb::arg("n_nodes"),
        "Atoms of independent nodes, expanded: node_offsets, offsets, features, weights.");
  m.def("derive_atoms", &derive_atoms, nb::arg("sampler"), nb::arg("geometry"), nb::arg("X"),
        nb::arg("y"), nb::arg("weight"), nb::arg("n_classes"), nb::arg("n_candidates"),
        nb::arg("seed"),
        "Atoms drawn at a node that holds all rows of X: offsets, features, weights.");
  bind_find_split<std::int32_t>(m);
  bind_find_split<float>(m);
  bind_find_split<std::uint8_t>(m);
  m.def("project", &project<std::uint8_t>, nb::arg("X").noconvert(), nb::arg("geometry"),
        nb::arg("arrays"), nb::arg("in_block") = false,
        "Values of atoms, rows x atoms, NaN where missing.");
  m.def("project", &project<float>, nb::arg("X").noconvert(), nb::arg("geometry"),
        nb::arg("arrays"), nb::arg("in_block") = false);
  m.def(
      "haar_rotation",
      [](int p, std::uint64_t seed) {
        Rng rng(seed);
        const auto n = static_cast<std::size_t>(p);
        return to_numpy(haar_rotation(rng, p, StopCheck{}), {n, n});
      },
      nb::arg("p"), nb::arg("seed"));
  m.def("supported_kernels", &supported_instruction_sets,
        "Instruction sets that this machine can run.");
  m.def(
      "use_kernels",
      [](const std::string& name) {
        require(use_instruction_set(name), "this machine cannot run the kernels " + name);
      },
      nb::arg("name"), "Choose the instruction set of the hot loops.");
  m.def("random_stream", &random_stream, nb::arg("seed"), nb::arg("kind"), nb::arg("n"),
        nb::arg("a") = 0.0);
}

}  // namespace mf::bindings
