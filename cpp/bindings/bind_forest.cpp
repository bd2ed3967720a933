// Growing, and turning grown trees into the flat arrays that Python owns.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <limits>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "forest/forest.hpp"
#include "problem.hpp"

namespace mf::bindings {
namespace {

constexpr Words<train::EmptyLeaf, 4> kEmptyLeaves{"empty_leaf",
                                                  {{{"ignore", train::EmptyLeaf::ignore},
                                                    {"uniform", train::EmptyLeaf::uniform},
                                                    {"empirical", train::EmptyLeaf::empirical},
                                                    {"prune", train::EmptyLeaf::prune}}}};

// Gives freed memory back to the system; otherwise the process would hold both forms of the forest.
void return_memory() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

// Concatenates one member of all trees and frees it there, so that a forest is never held twice.
template <class Out, class Member>
std::vector<Out> join(std::vector<train::Tree>& trees, Member member) {
  std::size_t size = 0;
  for (train::Tree& tree : trees) size += std::invoke(member, tree).size();
  std::vector<Out> out;
  out.reserve(size);
  for (train::Tree& tree : trees) {
    auto from = std::move(std::invoke(member, tree));
    for (const auto& x : from) out.push_back(static_cast<Out>(x));
  }
  return_memory();
  return out;
}

// The same for numbers of training rows.
std::vector<std::int32_t> join_rows(std::vector<train::Tree>& trees,
                                    train::SmallNumbers train::Tree::* member, std::size_t n_rows) {
  std::vector<std::int32_t> out;
  out.reserve(trees.size() * n_rows);
  for (train::Tree& tree : trees) {
    (tree.*member).append_to(out);
    tree.*member = {};
  }
  return_memory();
  return out;
}

// Atoms are stored per split; the flat form has one (possibly empty) entry per node, in node order.
void add_atoms(std::vector<train::Tree>& trees, nb::dict& out) {
  std::vector<std::uint8_t> kinds;
  std::vector<std::int64_t> offsets{0}, weight_offsets{0};
  std::vector<std::int32_t> ints;
  std::vector<float> weights;
  for (train::Tree& tree : trees) {
    for (std::size_t node = 0; node < tree.size(); ++node) {
      AtomKind kind = AtomKind::sparse;
      if (tree.atom[node] >= 0) {
        const Atom atom = tree.atoms[static_cast<std::size_t>(tree.atom[node])];
        kind = atom.kind;
        ints.insert(ints.end(), atom.ints.begin(), atom.ints.end());
        weights.insert(weights.end(), atom.weights.begin(), atom.weights.end());
      }
      kinds.push_back(static_cast<std::uint8_t>(kind));
      offsets.push_back(static_cast<std::int64_t>(ints.size()));
      weight_offsets.push_back(static_cast<std::int64_t>(weights.size()));
    }
    tree.atoms = AtomList{};
  }
  out["atom_kind"] = to_numpy(std::move(kinds));
  out["atom_offsets"] = to_numpy(std::move(offsets));
  out["atom_ints"] = to_numpy(std::move(ints));
  out["weight_offsets"] = to_numpy(std::move(weight_offsets));
  out["atom_weights"] = to_numpy(std::move(weights));
}

nb::dict to_arrays(std::vector<train::Tree> trees, const Response& response, bool keep_samples,
                   std::size_t n_rows) {
  nb::dict out;
  std::vector<std::int64_t> offsets{0};
  for (const train::Tree& tree : trees)
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(tree.size()));
  const auto n_nodes = static_cast<std::size_t>(offsets.back());
  out["tree_offsets"] = to_numpy(std::move(offsets));
  add_atoms(trees, out);
  out["left"] = to_numpy(join<std::int32_t>(trees, &train::Tree::left));
  out["kind"] = to_numpy(join<std::uint8_t>(trees, &train::Tree::kind));
  out["threshold"] = to_numpy(join<double>(trees, &train::Tree::threshold));
  out["missing_left"] = to_numpy(join<std::uint8_t>(trees, &train::Tree::missing_left));
  out["gain"] = to_numpy(join<float>(trees, &train::Tree::gain));
  out["weight"] = to_numpy(join<double>(trees, &train::Tree::weight));
  if (response.is_classification())
    out["value"] =
        to_numpy(join<float>(trees, &train::Tree::shares), {n_nodes, response.block_size()});
  else
    out["value"] =
        to_numpy(join<double>(trees, &train::Tree::value), {n_nodes, response.block_size()});
  if (!trees.empty() && !trees[0].rotation.empty()) {
    const std::size_t r = trees[0].rotation.dims.size();
    out["rotation_dims"] =
        to_numpy(join<std::int32_t>(trees, [](train::Tree& t) -> auto& { return t.rotation.dims; }),
                 {trees.size(), r});
    out["rotations"] =
        to_numpy(join<float>(trees, [](train::Tree& t) -> auto& { return t.rotation.matrix; }),
                 {trees.size(), r, r});
  }
  if (keep_samples) {
    out["leaf_of_row"] =
        to_numpy(join_rows(trees, &train::Tree::leaf_of_row, n_rows), {trees.size(), n_rows});
    out["inbag"] = to_numpy(join_rows(trees, &train::Tree::inbag, n_rows), {trees.size(), n_rows});
  }
  return out;
}

constexpr std::int64_t kMaxDraws = std::numeric_limits<std::int32_t>::max();

train::RowWeights to_row_weights(const Array1<std::int32_t>& strata,
                                 const Array1<double>& draw_weight,
                                 const Array1<double>& row_weight,
                                 const Array1<std::int64_t>& row_count, std::size_t n_rows) {
  for (const std::size_t size :
       {strata.size(), draw_weight.size(), row_weight.size(), row_count.size()})
    require(size == n_rows,
            "strata, draw_weight, row_weight and row_count must have one entry per row");
  for (std::size_t i = 0; i < n_rows; ++i) require(strata(i) >= 0, "strata must not be negative");
  std::int64_t n_copies = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    require(row_count(i) >= 0 && row_count(i) <= kMaxDraws - n_copies,
            "row_count must not be negative, nor sum to more than 2**31 - 1");
    n_copies += row_count(i);
  }
  return {strata.data(), draw_weight.data(), row_weight.data(), row_count.data(), n_rows};
}

using Callback = std::optional<nb::typed<nb::callable, void(int, int)>>;

// Signals such as Ctrl-C are looked at here, in the calling thread.
train::Progress progress_hook(const Callback& callback) {
  return [callback](int done, int total) {
    check_signals();
    const nb::gil_scoped_acquire gil;
    if (callback) (*callback)(done, total);
  };
}

template <class T>
nb::dict grow(const Array2<T>& X, const ResponseArray& y, const Array1<std::int32_t>& strata,
              const Array1<double>& draw_weight, const Array1<double>& row_weight,
              const Array1<std::int64_t>& row_count, const Geometry& geometry,
              const Sampler& sampler, const train::GrowOptions& options, const Callback& progress,
              const OptionalSigns& signs, const OptionalDistances& squared_distances) {
  require(X.shape(0) < (std::size_t{1} << 31), "X must have fewer than 2**31 rows");
  require(options.n_draws <= kMaxDraws, "n_draws must be at most 2**31 - 1");
  require(X.shape(1) == geometry.n_features, "X does not have as many features as the geometry");
  Response response = to_response(y, options.n_classes, X.shape(0));
  add_geometry(response, options.criterion, signs, squared_distances, X.shape(0));
  const train::RowWeights rows =
      to_row_weights(strata, draw_weight, row_weight, row_count, X.shape(0));
  const train::Progress hook = progress_hook(progress);
  std::vector<train::Tree> trees;
  {
    const nb::gil_scoped_release released;
    trees = train::grow_forest(to_matrix(X), response, rows, geometry, sampler, options, hook);
  }
  return to_arrays(std::move(trees), response, options.keep_samples, X.shape(0));
}

Owned<std::int32_t> draw_bag_counts(const train::GrowOptions& options,
                                    const Array1<std::int32_t>& strata,
                                    const Array1<double>& draw_weight,
                                    const Array1<std::int64_t>& row_count, int tree) {
  const std::vector<double> ones(strata.size(), 1.0);
  train::RowWeights rows{strata.data(), draw_weight.data(), ones.data(), row_count.data(),
                         strata.size()};
  require(draw_weight.size() == strata.size() && row_count.size() == strata.size(),
          "strata, draw_weight and row_count must have the same length");
  Rng rng(tree_seed(options.seed, tree, Stream::bag));
  train::Bag bag = train::draw_bag(options, rows, rng);
  if (options.honest)
    for (std::size_t i = 0; i < bag.structure.size(); ++i)
      bag.structure[i] = bag.structure[i] > 0 ? -1 : bag.estimation[i];
  return to_numpy(std::move(bag.structure));
}

template <class T>
void bind_grow(nb::module_& m) {
  m.def("grow", &grow<T>, nb::arg("X").noconvert(), nb::arg("y").noconvert(), nb::arg("strata"),
        nb::arg("draw_weight"), nb::arg("row_weight"), nb::arg("row_count"), nb::arg("geometry"),
        nb::arg("sampler"), nb::arg("options"), nb::arg("progress") = nb::none(),
        nb::arg("signs") = nb::none(), nb::arg("squared_distances").noconvert() = nb::none(),
        "Grow a forest; returns the arrays of docs/architecture.md.");
}

}  // namespace

void bind_forest(nb::module_& m) {
  nb::class_<train::GrowOptions>(m, "GrowOptions", "Everything that can be set about growing.")
      .def(nb::init<>())
      .def_rw("n_trees", &train::GrowOptions::n_trees)
      .def_rw("first_tree", &train::GrowOptions::first_tree)
      .def_rw("seed", &train::GrowOptions::seed)
      .def_rw("n_threads", &train::GrowOptions::n_threads)
      // Words come as char*: nanobind cannot pass on a failure to make a std::string of one.
      .def_prop_rw(
          "criterion", [](const train::GrowOptions& o) { return kCriteria.word(o.criterion); },
          [](train::GrowOptions& o, const char* word) { o.criterion = kCriteria.parse(word); })
      .def_prop_rw(
          "splitter", [](const train::GrowOptions& o) { return kSplitters.word(o.splitter); },
          [](train::GrowOptions& o, const char* word) { o.splitter = kSplitters.parse(word); })
      .def_prop_rw(
          "n_classes", [](const train::GrowOptions& o) { return o.n_classes; },
          [](train::GrowOptions& o, const Sequence<int>& n) { o.n_classes = to_vector<int>(n); })
      .def_rw("n_candidates", &train::GrowOptions::n_candidates)
      .def_rw("max_depth", &train::GrowOptions::max_depth)
      .def_rw("min_samples_split", &train::GrowOptions::min_samples_split)
      .def_rw("min_samples_leaf", &train::GrowOptions::min_samples_leaf)
      .def_rw("min_weight_fraction_leaf", &train::GrowOptions::min_weight_fraction_leaf)
      .def_rw("min_balance", &train::GrowOptions::min_balance)
      .def_rw("min_impurity_decrease", &train::GrowOptions::min_impurity_decrease)
      .def_rw("max_leaf_nodes", &train::GrowOptions::max_leaf_nodes)
      .def_rw("ccp_alpha", &train::GrowOptions::ccp_alpha)
      .def_rw("bootstrap", &train::GrowOptions::bootstrap)
      .def_rw("n_draws", &train::GrowOptions::n_draws)
      .def_rw("stratify", &train::GrowOptions::stratify)
      .def_rw("balanced_subsample", &train::GrowOptions::balanced_subsample)
      .def_rw("honest", &train::GrowOptions::honest)
      .def_rw("honest_fraction", &train::GrowOptions::honest_fraction)
      .def_prop_rw(
          "empty_leaf", [](const train::GrowOptions& o) { return kEmptyLeaves.word(o.empty_leaf); },
          [](train::GrowOptions& o, const char* word) { o.empty_leaf = kEmptyLeaves.parse(word); })
      .def_rw("keep_samples", &train::GrowOptions::keep_samples);

  bind_grow<std::uint8_t>(m);
  bind_grow<float>(m);
  m.def("draw_bag", &draw_bag_counts, nb::arg("options"), nb::arg("strata"), nb::arg("draw_weight"),
        nb::arg("row_count"), nb::arg("tree"), "In-bag counts of one tree.");
}

}  // namespace mf::bindings
