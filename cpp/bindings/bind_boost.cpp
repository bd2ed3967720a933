// Boosting, round by round.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "bind.hpp"
#include "boost/booster.hpp"
#include "bound_trainer.hpp"

namespace mf::bindings {
namespace {

using boost::Booster;

// Loops that compilers vectorise.
void check_weights(const train::RowWeights& rows, const RowNumbers<double>& held_out_weight) {
  const std::size_t n_rows = rows.n_rows;
  bool all_held_out = true, all_counted = true, some_learned = false;
  held_out_weight.with_each([&](const auto& weight) {
    for (std::size_t i = 0; i < held_out_weight.n_different(n_rows); ++i)
      all_held_out &= weight(i) >= 0.0;
  });
  require(all_held_out, "held_out_weight must not be negative");
  rows.row_weight.with_each([&](const auto& weight) {
    rows.row_count.with_each([&](const auto& count) {
      for (std::size_t i = 0; i < n_rows; ++i) {
        all_counted &= (weight(i) > 0.0) == (count(i) > 0);
        some_learned |= weight(i) > 0.0;
      }
    });
  });
  require(all_counted, "rows must have both a weight and a count, or none of them");
  require(some_learned, "row_weight must not be zero for all rows");
}

// A booster together with the trainer and the arrays it reads.
class BoundBooster {
 public:
  BoundBooster(nb::handle_t<BoundTrainer> trainer, const char* loss, const TargetArray& y,
               const RowArray<std::int32_t>& strata, const RowArray<double>& row_weight,
               const RowArray<std::int64_t>& row_count, const RowArray<double>& held_out_weight,
               const std::optional<Array2<double>>& sums, const train::GrowOptions& options,
               double learning_rate, double l2)
      : trainer_(nb::borrow(trainer)),
        y_(y),
        strata_(strata),
        row_weight_(row_weight),
        row_count_(row_count),
        held_out_weight_(held_out_weight) {
    train::Trainer& grower = nb::cast<BoundTrainer&>(trainer).trainer();
    const std::size_t n_rows = grower.n_rows();
    const Target target = to_target(y, options.n_classes, {}, {}, n_rows);
    boost::BoostOptions given{boost::find_loss(loss), learning_rate, l2, options};
    given.loss->check(target);
    check_options(options, target);
    require(!options.bootstrap && !options.honest && options.ccp_alpha == 0.0,
            "trees of boosting have no bootstrap, no honesty and no pruning");
    require(std::isfinite(learning_rate) && learning_rate > 0.0,
            "learning_rate must be a finite number above 0");
    require(std::isfinite(l2) && l2 >= 0.0, "l2 must be a finite number of at least 0");
    const train::RowWeights weights =
        to_row_weights(strata, row_weight, row_weight, row_count, n_rows);
    const auto held_out = to_row_numbers(held_out_weight, n_rows, "held_out_weight");
    check_weights(weights, held_out);
    start_ = given.loss->start(target, weights.row_weight);
    require(!sums || (sums->shape(0) == n_rows && sums->shape(1) == start_.size()),
            "sums must be rows x scores");
    std::span<const double> before;
    if (sums) before = {sums->data(), sums->size()};
    const nb::gil_scoped_release released;
    booster_ = std::make_unique<Booster>(grower, target, weights, held_out, start_, before, given);
  }

  Owned<double> start() const { return to_numpy(start_); }

  std::pair<double, double> losses() const {
    require(booster_ != nullptr, "the booster has failed or given its trees away");
    return {booster_->losses().training, booster_->losses().validation};
  }

  std::pair<double, double> grow_tree() {
    require(booster_ != nullptr, "the booster has failed or given its trees away");
    const train::Progress hook = progress_hook(std::nullopt);
    try {
      const nb::gil_scoped_release released;
      booster_->grow_tree(hook);
    } catch (...) {
      booster_.reset();
      throw;
    }
    return losses();
  }

  nb::dict take_trees(std::size_t n) {
    require(booster_ != nullptr, "the booster has failed or given its trees away");
    require(n >= 1, "n must be at least 1");
    train::FlatArrays arrays = train::flatten(booster_->take_trees(n));
    require(arrays.n_trees() >= 1, "no tree was grown");
    booster_.reset();
    return to_dict(std::move(arrays), 0);
  }

 private:
  nb::object trainer_;
  TargetArray y_;
  RowArray<std::int32_t> strata_;
  RowArray<double> row_weight_;
  RowArray<std::int64_t> row_count_;
  RowArray<double> held_out_weight_;
  std::vector<double> start_;
  std::unique_ptr<Booster> booster_;
};

std::vector<std::string> names_of_losses() {
  std::vector<std::string> names;
  for (const auto& loss : boost::losses()) names.emplace_back(loss->name());
  return names;
}

}  // namespace

void bind_boost(nb::module_& m) {
  nb::class_<BoundBooster>(m, "Booster", "Grows trees on the derivatives of a loss, one by one.")
      .def(nb::init<nb::handle_t<BoundTrainer>, const char*, const TargetArray&,
                    const RowArray<std::int32_t>&, const RowArray<double>&,
                    const RowArray<std::int64_t>&, const RowArray<double>&,
                    const std::optional<Array2<double>>&, const train::GrowOptions&, double,
                    double>(),
           nb::arg("trainer"), nb::arg("loss"), nb::arg("y").noconvert(), nb::arg("strata"),
           nb::arg("row_weight"), nb::arg("row_count"), nb::arg("held_out_weight"),
           nb::arg("sums").none(), nb::arg("options"), nb::arg("learning_rate"), nb::arg("l2"))
      .def_prop_ro("start", &BoundBooster::start, nb::rv_policy::automatic,
                   "Scores of all rows before the first tree.")
      .def_prop_ro("losses", &BoundBooster::losses,
                   "Mean losses of the rows that are learned and of those that are held out.")
      .def("grow_tree", &BoundBooster::grow_tree, "Grow one tree; returns the losses after it.")
      .def("take_trees", &BoundBooster::take_trees, nb::arg("n"),
           "Take out the first n trees that were grown, as the arrays of docs/architecture.md.");
  m.def("losses", &names_of_losses, "Names of all losses.");
}

}  // namespace mf::bindings
