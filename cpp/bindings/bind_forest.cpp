// Growing: the trainer, its options, and the arrays of a flat forest.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bound_trainer.hpp"

namespace mf::bindings {
namespace {

constexpr Words<train::EmptyLeaf, 4> kEmptyLeaves{"empty_leaf",
                                                  {{{"ignore", train::EmptyLeaf::ignore},
                                                    {"uniform", train::EmptyLeaf::uniform},
                                                    {"empirical", train::EmptyLeaf::empirical},
                                                    {"prune", train::EmptyLeaf::prune}}}};

}  // namespace

void bind_forest(nb::module_& m) {
  nb::class_<train::GrowOptions>(m, "GrowOptions", "Everything that can be set about growing.")
      .def(nb::init<>())
      .def_rw("n_trees", &train::GrowOptions::n_trees)
      .def_rw("first_tree", &train::GrowOptions::first_tree)
      .def_rw("seed", &train::GrowOptions::seed)
      // Words come as char*: if nanobind cannot allocate a std::string, it ends the process.
      .def_prop_rw(
          "objective", [](const train::GrowOptions& o) { return NamedObjective{o.objective}; },
          [](train::GrowOptions& o, const NamedObjective& objective) {
            o.objective = objective.of;
          })
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
      .def_rw("keep_samples", &train::GrowOptions::keep_samples)
      .def_rw("find_pruning_path", &train::GrowOptions::find_pruning_path);

  using ConstructBytes =
      nb::init<const Array2<std::uint8_t>&, const Geometry&, nb::handle_t<Sampler>, int>;
  using ConstructFloats =
      nb::init<const Array2<float>&, const Geometry&, nb::handle_t<Sampler>, int>;
  nb::class_<BoundTrainer>(m, "Trainer", "Examples, prepared for growing any number of forests.")
      .def(ConstructBytes(), nb::arg("X").noconvert(), nb::arg("geometry"), nb::arg("sampler"),
           nb::arg("n_threads"))
      .def(ConstructFloats(), nb::arg("X").noconvert(), nb::arg("geometry"), nb::arg("sampler"),
           nb::arg("n_threads"))
      .def("grow", &BoundTrainer::grow, nb::arg("y").noconvert().none(), nb::arg("strata"),
           nb::arg("draw_weight"), nb::arg("row_weight"), nb::arg("row_count"), nb::arg("options"),
           nb::arg("progress") = nb::none(), nb::arg("signs") = nb::none(),
           nb::arg("squared_distances").noconvert() = nb::none(), nb::arg("last") = false,
           "Grow a forest; returns the arrays of docs/architecture.md. After the last one columns\n"
           "are freed, before trees become arrays; another forest would have to copy them anew.");
}

}  // namespace mf::bindings
