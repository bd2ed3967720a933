#include "boundary/learning.hpp"

#include <algorithm>

#include "boundary/tree_learner.hpp"
#include "threads/parallel.hpp"

namespace mf {
namespace {

// Examples that are learned while queries wait: a fraction of a second. Few at first, while every
// example changes the trees.
constexpr std::size_t kMost = 2048, kFewest = 64;

// Below this many examples trees share distances; more walk through each tree together.
constexpr std::size_t kFewRows = 16;

}  // namespace

Learning::Learning(BoundaryForest& forest, const BoundaryBatch& batch, const BoundaryTools& tools)
    : forest_(forest),
      batch_(batch),
      tools_(tools),
      slot_of_row_(batch.n, kNoSlot),
      n_seen_(forest.n_seen_),
      was_starting_(forest.starting_) {
  if (!was_starting_) return;
  old_trees_ = forest.trees_;
  old_starts_ = forest.starts_;
}

std::size_t Learning::show(std::span<const std::size_t> order, bool again) {
  added_.resize(forest_.options_.n_trees);
  auto count = [this] {
    std::size_t n = 0;
    for (const auto& tree : added_) n += tree.size();
    return n;
  };
  const std::size_t before = count();
  for (std::size_t begin = 0, n = 0; begin < order.size(); begin += n) {
    if (begin > 0) tools_.watch();
    const auto seen = static_cast<std::size_t>(forest_.n_seen_);
    n = std::min(std::clamp(seen / 4, kFewest, kMost), order.size() - begin);
    show_some(order.subspan(begin, n), again);
  }
  return count() - before;
}

void Learning::show_some(std::span<const std::size_t> rows, bool again) {
  const auto lock = forest_.mutex_.write();
  for (const std::size_t row : rows)
    if (slot_of_row_[row] == kNoSlot)
      slot_of_row_[row] = forest_.store(batch_, row, n_seen_ + static_cast<std::int64_t>(row));
  if (tools_.keep)
    for (const std::size_t row : rows) tools_.keep(slot_of_row_[row], row);
  const std::span<const std::size_t> others = again ? rows : take_starts(rows);
  if (!again) forest_.n_seen_ += static_cast<std::int64_t>(rows.size());

  const std::size_t n_trees = forest_.trees_.size();
  std::vector<std::size_t> n_added(n_trees);
  for (std::size_t t = 0; t < n_trees; ++t) n_added[t] = added_[t].size();
  if (others.size() < kFewRows || tools_.measures_elsewhere())
    for (const std::size_t row : others) show_to_all_trees(row, again);
  else
    parallel_blocks(
        n_trees, tools_.n_threads, [&] { return TreeLearner(tools_.make_ruler()); },
        [&](TreeLearner& learner, std::size_t t) {
          bool met = false;
          learner.show(
              forest_.trees_[t], others,
              [&](std::size_t i) {
                met = false;
                return look_for_like(slot_of_row_[others[i]], again, met);
              },
              [&](std::size_t i, const BoundaryTree::Arrival& end) {
                settle(t, others[i], end, met);
              });
        },
        [] {});
  for (std::size_t t = 0; t < n_trees; ++t)
    for (std::size_t i = n_added[t]; i < added_[t].size(); ++i)
      forest_.points_.keep(slot_of_row_[added_[t][i].row]);
  for (const std::size_t row : others)
    if (!forest_.points_.is_stored(slot_of_row_[row])) forget(row);
}

// The first examples of all become roots. Returns the others.
std::span<const std::size_t> Learning::take_starts(std::span<const std::size_t> rows) {
  if (!forest_.starting_) return rows;
  const std::size_t missing = forest_.options_.n_trees - forest_.starts_.size();
  const std::size_t n = std::min(missing, rows.size());
  for (const std::size_t row : rows.first(n)) {
    forest_.starts_.push_back(slot_of_row_[row]);
    forest_.points_.keep(slot_of_row_[row]);
  }
  forest_.build_start(tools_);
  return rows.subspan(n);
}

void Learning::show_to_all_trees(std::size_t row, bool again) {
  if (!ruler_) ruler_ = tools_.make_ruler();
  ruler_->to_row(row);
  distances_.start(*ruler_, forest_.points_.n_slots());
  for (std::size_t t = 0; t < forest_.trees_.size(); ++t) {
    bool met = false;
    const auto end =
        forest_.trees_[t].walk(distances_, look_for_like(slot_of_row_[row], again, met));
    settle(t, row, end, met);
  }
}

void Learning::settle(std::size_t tree, std::size_t row, const BoundaryTree::Arrival& end,
                      bool met_its_like_here) {
  const Slot slot = slot_of_row_[row];
  if (forest_.alike(end.slot, slot) || (met_its_like_here && end.rank == 0.0)) return;
  forest_.trees_[tree].add(end.place, slot);
  added_[tree].push_back({row, end.place});
}

void Learning::forget(std::size_t row) {
  forest_.points_.release(slot_of_row_[row]);
  if (tools_.drop) tools_.drop(slot_of_row_[row]);
  slot_of_row_[row] = kNoSlot;
}

void Learning::undo() {
  const auto lock = forest_.mutex_.write();
  if (was_starting_) {
    forest_.trees_ = std::move(old_trees_);
    forest_.starts_ = std::move(old_starts_);
    forest_.start_ranks_.resize(std::min(forest_.start_ranks_.size(), forest_.starts_.size()));
    for (auto& ranks : forest_.start_ranks_) ranks.resize(forest_.start_ranks_.size());
    forest_.starting_ = true;
  } else {
    for (std::size_t t = 0; t < added_.size(); ++t)
      for (; !added_[t].empty(); added_[t].pop_back())
        forest_.trees_[t].take_back(added_[t].back().parent);
  }
  forest_.n_seen_ = n_seen_;
  for (std::size_t row = 0; row < batch_.n; ++row)
    if (slot_of_row_[row] != kNoSlot) forget(row);
}

}  // namespace mf
