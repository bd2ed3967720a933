// Predicting and looking into a flat forest.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "bind.hpp"
#include "forest/check_forest.hpp"
#include "predict/importance.hpp"
#include "predict/predictor.hpp"
#include "projections/terms.hpp"

namespace mf::bindings {
namespace {

// A predictor together with the arrays it looks at.
class BoundPredictor {
 public:
  BoundPredictor(const nb::dict& arrays, const Geometry& geometry, const Sequence<int>& n_classes,
                 bool skip_empty, const Array1<double>& fallback)
      : BoundPredictor(arrays, geometry, to_vector<int>(n_classes), skip_empty, fallback) {}
  BoundPredictor(const nb::dict& arrays, const Geometry& geometry,
                 const std::vector<int>& n_classes, bool skip_empty, const Array1<double>& fallback)
      : predictor_(checked(arrays, geometry, keep_), geometry,
                   voting(n_classes, skip_empty, fallback)) {
    require(fallback.size() == predictor_.block(),
            "fallback must have one entry per column of value");
    require(n_classes.empty() || std::accumulate(n_classes.begin(), n_classes.end(),
                                                 std::size_t{0}) == predictor_.block(),
            "n_classes must sum to the number of columns of value");
  }

  template <class T>
  Owned<std::int32_t> apply(const Array2<T>& X, int n_threads) const {
    check(X.shape(1));
    std::vector<std::int32_t> leaves(X.shape(0) * predictor_.n_trees());
    {
      const nb::gil_scoped_release released;
      predictor_.apply(to_matrix(X), n_threads, leaves.data(), check_signals);
    }
    return to_numpy(std::move(leaves), {X.shape(0), predictor_.n_trees()});
  }

  template <class T>
  Owned<double> predict(const Array2<T>& X, bool hard, int n_threads) const {
    check(X.shape(1));
    std::vector<double> out(X.shape(0) * predictor_.block());
    {
      const nb::gil_scoped_release released;
      predictor_.predict(to_matrix(X), hard, n_threads, out.data(), check_signals);
    }
    return to_numpy(std::move(out), {X.shape(0), predictor_.block()});
  }

  std::pair<Owned<double>, Owned<std::int32_t>> predict_oob(const Array2<std::int32_t>& leaf_of_row,
                                                            const Array2<std::int32_t>& inbag,
                                                            bool hard) const {
    require(leaf_of_row.shape(0) == predictor_.n_trees() &&
                inbag.shape(0) == predictor_.n_trees() && leaf_of_row.shape(1) == inbag.shape(1),
            "leaf_of_row and inbag must be trees x rows");
    const std::size_t n_rows = inbag.shape(1);
    std::vector<double> out(n_rows * predictor_.block());
    std::vector<std::int32_t> used(n_rows);
    {
      const nb::gil_scoped_release released;
      predictor_.predict_oob(leaf_of_row.data(), inbag.data(), n_rows, hard, out.data(),
                             used.data());
    }
    return {to_numpy(std::move(out), {n_rows, predictor_.block()}), to_numpy(std::move(used))};
  }

 private:
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
  void check(std::size_t width) const {
    require(width == predictor_.n_features(), "X must have " +
                                                  std::to_string(predictor_.n_features()) +
                                                  " features, got " + std::to_string(width));
  }

  std::vector<nb::object> keep_;
  predict::Predictor predictor_;
};

std::tuple<Owned<std::int64_t>, Owned<std::int32_t>, Owned<float>> expand_atoms(
    const nb::dict& arrays, const Geometry& geometry, std::size_t tree) {
  std::vector<nb::object> keep;
  const FlatForest forest = view_forest(arrays, keep);
  check_forest(forest, geometry);
  require(tree < forest.n_trees(), "tree must be below " + std::to_string(forest.n_trees()));
  const Rotation rotation = forest.rotation(tree);
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> features, all_features;
  std::vector<float> weights, all_weights;
  for (std::int64_t node = forest.tree_offsets[tree]; node < forest.tree_offsets[tree + 1];
       ++node) {
    const auto i = static_cast<std::size_t>(node);
    if (!forest.is_leaf(i)) {
      expand(forest.atom(i), geometry, rotation, features, weights);
      all_features.insert(all_features.end(), features.begin(), features.end());
      all_weights.insert(all_weights.end(), weights.begin(), weights.end());
    }
    offsets.push_back(static_cast<std::int64_t>(all_features.size()));
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(all_features)),
          to_numpy(std::move(all_weights))};
}

std::pair<Owned<double>, Owned<double>> bound_importances(const nb::dict& arrays,
                                                          const Geometry& geometry) {
  std::vector<nb::object> keep;
  const FlatForest forest = view_forest(arrays, keep);
  check_forest(forest, geometry);
  predict::Importances result = predict::importances(forest, geometry);
  return {to_numpy(std::move(result.usage)), to_numpy(std::move(result.gain))};
}

}  // namespace

void bind_predict(nb::module_& m) {
  nb::class_<BoundPredictor>(m, "Predictor", "Compiled form of a flat forest.")
      .def(nb::init<const nb::dict&, const Geometry&, const Sequence<int>&, bool,
                    const Array1<double>&>(),
           nb::arg("arrays"), nb::arg("geometry"), nb::arg("n_classes"), nb::arg("skip_empty"),
           nb::arg("fallback"))
      .def("apply", &BoundPredictor::apply<std::uint8_t>, nb::arg("X").noconvert(),
           nb::arg("n_threads"))
      .def("apply", &BoundPredictor::apply<float>, nb::arg("X").noconvert(), nb::arg("n_threads"))
      .def("predict", &BoundPredictor::predict<std::uint8_t>, nb::arg("X").noconvert(),
           nb::arg("hard"), nb::arg("n_threads"))
      .def("predict", &BoundPredictor::predict<float>, nb::arg("X").noconvert(), nb::arg("hard"),
           nb::arg("n_threads"))
      .def("predict_oob", &BoundPredictor::predict_oob, nb::arg("leaf_of_row"), nb::arg("inbag"),
           nb::arg("hard"));
  m.def("expand_atoms", &expand_atoms, nb::arg("arrays"), nb::arg("geometry"), nb::arg("tree"),
        "Atoms of a tree as CSR over nodes and features: offsets, features, weights.");
  m.def("importances", &bound_importances, nb::arg("arrays"), nb::arg("geometry"),
        "Usage counts and gain importances per feature.");
}

}  // namespace mf::bindings
