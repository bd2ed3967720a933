#include "boundary/change.hpp"

#include <algorithm>
#include <utility>

#include "boundary/learning_order.hpp"
#include "boundary/removal.hpp"
#include "boundary/tree_learner.hpp"

namespace mf::boundary {
namespace {

// Examples of a chunk, which are learned while queries wait: a fraction of a second. Few at first,
// while every example changes the trees.
constexpr std::size_t kMostLearned = 2048, kFewestLearned = 64;

// Below this many examples trees share distances; more walk through each tree together.
constexpr std::size_t kFewRows = 16;

// Below this many points threads take longer to start than trees to change.
constexpr std::size_t kFewRemoved = 8;

}  // namespace

Change::Change(State& state, const FairMutex& mutex, const CallContext& context)
    : state_(state), mutex_(mutex), context_(context), n_seen_(state.n_seen) {
  for (Tree& tree : state_.trees.all) tree.start_change();
}

Change::~Change() {
  if (!committed_) roll_back();
}

// ------------------------------------------------------------------- removing

void Change::remove(std::vector<Slot> slots, const CallContext& context) {
  lock_.emplace(mutex_, true, context.check_interrupt);
  begun_ = true;
  removed_ = std::move(slots);
  const Trees& trees = state_.trees;
  if (removed_.size() == state_.points().n_stored()) {
    replace_trees({});
  } else if (trees.starting) {
    std::vector<Slot> starts = trees.starts;
    std::erase_if(starts, [&](Slot slot) {
      return std::find(removed_.begin(), removed_.end(), slot) != removed_.end();
    });
    replace_trees(start_trees(std::move(starts), {}, state_.examples, state_.options, context));
  } else {
    parallel_for_with_state(
        trees.all.size(), removed_.size() < kFewRemoved ? 1 : context.n_threads, [] { return 0; },
        [&](int, std::size_t t, InterruptCheck& interrupts) {
          remove_from_tree(
              state_.trees.all[t], removed_, state_.points(),
              removal_seed(state_.options.seed, t, state_.points().arrival(removed_[0])), context,
              interrupts);
        },
        context.check_interrupt);
  }
}

// ------------------------------------------------------------------- learning

void Change::read(const Batch& batch) {
  batch_ = batch;
  slot_of_row_.assign(batch.n, kNoSlot);
}

std::size_t Change::learn(std::span<const std::size_t> order, bool again) {
  std::size_t n_added = 0;
  for (std::size_t begin = 0, n = 0; begin < order.size(); begin += n) {
    if (begin > 0) context_.check_interrupt();
    const auto seen = static_cast<std::size_t>(state_.n_seen);
    n = std::min(std::clamp(seen / 4, kFewestLearned, kMostLearned), order.size() - begin);
    learn_chunk(order.subspan(begin, n), again);
    for (const auto& rows : added_) n_added += rows.size();
  }
  return n_added;
}

void Change::learn_chunk(std::span<const std::size_t> rows, bool again) {
  const bool was_locked = lock_.has_value();
  if (!was_locked) lock_.emplace(mutex_, true, context_.check_interrupt);
  begun_ = true;
  for (const std::size_t row : rows)
    if (slot_of_row_[row] == kNoSlot)
      slot_of_row_[row] =
          state_.examples.add(batch_, row, n_seen_ + static_cast<std::int64_t>(row));
  if (context_.keep)
    for (const std::size_t row : rows) context_.keep(slot_of_row_[row], row);
  const std::span<const std::size_t> others = again ? rows : take_starts(rows);
  if (!again) state_.n_seen += static_cast<std::int64_t>(rows.size());

  added_.resize(state_.trees.all.size());
  for (auto& added : added_) added.clear();
  learn_in_trees(others, again);
  for (const auto& added : added_)
    for (const std::size_t row : added) state_.examples.keep(slot_of_row_[row]);
  for (const std::size_t row : others)
    if (!state_.points().is_stored(slot_of_row_[row])) forget(row);
  // Not earlier: if anything was thrown, no query may read the state before it is rolled back.
  if (!was_locked) lock_.reset();
}

// The first n_trees examples become roots. Returns the others.
std::span<const std::size_t> Change::take_starts(std::span<const std::size_t> rows) {
  if (!state_.trees.starting) return rows;
  std::vector<Slot> starts = state_.trees.starts;
  const std::size_t n = std::min(state_.options.n_trees - starts.size(), rows.size());
  for (const std::size_t row : rows.first(n)) {
    starts.push_back(slot_of_row_[row]);
    state_.examples.keep(slot_of_row_[row]);
  }
  replace_trees(start_trees(std::move(starts), state_.trees.start_proxies, state_.examples,
                            state_.options, context_));
  return rows.subspan(n);
}

void Change::learn_in_trees(std::span<const std::size_t> rows, bool again) {
  if (rows.size() < kFewRows || context_.points_are_objects()) {
    InterruptCheck interrupts(context_.check_interrupt);
    for (const std::size_t row : rows) {
      learn_row(row, again);
      interrupts.poll();
    }
    return;
  }
  std::vector<Tree>& trees = state_.trees.all;
  parallel_for_with_state(
      trees.size(), context_.n_threads,
      [&] { return TreeLearner(context_.make_computer(state_.points())); },
      [&](TreeLearner& learner, std::size_t t, InterruptCheck& interrupts) {
        bool passed_match = false;
        learner.learn(
            trees[t], rows, interrupts,
            [&](std::size_t i) {
              passed_match = false;
              return find_matching_label(slot_of_row_[rows[i]], again, passed_match);
            },
            [&](std::size_t i, const Tree::Arrival& end) {
              add_unless_matched(t, rows[i], end, passed_match);
            });
      },
      context_.check_interrupt);
}

void Change::learn_row(std::size_t row, bool again) {
  if (!computer_) computer_ = context_.make_computer(state_.points());
  computer_->set_query_row(row);
  distances_.start(*computer_, state_.points().n_slots());
  const std::vector<Tree>& trees = state_.trees.all;
  for (std::size_t t = 0; t < trees.size(); ++t) {
    bool passed_match = false;
    const auto end =
        trees[t].walk(distances_, find_matching_label(slot_of_row_[row], again, passed_match));
    add_unless_matched(t, row, end, passed_match);
  }
}

void Change::add_unless_matched(std::size_t tree, std::size_t row, const Tree::Arrival& end,
                                bool passed_match) {
  const Slot slot = slot_of_row_[row];
  if (state_.examples.labels_match(end.slot, slot) || (passed_match && end.proxy == 0.0)) return;
  state_.trees.all[tree].add(end.place, slot);
  added_[tree].push_back(row);
}

// ------------------------------------------------------------------- ending

// Replaces all trees and keeps the old ones, to be rolled back.
void Change::replace_trees(Trees trees) noexcept {
  std::swap(state_.trees, trees);
  if (!old_trees_) old_trees_ = std::move(trees);
}

void Change::forget(std::size_t row) noexcept {
  state_.examples.release(slot_of_row_[row]);
  if (context_.drop) context_.drop(slot_of_row_[row]);
  slot_of_row_[row] = kNoSlot;
}

void Change::commit() noexcept {
  for (const Slot slot : removed_) {
    state_.examples.release(slot);
    if (context_.drop) context_.drop(slot);
  }
  for (Tree& tree : state_.trees.all) tree.end_change();
  committed_ = true;
}

void Change::roll_back() noexcept {
  if (!begun_) return;
  if (!lock_) lock_.emplace(mutex_, true, InterruptFunction{});
  if (old_trees_) state_.trees = std::move(*old_trees_);
  for (Tree& tree : state_.trees.all) tree.roll_back();
  state_.n_seen = n_seen_;
  for (const Slot slot : removed_) state_.examples.claim_id(slot);
  for (std::size_t row = 0; row < slot_of_row_.size(); ++row)
    if (slot_of_row_[row] != kNoSlot) forget(row);
}

}  // namespace mf::boundary
