#include "train/shared_search.hpp"

namespace mf::train {

std::optional<std::size_t> SharedSearch::take() {
  const std::lock_guard lock(mutex_);
  // After a lossless split later candidates can only tie.
  if (failed_ || next_ == candidates_.size() || (best_ && best_->perfect)) return std::nullopt;
  return next_++;
}

void SharedSearch::help(Worker& worker) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    ++n_helpers_;
  }
  try {
    worker.projector->start_tree(rotated_);
    worker.projector->start_node(rows_);
    worker.finder->start_node(sample_);
    while (const auto candidate = take()) search(worker, *candidate);
  } catch (...) {
    fail();
    leave();
    throw;
  }
  leave();
}

void SharedSearch::leave() {
  const std::lock_guard lock(mutex_);
  --n_helpers_;
  changed_.notify_all();
}

void SharedSearch::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

void SharedSearch::finish() noexcept {
  std::unique_lock lock(mutex_);
  closed_ = true;
  changed_.wait(lock, [&] { return n_helpers_ == 0; });
}

void SharedSearch::search(Worker& worker, std::size_t candidate) {
  if (stop_) throw Stopped{};  // a large node takes long
  const Column column = worker.projector->project(candidates_[candidate]);
  const bool varied = !column.constant();
  if (varied) {
    worker.finder->start_column(column);
    worker.finder->anticipate();
  }
  wait_for_turn(candidate);
  // Only the worker whose turn it is gets here.
  if (varied) decide(worker, candidate, column.range.n_missing > 0);
  const std::lock_guard lock(mutex_);
  ++turn_;
  changed_.notify_all();
}

void SharedSearch::wait_for_turn(std::size_t candidate) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return turn_ == candidate || failed_; });
  if (failed_) throw Stopped{};
}

void SharedSearch::decide(Worker& worker, std::size_t candidate, bool saw_missing) {
  some_varied_ = true;
  auto found =
      worker.finder->decide(best_ ? best_->gain : kNoSplitYet, draw_.threshold_stream(candidate));
  if (!found || (best_ && best_->perfect)) return;
  found->candidate = candidate;
  found->saw_missing = saw_missing;
  const std::lock_guard lock(mutex_);  // take() reads it
  best_ = found;
}

}  // namespace mf::train
