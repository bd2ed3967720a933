// Growing: the trainer, its options, and the arrays of a flat forest.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <variant>

#include "forest/flatten.hpp"
#include "problem.hpp"
#include "train/trainer.hpp"

namespace mf::bindings {
namespace {

constexpr Words<train::EmptyLeaf, 4> kEmptyLeaves{"empty_leaf",
                                                  {{{"ignore", train::EmptyLeaf::ignore},
                                                    {"uniform", train::EmptyLeaf::uniform},
                                                    {"empirical", train::EmptyLeaf::empirical},
                                                    {"prune", train::EmptyLeaf::prune}}}};

// The arrays of docs/architecture.md.
nb::dict to_dict(train::FlatArrays arrays, std::size_t n_training_rows) {
  nb::dict out;
  const std::size_t n_trees = arrays.n_trees(), n_nodes = arrays.n_nodes();
  const std::size_t r = arrays.rotation_size;
  out["tree_offsets"] = to_numpy(std::move(arrays.tree_offsets));
  out["left"] = to_numpy(std::move(arrays.left));
  out["kind"] = to_numpy(std::move(arrays.kind));
  out["threshold"] = to_numpy(std::move(arrays.threshold));
  out["missing_left"] = to_numpy(std::move(arrays.missing_left));
  out["gain"] = to_numpy(std::move(arrays.gain));
  out["weight"] = to_numpy(std::move(arrays.weight));
  if (!arrays.shares.empty()) {
    const std::size_t width = arrays.shares.size() / n_nodes;
    out["value"] = to_numpy(std::move(arrays.shares), {n_nodes, width});
  } else {
    const std::size_t width = arrays.means.size() / n_nodes;
    out["value"] = to_numpy(std::move(arrays.means), {n_nodes, width});
  }
  out["atom_kind"] = to_numpy(std::move(arrays.atom_kind));
  out["atom_offsets"] = to_numpy(std::move(arrays.atom_offsets));
  out["atom_ints"] = to_numpy(std::move(arrays.atom_ints));
  out["weight_offsets"] = to_numpy(std::move(arrays.weight_offsets));
  out["atom_weights"] = to_numpy(std::move(arrays.atom_weights));
  if (r > 0) {
    out["rotation_dims"] = to_numpy(std::move(arrays.rotation_dims), {n_trees, r});
    out["rotations"] = to_numpy(std::move(arrays.rotations), {n_trees, r, r});
  }
  if (!arrays.inbag.empty()) {
    out["leaf_of_row"] = to_numpy(std::move(arrays.leaf_of_row), {n_trees, n_training_rows});
    out["inbag"] = to_numpy(std::move(arrays.inbag), {n_trees, n_training_rows});
  }
  if (!arrays.path_alphas.empty()) {
    out["path_offsets"] = to_numpy(std::move(arrays.path_offsets));
    out["path_alphas"] = to_numpy(std::move(arrays.path_alphas));
    out["path_impurities"] = to_numpy(std::move(arrays.path_impurities));
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
  const train::RowWeights rows{strata.data(), draw_weight.data(), row_weight.data(),
                               row_count.data(), n_rows};
  // A forest may be grown tree by tree: plain loops over plain arrays.
  const std::int32_t* const end = rows.strata + n_rows;
  require(std::all_of(rows.strata, end, [](std::int32_t s) { return s >= 0; }),
          "strata must not be negative");
  for (const double* weight : {rows.draw_weight, rows.row_weight}) {
    require(std::all_of(weight, weight + n_rows, [](double w) { return w >= 0.0; }),
            "draw_weight and row_weight must be numbers of at least 0");
    require(std::isfinite(std::accumulate(weight, weight + n_rows, 0.0)),
            "draw_weight and row_weight must have finite sums");
  }
  std::int64_t n_copies = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    require(rows.row_count[i] >= 0 && rows.row_count[i] <= kMaxDraws - n_copies,
            "row_count must not be negative, nor sum to more than 2**31 - 1");
    n_copies += rows.row_count[i];
  }
  return rows;
}

void check_options(const train::GrowOptions& options, const Target& target) {
  require(options.n_trees >= 1, "n_trees must be at least 1");
  require(options.n_candidates >= 1, "n_candidates must be at least 1");
  require(options.n_draws <= kMaxDraws, "n_draws must be at most 2**31 - 1");
  require(options.honest_fraction >= 0.0 && options.honest_fraction <= 1.0,
          "honest_fraction must be between 0 and 1");
  require(target.is_classification() || !options.balanced_subsample,
          "balanced_subsample is for classes");
}

using Callback = std::optional<nb::typed<nb::callable, void(int, int)>>;

// Checks for signals such as Ctrl-C, in the calling thread.
train::Progress progress_hook(const Callback& callback) {
  return [callback](int done, int total) {
    check_signals();
    const nb::gil_scoped_acquire gil;
    if (callback) (*callback)(done, total);
  };
}

// A trainer together with the examples it reads.
class BoundTrainer {
 public:
  template <class T>
  BoundTrainer(const Array2<T>& X, const Geometry& geometry, nb::handle_t<Sampler> sampler,
               int n_threads)
      : examples_(X), sampler_(nb::borrow(sampler)) {
    require(X.shape(0) < (std::size_t{1} << 31), "X must have fewer than 2**31 rows");
    require(X.shape(1) == geometry.row_width(), "X does not have as many columns as the geometry");
    require((std::is_same_v<T, float>) || geometry.takes_bytes(),
            "X must be float32 for the views of the geometry");
    const auto& drawn_from = nb::cast<const Sampler&>(sampler);
    const nb::gil_scoped_release released;
    trainer_ = std::make_unique<train::Trainer>(geometry.rows_of(X.data(), X.shape(0)), geometry,
                                                drawn_from, n_threads);
  }

  nb::dict grow(const OptionalTarget& y, const Array1<std::int32_t>& strata,
                const Array1<double>& draw_weight, const Array1<double>& row_weight,
                const Array1<std::int64_t>& row_count, const train::GrowOptions& given,
                const Callback& progress, const OptionalSigns& signs,
                const OptionalDistances& squared_distances) {
    const train::GrowOptions options = given;  // a copy: other threads may change `given`
    const std::size_t n_rows = trainer_->n_rows();
    const Target target = to_target(y, options.n_classes, signs, squared_distances, n_rows);
    options.objective->check(target);
    check_options(options, target);
    require(y.has_value() || !trainer_->sampler().reads_node(),
            "y must be there for directions that are derived from it");
    const train::RowWeights rows =
        to_row_weights(strata, draw_weight, row_weight, row_count, n_rows);
    const train::Progress hook = progress_hook(progress);
    train::FlatArrays arrays;
    {
      const nb::gil_scoped_release released;
      arrays = train::flatten(trainer_->grow(target, rows, options, hook));
    }
    return to_dict(std::move(arrays), n_rows);
  }

 private:
  std::variant<Array2<std::uint8_t>, Array2<float>> examples_;
  nb::object sampler_;  // not a shared_ptr: if nanobind cannot allocate one, it ends the process
  std::unique_ptr<train::Trainer> trainer_;
};

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
           nb::arg("squared_distances").noconvert() = nb::none(),
           "Grow a forest; returns the arrays of docs/architecture.md.");
}

}  // namespace mf::bindings
