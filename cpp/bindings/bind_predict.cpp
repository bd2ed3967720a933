// Prediction with a flat forest, and its inspection.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "atoms/kind.hpp"
#include "bind.hpp"
#include "explain/explainer.hpp"
#include "forest/check_forest.hpp"
#include "predict/importance.hpp"
#include "predict/predictor.hpp"
#include "problem.hpp"

namespace mf::bindings {
namespace {

using predict::Aggregation;

constexpr Words<Aggregation, 3> kAggregations{
    "aggregation",
    {{{"mean", Aggregation::mean}, {"vote", Aggregation::vote}, {"sum", Aggregation::sum}}}};

// A predictor together with the arrays it reads, which are checked once, when it is made.
class BoundPredictor {
 public:
  BoundPredictor(const nb::dict& arrays, const Geometry& geometry, const Sequence<int>& n_classes,
                 bool skip_empty, const Array1<double>& fallback)
      : BoundPredictor(arrays, geometry, to_vector<int>(n_classes), skip_empty, fallback) {}
  BoundPredictor(const nb::dict& arrays, const Geometry& geometry,
                 const std::vector<int>& n_classes, bool skip_empty, const Array1<double>& fallback)
      : predictor_(checked(arrays, geometry, keep_), geometry,
                   voting(n_classes, skip_empty, fallback)) {
    require(fallback.size() == predictor_.value_width(),
            "fallback must have one entry per column of value");
    for (const int n : n_classes) require(n >= 1, "n_classes must be positive");
    require(n_classes.empty() || std::accumulate(n_classes.begin(), n_classes.end(),
                                                 std::size_t{0}) == predictor_.value_width(),
            "n_classes must sum to the number of columns of value");
  }

  template <class T>
  Owned<std::int32_t> apply(const Array2<T>& X, int n_threads) const {
    check(X);
    std::vector<std::int32_t> leaves(X.shape(0) * predictor_.n_trees());
    {
      const nb::gil_scoped_release released;
      predictor_.apply(rows_of(X), n_threads, leaves.data(), check_signals);
    }
    return to_numpy(std::move(leaves), {X.shape(0), predictor_.n_trees()});
  }

  // Words come as char*: if nanobind cannot allocate a std::string, it ends the process.
  template <class T>
  Owned<double> predict(const Array2<T>& X, const char* word, int n_threads) const {
    check(X);
    const Aggregation aggregation = kAggregations.parse(word);
    std::vector<double> out(X.shape(0) * predictor_.value_width());
    {
      const nb::gil_scoped_release released;
      predictor_.predict(rows_of(X), aggregation, n_threads, out.data(), check_signals);
    }
    return to_numpy(std::move(out), {X.shape(0), predictor_.value_width()});
  }

  std::pair<Owned<double>, Owned<std::int32_t>> predict_oob(const Array2<std::int32_t>& leaf_of_row,
                                                            const Array2<std::int32_t>& inbag,
                                                            const char* word) const {
    const Aggregation aggregation = kAggregations.parse(word);
    require(leaf_of_row.shape(0) == predictor_.n_trees() &&
                inbag.shape(0) == predictor_.n_trees() && leaf_of_row.shape(1) == inbag.shape(1),
            "leaf_of_row and inbag must be trees x rows");
    const std::size_t n_rows = inbag.shape(1);
    std::vector<double> out(n_rows * predictor_.value_width());
    std::vector<std::int32_t> used(n_rows);
    {
      const nb::gil_scoped_release released;
      predictor_.predict_oob(leaf_of_row.data(), inbag.data(), n_rows, aggregation, out.data(),
                             used.data());
    }
    return {to_numpy(std::move(out), {n_rows, predictor_.value_width()}),
            to_numpy(std::move(used))};
  }

  template <class T>
  std::pair<Owned<double>, Owned<double>> shap_values(const Array2<T>& X, const char* word,
                                                      int n_threads) const {
    check(X);
    const Aggregation aggregation = kAggregations.parse(word);
    const predict::Voting& voting = predictor_.voting();
    require(aggregation != Aggregation::vote || !voting.n_classes.empty(),
            "aggregation must be mean or sum for responses, got vote");
    require(!voting.skip_empty || !has_empty_leaves(),
            "trees must not be left out where their leaf is empty");
    const std::size_t n_features = predictor_.geometry().n_features;
    std::vector<double> out(X.shape(0) * n_features * predictor_.value_width()), base;
    {
      const nb::gil_scoped_release released;
      const explain::Explainer explainer(predictor_.forest(), predictor_.geometry(),
                                         voting.n_classes, aggregation, n_threads, check_signals);
      base = explainer.base_values();
      explainer.shap_values(rows_of(X), n_threads, out.data(), check_signals);
    }
    return {to_numpy(std::move(out), {X.shape(0), n_features, predictor_.value_width()}),
            to_numpy(std::move(base))};
  }

  bool has_empty_leaves() const {
    const FlatForest& forest = predictor_.forest();
    for (std::size_t node = 0; node < forest.n_nodes(); ++node)
      if (forest.is_leaf(node) && !(forest.weight[node] > 0.0)) return true;
    return false;
  }

  std::tuple<Owned<double>, Owned<double>, std::vector<Owned<double>>> importances() const {
    predict::Importances result = predict::importances(predictor_.forest(), predictor_.geometry());
    std::vector<Owned<double>> view_gains;
    for (std::vector<double>& cells : result.view_gain)
      view_gains.push_back(to_numpy(std::move(cells)));
    return {to_numpy(std::move(result.usage)), to_numpy(std::move(result.gain)),
            std::move(view_gains)};
  }

  std::optional<std::string> nonlinear_kind(std::size_t tree) const {
    const FlatForest& forest = predictor_.forest();
    const Range nodes = nodes_of(tree);
    for (std::size_t i = nodes.begin; i < nodes.end; ++i) {
      if (forest.is_leaf(i)) continue;
      const AtomType& type = type_of(forest.atom(i).kind);
      if (!type.is_linear(forest.atom(i), predictor_.geometry()))
        return type.name_of(forest.atom(i), predictor_.geometry());
    }
    return std::nullopt;
  }

  std::tuple<Owned<std::int64_t>, Owned<std::int32_t>, Owned<float>> expand_atoms(
      std::size_t tree) const {
    const FlatForest& forest = predictor_.forest();
    const Range nodes = nodes_of(tree);
    const Rotation rotation = forest.rotation(tree);
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> features, all_features;
    std::vector<float> weights, all_weights;
    for (std::size_t i = nodes.begin; i < nodes.end; ++i) {
      if (!forest.is_leaf(i)) {
        expand(forest.atom(i), predictor_.geometry(), rotation, features, weights);
        all_features.insert(all_features.end(), features.begin(), features.end());
        all_weights.insert(all_weights.end(), weights.begin(), weights.end());
      }
      offsets.push_back(static_cast<std::int64_t>(all_features.size()));
    }
    return {to_numpy(std::move(offsets)), to_numpy(std::move(all_features)),
            to_numpy(std::move(all_weights))};
  }

  // Nodes are counted through the forest. A rotated coordinate is a sum of features here.
  std::tuple<Owned<std::int32_t>, Owned<std::int64_t>, Owned<std::int32_t>, Owned<float>>
  compile_atoms(const Array1<std::int64_t>& nodes) const {
    const FlatForest& forest = predictor_.forest();
    const Geometry& geometry = predictor_.geometry();
    std::vector<std::int32_t> grids, columns, features;
    std::vector<std::int64_t> offsets{0};
    std::vector<float> all_weights, weights;
    CompiledAtom compiled;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto node = static_cast<std::size_t>(nodes(k));
      require(nodes(k) >= 0 && node < forest.n_nodes() && !forest.is_leaf(node),
              "nodes must be splits of the forest, got " + std::to_string(nodes(k)));
      const Atom atom = forest.atom(node);
      compiled.clear();
      type_of(atom.kind).compile(atom, geometry, compiled);
      require(compiled.reduction == Reduction::sum, "atoms must be sums");
      if (compiled.table.kind == TableId::Kind::rotated) {
        expand(atom, geometry, forest.rotation(tree_of(node)), features, weights);
        columns.insert(columns.end(), features.begin(), features.end());
        all_weights.insert(all_weights.end(), weights.begin(), weights.end());
      } else {
        for (const Term& term : compiled.terms) {
          columns.push_back(term.column);
          all_weights.push_back(term.weight);
        }
      }
      grids.push_back(compiled.table.grid);
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
    return {to_numpy(std::move(grids)), to_numpy(std::move(offsets)), to_numpy(std::move(columns)),
            to_numpy(std::move(all_weights))};
  }

  std::string atom_text(std::size_t tree, std::size_t node) const {
    const Range nodes = nodes_of(tree);
    const std::size_t i = nodes.begin + node;
    require(node < nodes.end - nodes.begin && !predictor_.forest().is_leaf(i),
            "node must be the number of a split of tree " + std::to_string(tree) + ", got " +
                std::to_string(node));
    const Atom atom = predictor_.forest().atom(i);
    return type_of(atom.kind).text(atom, predictor_.geometry());
  }

 private:
  std::size_t tree_of(std::size_t node) const {
    const auto& offsets = predictor_.forest().tree_offsets;
    const auto after = std::upper_bound(offsets.begin(), offsets.end(), std::int64_t(node));
    return static_cast<std::size_t>(after - offsets.begin()) - 1;
  }
  struct Range {
    std::size_t begin, end;
  };
  Range nodes_of(std::size_t tree) const {
    const std::size_t n_trees = predictor_.n_trees();
    require(tree < n_trees,
            "tree must be below " + std::to_string(n_trees) + ", got " + std::to_string(tree));
    const auto& offsets = predictor_.forest().tree_offsets;
    return {static_cast<std::size_t>(offsets[tree]), static_cast<std::size_t>(offsets[tree + 1])};
  }
  static FlatForest checked(const nb::dict& arrays, const Geometry& geometry,
                            std::vector<nb::object>& keep) {
    const FlatForest forest = view_forest(arrays, keep);
    check_forest(forest, geometry);
    return forest;
  }
  static predict::Voting voting(const std::vector<int>& n_classes, bool skip_empty,
                                const Array1<double>& fallback) {
    return {n_classes, skip_empty, {fallback.data(), fallback.data() + fallback.size()}};
  }
  template <class T>
  void check(const Array2<T>& X) const {
    const Geometry& geometry = predictor_.geometry();
    require(X.shape(1) == geometry.row_width(), "X must have " +
                                                    std::to_string(geometry.row_width()) +
                                                    " features, got " + std::to_string(X.shape(1)));
    require(std::is_same_v<T, float> || geometry.takes_bytes(),
            "X must be float32 for the views of the forest");
  }
  template <class T>
  Matrix<T> rows_of(const Array2<T>& X) const {
    return predictor_.geometry().rows_of(X.data(), X.shape(0));
  }

  std::vector<nb::object> keep_;
  predict::Predictor predictor_;
};

}  // namespace

void bind_predict(nb::module_& m) {
  m.def(
      "check_children",
      [](const Array1<std::int64_t>& tree_offsets, const Array1<std::int32_t>& left) {
        check_children({tree_offsets.data(), tree_offsets.size()}, {left.data(), left.size()});
      },
      nb::arg("tree_offsets").noconvert(), nb::arg("left").noconvert(),
      "Raise a ValueError unless every node but a root is the child of one node before it.");
  nb::class_<BoundPredictor>(m, "Predictor", "Compiled form of a flat forest.")
      .def(nb::init<const nb::dict&, const Geometry&, const Sequence<int>&, bool,
                    const Array1<double>&>(),
           nb::arg("arrays"), nb::arg("geometry"), nb::arg("n_classes"), nb::arg("skip_empty"),
           nb::arg("fallback"))
      .def("apply", &BoundPredictor::apply<std::uint8_t>, nb::arg("X").noconvert(),
           nb::arg("n_threads"))
      .def("apply", &BoundPredictor::apply<float>, nb::arg("X").noconvert(), nb::arg("n_threads"))
      .def("predict", &BoundPredictor::predict<std::uint8_t>, nb::arg("X").noconvert(),
           nb::arg("aggregation"), nb::arg("n_threads"))
      .def("predict", &BoundPredictor::predict<float>, nb::arg("X").noconvert(),
           nb::arg("aggregation"), nb::arg("n_threads"))
      .def("predict_oob", &BoundPredictor::predict_oob, nb::arg("leaf_of_row"), nb::arg("inbag"),
           nb::arg("aggregation"))
      .def("shap_values", &BoundPredictor::shap_values<std::uint8_t>, nb::arg("X").noconvert(),
           nb::arg("aggregation"), nb::arg("n_threads"))
      .def("shap_values", &BoundPredictor::shap_values<float>, nb::arg("X").noconvert(),
           nb::arg("aggregation"), nb::arg("n_threads"),
           "Shapley values, rows x features x values, and the mean of the forest.")
      .def("has_empty_leaves", &BoundPredictor::has_empty_leaves,
           "Whether a leaf holds no training weight.")
      .def("importances", &BoundPredictor::importances,
           "Usage counts and gain importances per feature, and gains per cell of each view.")
      .def("nonlinear_kind", &BoundPredictor::nonlinear_kind, nb::arg("tree"),
           "Name of a kind among the atoms of a tree that is no weighted sum; None if all are.")
      .def("expand_atoms", &BoundPredictor::expand_atoms, nb::arg("tree"),
           "Atoms of a tree as CSR over nodes and features: offsets, features, weights.")
      .def("compile_atoms", &BoundPredictor::compile_atoms, nb::arg("nodes"),
           "Atoms of splits as sums of terms: the grid whose summed-area table each reads, -1 for "
           "features, and as CSR offsets, columns of that table, weights.")
      .def("atom_text", &BoundPredictor::atom_text, nb::arg("tree"), nb::arg("node"),
           "What the atom of a split computes, for people.");
}

}  // namespace mf::bindings
