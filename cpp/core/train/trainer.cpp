#include "train/trainer.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/freed_memory.hpp"
#include "views/cells.hpp"

namespace mf::train {
namespace {

// Trees that repay the encoding of a column in the time that they save.
constexpr std::size_t kWorthwhileTrees = 8;

// From so many values on memory that was freed is given back between the steps of a fit.
constexpr std::size_t kManyValues = std::size_t{1} << 20;

std::vector<std::size_t> largest_patches(const Geometry& geometry, const Sampler& sampler) {
  std::vector<std::size_t> largest;
  for (std::size_t g = 0; g < geometry.grids.size(); ++g)
    largest.push_back(sampler.largest_patch(static_cast<int>(g)));
  return largest;
}

}  // namespace

template <class T>
Trainer::Trainer(const Matrix<T>& X, Geometry geometry, const Sampler& sampler, int n_threads)
    : geometry_(std::move(geometry)),
      sampler_(sampler),
      n_threads_(std::max(1, n_threads)),
      n_rows_(X.n_rows) {
  sampler_.check(geometry_);
  const auto data = std::make_shared<Dataset<T>>(X, cells_of(X, geometry_.views, n_threads_),
                                                 geometry_.grids, ColumnsAs::none,
                                                 largest_patches(geometry_, sampler_), n_threads_);
  new_codes_ = [this, data](const InterruptFunction& check_interrupt) {
    return std::make_unique<const CodeRows>(data->matrix(), data->feature_major(), n_threads_,
                                            check_interrupt);
  };
  new_projector_ = [this, data] { return make_projector(*data, geometry_); };
  keep_columns_ = [this, data](ColumnsAs columns, const InterruptFunction& check_interrupt) {
    data->keep_columns(columns, n_threads_, check_interrupt);
  };
  has_floats_ = std::is_same_v<T, float>;
}

// One per tree, or more where trees have rows enough to be shared.
int Trainer::count_workers(const GrowOptions& options) const {
  const std::size_t per_tree = std::max<std::size_t>(1, n_rows_ / kMinGivenRows);
  const std::size_t useful = static_cast<std::size_t>(options.n_trees) * per_tree;
  return static_cast<int>(std::min(useful, static_cast<std::size_t>(n_threads_)));
}

// Encoding a column takes as long as some searches of it: it must be searched often enough. The
// number of trees must not matter, or a forest that is grown in two calls would be another one.
ColumnsAs Trainer::best_columns(const GrowOptions& options) const {
  if (!sampler_.reads_raw()) return ColumnsAs::none;
  if (!has_floats_ || !sampler_.only_features()) return ColumnsAs::values;
  if (!options.objective->prefers_codes(options.splitter)) return ColumnsAs::values;
  const auto n_levels = static_cast<std::size_t>(std::bit_width(n_rows_));
  const std::size_t searched = n_levels * static_cast<std::size_t>(options.n_candidates);
  return kWorthwhileTrees * searched >= geometry_.n_features ? ColumnsAs::codes : ColumnsAs::values;
}

void Trainer::prepare_columns(const GrowOptions& options, const Progress& progress) {
  const InterruptFunction check_interrupt = [&] { progress(0, options.n_trees); };
  keep_best_columns(options, check_interrupt);
  if (searches_codes_ && !codes_) codes_ = new_codes_(check_interrupt);
}

void Trainer::keep_best_columns(const GrowOptions& options,
                                const InterruptFunction& check_interrupt) {
  const ColumnsAs wanted = best_columns(options);
  if (wanted == kept_) return;
  const bool many = n_rows_ * geometry_.n_features >= kManyValues;
  projectors_.clear();  // which read what was kept
  kept_ = ColumnsAs::none;
  if (many) return_freed_memory();  // of whoever has made the rows and weights
  keep_columns_(wanted, check_interrupt);
  kept_ = wanted;
  if (many) return_freed_memory();  // of sorted columns
}

FairMutex::Guard Trainer::wait_for_others() const {
  try {
    return growing_.write();
  } catch (const CalledFromInside&) {
    throw std::runtime_error("progress must not call grow of the trainer that calls it");
  } catch (const LostByFork&) {
    throw std::runtime_error(
        "the trainer cannot be used in this process: another thread was growing a forest with it "
        "when the process was forked");
  }
}

void Trainer::forget_columns() {
  const FairMutex::Guard alone = wait_for_others();
  projectors_.clear();
  memories_.clear();
  spills_.clear();
  codes_.reset();
  kept_ = ColumnsAs::none;
  keep_columns_(ColumnsAs::none, [] {});
  if (n_rows_ * geometry_.n_features >= kManyValues) return_freed_memory();
}

void Trainer::search_codes() {
  const FairMutex::Guard alone = wait_for_others();
  searches_codes_ = true;
}

std::vector<FinishedTree> Trainer::grow(const Target& target, const RowWeights& rows,
                                        const GrowOptions& options, const Progress& progress,
                                        const AfterTree& after_tree) {
  if (options.n_trees <= 0) return {};
  const FairMutex::Guard alone = wait_for_others();
  std::atomic<bool> stop{false};
  std::atomic<int> next{0}, done{0};
  std::atomic<std::size_t> n_growers{0};
  JobQueue<Worker> jobs(stop);
  Pending unfinished{options.n_trees};
  const int n_workers = count_workers(options);
  prepare_columns(options, progress);
  const auto have_enough = [&](auto& of_workers, const auto& make_one) {
    while (of_workers.size() < static_cast<std::size_t>(n_workers))
      of_workers.push_back(make_one());
  };
  have_enough(projectors_, new_projector_);
  have_enough(spills_, std::make_unique<Spill>);
  have_enough(memories_, std::make_unique<GrowMemory>);
  const GrowInputs inputs{options, target,    rows,         sampler_,   stop,
                          jobs,    n_workers, codes_.get(), has_floats_};
  std::vector<FinishedTree> trees(static_cast<std::size_t>(options.n_trees));
  auto work = [&](int thread) {
    const auto index = static_cast<std::size_t>(thread);
    Worker worker(inputs, thread, *projectors_[index], *spills_[index]);
    std::optional<Grower> grower;  // in the first memory that is free, not in new pages
    for (int t = next++; t < options.n_trees && !stop; t = next++) {
      if (!grower) grower.emplace(worker, *memories_[n_growers++]);
      FinishedTree& tree = trees[static_cast<std::size_t>(t)];
      tree = grower->grow(options.first_tree + t);
      if (after_tree) after_tree(tree, grower->loop());
      ++done;
      jobs.finish_one(unfinished);
    }
    jobs.work_until_done(worker, unfinished);
  };
  threads_.run(n_workers, stop, work, [&] { progress(done, options.n_trees); });
  progress(options.n_trees, options.n_trees);
  return trees;
}

template Trainer::Trainer(const Matrix<std::uint8_t>&, Geometry, const Sampler&, int);
template Trainer::Trainer(const Matrix<float>&, Geometry, const Sampler&, int);

}  // namespace mf::train
