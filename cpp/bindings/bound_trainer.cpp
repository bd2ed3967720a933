#include "bound_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"

namespace mf::bindings {
namespace {

constexpr std::int64_t kMaxDraws = std::numeric_limits<std::int32_t>::max();

// Of number(i) for i below n. One addition would wait for the one before.
template <class Number>
double sum_in_any_order(std::size_t n, const Number& number) {
  constexpr std::size_t kLanes = 8;
  double sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) sums[k] += number(i + k);
  for (; i < n; ++i) sums[0] += number(i);
  return std::accumulate(sums, sums + kLanes, 0.0);
}

}  // namespace

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
  if (arrays.weight_offsets.empty())  // nobody writes to them: one array may have two names
    out["weight_offsets"] = out["atom_offsets"];
  else
    out["weight_offsets"] = to_numpy(std::move(arrays.weight_offsets));
  out["atom_weights"] = to_numpy(std::move(arrays.atom_weights));
  if (r > 0) {
    out["rotation_dims"] = to_numpy(std::move(arrays.rotation_dims), {n_trees, r});
    out["rotations"] = to_numpy(std::move(arrays.rotations), {n_trees, r, r});
  }
  std::visit(
      [&](auto& inbag) {
        if (inbag.empty()) return;
        out["leaf_of_row"] = to_numpy(std::move(arrays.leaf_of_row), {n_trees, n_training_rows});
        out["inbag"] = to_numpy(std::move(inbag), {n_trees, n_training_rows});
      },
      arrays.inbag);
  if (!arrays.path_alphas.empty()) {
    out["path_offsets"] = to_numpy(std::move(arrays.path_offsets));
    out["path_alphas"] = to_numpy(std::move(arrays.path_alphas));
    out["path_impurities"] = to_numpy(std::move(arrays.path_impurities));
  }
  return out;
}

train::RowWeights to_row_weights(const RowArray<std::int32_t>& strata,
                                 const RowArray<double>& draw_weight,
                                 const RowArray<double>& row_weight,
                                 const RowArray<std::int64_t>& row_count, std::size_t n_rows) {
  const char* const all = "each of strata, draw_weight, row_weight and row_count";
  const train::RowWeights rows{
      to_row_numbers(strata, n_rows, all), to_row_numbers(draw_weight, n_rows, all),
      to_row_numbers(row_weight, n_rows, all), to_row_numbers(row_count, n_rows, all), n_rows};
  // A forest may be grown tree by tree: loops that compilers vectorise.
  rows.strata.with_each([&](const auto& stratum) {
    bool negative = false;
    for (std::size_t i = 0; i < rows.strata.n_different(n_rows); ++i) negative |= stratum(i) < 0;
    require(!negative, "strata must not be negative");
  });
  for (const auto& each : {rows.draw_weight, rows.row_weight})
    each.with_each([&](const auto& weight) {
      bool valid = true;
      const std::size_t n = each.n_different(n_rows);
      for (std::size_t i = 0; i < n; ++i) valid &= weight(i) >= 0.0;
      require(valid, "draw_weight and row_weight must be numbers of at least 0");
      const double times = n < n_rows ? static_cast<double>(n_rows) : 1.0;
      require(std::isfinite(times * sum_in_any_order(n, weight)),
              "draw_weight and row_weight must have finite sums");
    });
  rows.row_count.with_each([&](const auto& count) {
    bool valid = true;  // each of them: the sum of less than 2^31 is below 2^62
    std::int64_t n_copies = 0;
    const std::size_t n = rows.row_count.n_different(n_rows);
    for (std::size_t i = 0; i < n; ++i) valid &= count(i) >= 0 && count(i) <= kMaxDraws;
    for (std::size_t i = 0; valid && i < n; ++i) n_copies += count(i);
    if (valid && n < n_rows) n_copies *= static_cast<std::int64_t>(n_rows);
    require(valid && n_copies <= kMaxDraws,
            "row_count must not be negative, nor sum to more than 2**31 - 1");
  });
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

train::Progress progress_hook(const Callback& callback) {
  return [callback](int done, int total) {
    check_signals();
    const nb::gil_scoped_acquire gil;
    if (callback) (*callback)(done, total);
  };
}

nb::dict BoundTrainer::grow(const OptionalTarget& y, const RowArray<std::int32_t>& strata,
                            const RowArray<double>& draw_weight, const RowArray<double>& row_weight,
                            const RowArray<std::int64_t>& row_count,
                            const train::GrowOptions& given, const Callback& progress,
                            const OptionalSigns& signs, const OptionalDistances& squared_distances,
                            bool last) {
  const train::GrowOptions options = given;  // a copy: other threads may change `given`
  const std::size_t n_rows = trainer_->n_rows();
  const Target target = to_target(y, options.n_classes, signs, squared_distances, n_rows);
  options.objective->check(target);
  check_options(options, target);
  require(y.has_value() || !trainer_->sampler().reads_node(),
          "y must be there for directions that are derived from it");
  const train::RowWeights rows = to_row_weights(strata, draw_weight, row_weight, row_count, n_rows);
  const train::Progress hook = progress_hook(progress);
  train::FlatArrays arrays;
  {
    const nb::gil_scoped_release released;
    std::vector<train::FinishedTree> trees = trainer_->grow(target, rows, options, hook);
    if (last) trainer_->forget_columns();  // flattening needs room for trees and arrays
    arrays = train::flatten(std::move(trees), [&](std::size_t n, const auto& body) {
      parallel_for(n, trainer_->n_threads(), body);
    });
  }
  return to_dict(std::move(arrays), n_rows);
}

}  // namespace mf::bindings
