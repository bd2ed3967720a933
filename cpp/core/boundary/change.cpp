#include "boundary/change.hpp"

#include <algorithm>
#include <utility>

#include "boundary/removal.hpp"
#include "boundary/tree_learner.hpp"

namespace mf::boundary {
namespace {

// Examples that are learned while queries wait: a fraction of a second. Few at first, while every
// example changes the trees.
constexpr std::size_t kMost = 2048, kFewest = 64;

// Below this many examples trees share distances; more walk through each tree together.
constexpr std::size_t kFewRows = 16;

// Below this many points threads take longer to start than trees to change.
constexpr std::size_t kFewRemoved = 8;

}  // namespace

Change::Change(Forest& forest, const Tools& tools)
    : forest_(forest), tools_(tools), n_seen_(forest.n_seen_) {
  for (Tree& tree : forest_.grown_.trees) tree.start_change();
}

Change::~Change() {
  if (!kept_) take_back();
}

// ------------------------------------------------------------------- removing

void Change::remove(std::vector<Slot> slots, const Tools& tools) {
  lock_.emplace(forest_.mutex_, true, tools.watch);
  begun_ = true;
  removed_ = std::move(slots);
  const Forest::Trees& grown = forest_.grown_;
  if (removed_.size() == forest_.points_.n_stored()) {
    replace_trees({});
  } else if (grown.starting) {
    std::vector<Slot> starts = grown.starts;
    std::erase_if(starts, [&](Slot slot) {
      return std::find(removed_.begin(), removed_.end(), slot) != removed_.end();
    });
    replace_trees(forest_.start_trees(std::move(starts), {}, tools));
  } else {
    parallel_blocks(
        grown.trees.size(), removed_.size() < kFewRemoved ? 1 : tools.n_threads, [] { return 0; },
        [&](int, std::size_t t, Lookout& lookout) {
          remove_from_tree(forest_.grown_.trees[t], removed_, forest_.points_,
                           forest_.removal_seed(t, removed_[0]), tools, lookout);
        },
        tools.watch);
  }
}

// ------------------------------------------------------------------- learning

void Change::read(const Batch& batch) {
  batch_ = batch;
  slot_of_row_.assign(batch.n, kNoSlot);
}

std::size_t Change::show(std::span<const std::size_t> order, bool again) {
  std::size_t n_added = 0;
  for (std::size_t begin = 0, n = 0; begin < order.size(); begin += n) {
    if (begin > 0) tools_.watch();
    const auto seen = static_cast<std::size_t>(forest_.n_seen_);
    n = std::min(std::clamp(seen / 4, kFewest, kMost), order.size() - begin);
    show_some(order.subspan(begin, n), again);
    for (const auto& rows : added_) n_added += rows.size();
  }
  return n_added;
}

void Change::show_some(std::span<const std::size_t> rows, bool again) {
  const bool was_locked = lock_.has_value();
  if (!was_locked) lock_.emplace(forest_.mutex_, true, tools_.watch);
  begun_ = true;
  for (const std::size_t row : rows)
    if (slot_of_row_[row] == kNoSlot)
      slot_of_row_[row] = forest_.store(batch_, row, n_seen_ + static_cast<std::int64_t>(row));
  if (tools_.keep)
    for (const std::size_t row : rows) tools_.keep(slot_of_row_[row], row);
  const std::span<const std::size_t> others = again ? rows : take_starts(rows);
  if (!again) forest_.n_seen_ += static_cast<std::int64_t>(rows.size());

  added_.resize(forest_.grown_.trees.size());
  for (auto& added : added_) added.clear();
  show_to_trees(others, again);
  for (const auto& added : added_)
    for (const std::size_t row : added) forest_.points_.keep(slot_of_row_[row]);
  for (const std::size_t row : others)
    if (!forest_.points_.is_stored(slot_of_row_[row])) forget(row);
  // Not before: if anything was thrown, nobody may look until it has been taken back.
  if (!was_locked) lock_.reset();
}

// The first examples of all become roots. Returns the others.
std::span<const std::size_t> Change::take_starts(std::span<const std::size_t> rows) {
  if (!forest_.grown_.starting) return rows;
  std::vector<Slot> starts = forest_.grown_.starts;
  const std::size_t n = std::min(forest_.options_.n_trees - starts.size(), rows.size());
  for (const std::size_t row : rows.first(n)) {
    starts.push_back(slot_of_row_[row]);
    forest_.points_.keep(slot_of_row_[row]);
  }
  replace_trees(forest_.start_trees(std::move(starts), forest_.grown_.start_ranks, tools_));
  return rows.subspan(n);
}

void Change::show_to_trees(std::span<const std::size_t> rows, bool again) {
  if (rows.size() < kFewRows || tools_.measures_elsewhere()) {
    Lookout lookout(tools_.watch);
    for (const std::size_t row : rows) {
      show_to_all_trees(row, again);
      lookout.worked();
    }
    return;
  }
  std::vector<Tree>& trees = forest_.grown_.trees;
  parallel_blocks(
      trees.size(), tools_.n_threads, [&] { return TreeLearner(tools_.make_ruler()); },
      [&](TreeLearner& learner, std::size_t t, Lookout& lookout) {
        bool met = false;
        learner.show(
            trees[t], rows, lookout,
            [&](std::size_t i) {
              met = false;
              return look_for_like(slot_of_row_[rows[i]], again, met);
            },
            [&](std::size_t i, const Tree::Arrival& end) { settle(t, rows[i], end, met); });
      },
      tools_.watch);
}

void Change::show_to_all_trees(std::size_t row, bool again) {
  if (!ruler_) ruler_ = tools_.make_ruler();
  ruler_->to_row(row);
  distances_.start(*ruler_, forest_.points_.n_slots());
  const std::vector<Tree>& trees = forest_.grown_.trees;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    bool met = false;
    const auto end = trees[t].walk(distances_, look_for_like(slot_of_row_[row], again, met));
    settle(t, row, end, met);
  }
}

void Change::settle(std::size_t tree, std::size_t row, const Tree::Arrival& end,
                    bool met_its_like_here) {
  const Slot slot = slot_of_row_[row];
  if (forest_.alike(end.slot, slot) || (met_its_like_here && end.rank == 0.0)) return;
  forest_.grown_.trees[tree].add(end.place, slot);
  added_[tree].push_back(row);
}

// ------------------------------------------------------------------- ending

// All trees at once: what was there before is kept whole.
void Change::replace_trees(Forest::Trees trees) noexcept {
  std::swap(forest_.grown_, trees);
  if (!old_trees_) old_trees_ = std::move(trees);
}

void Change::forget(std::size_t row) noexcept {
  forest_.points_.release(slot_of_row_[row]);
  if (tools_.drop) tools_.drop(slot_of_row_[row]);
  slot_of_row_[row] = kNoSlot;
}

void Change::keep() noexcept {
  for (const Slot slot : removed_) {
    forest_.points_.release(slot);
    if (tools_.drop) tools_.drop(slot);
  }
  for (Tree& tree : forest_.grown_.trees) tree.end_change();
  kept_ = true;
}

void Change::take_back() noexcept {
  if (!begun_) return;
  if (!lock_) lock_.emplace(forest_.mutex_, true, FairMutex::Watch{});
  if (old_trees_) forest_.grown_ = std::move(*old_trees_);
  for (Tree& tree : forest_.grown_.trees) tree.take_back();
  forest_.n_seen_ = n_seen_;
  for (const Slot slot : removed_) forest_.points_.claim_id(slot);
  for (std::size_t row = 0; row < slot_of_row_.size(); ++row)
    if (slot_of_row_[row] != kNoSlot) forget(row);
}

}  // namespace mf::boundary
