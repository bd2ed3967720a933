// The search for the split of one large node by its owner and all idle workers, from the candidate
// on at which the owner finds that there are any.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "train/worker.hpp"

namespace mf::train {

// In nodes of fewer rows, the search ends before a second worker could begin.
constexpr std::size_t kMinSharedRows = std::size_t{1} << 15;

// Each worker takes the next candidate, projects it and starts its search, which takes long.
// Decisions are made in the order of the candidates, each knowing the best split of those before
// it: the result is that of one worker. There is no deadlock: the worker whose turn it is waits for
// no other.
class SharedSearch {
 public:
  // What the owner has found already.
  struct Begun {
    std::size_t n_candidates = 0;  // that were tried
    bool some_varied = false;      // one of them was not constant
    std::optional<Split> best;
  };

  // Of the owner's node and candidates, which must stay as they are until finish() returns.
  SharedSearch(Worker& owner, const RotatedData* rotated, std::span<const Row> rows, Begun begun)
      : stop_(owner.inputs.stop),
        candidates_(owner.candidates),
        sample_(owner.sample),
        rotated_(rotated),
        rows_(rows),
        draw_(owner.draw),
        next_(begun.n_candidates),
        turn_(begun.n_candidates),
        some_varied_(begun.some_varied),
        best_(std::move(begun.best)) {}

  // Takes candidates until there are none. The owner's projector and finder are at the node.
  // `before_each` is called before each of them.
  template <class BeforeEach>
  void work(Worker& owner, const BeforeEach& before_each) {
    while (const auto candidate = take()) {
      before_each();
      search(owner, *candidate);
    }
  }
  // The same by another worker, which may come too late to find anything to do.
  void help(Worker& worker);

  // Called when a worker fails: the others stop waiting for its decision.
  void fail();
  // Waits until all helpers have left; help() then returns at once.
  void finish() noexcept;

  // What was found, after finish(). A helper that failed has set `stop` or will.
  const std::optional<Split>& best() const { return best_; }
  bool some_varied() const { return some_varied_; }
  bool failed() const { return failed_; }

 private:
  std::optional<std::size_t> take();
  void search(Worker& worker, std::size_t candidate);
  void wait_for_turn(std::size_t candidate);
  void decide(Worker& worker, std::size_t candidate, bool saw_missing);
  void leave();

  const std::atomic<bool>& stop_;
  const AtomList& candidates_;
  const NodeSample& sample_;
  const RotatedData* const rotated_;
  const std::span<const Row> rows_;
  DrawContext& draw_;  // used by the worker whose turn it is

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::size_t next_;  // candidate to be taken
  std::size_t turn_;  // candidate to be decided
  std::size_t n_helpers_ = 0;
  bool closed_ = false;  // no more helpers
  bool failed_ = false;
  // Written by the worker whose turn it is, which sees earlier writes: turns are passed on under
  // the mutex. Other workers read best_ only, so it is written under the mutex, too.
  bool some_varied_;  // a candidate was not constant
  std::optional<Split> best_;
};

}  // namespace mf::train
