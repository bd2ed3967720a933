// One change of what a forest has learned, which happens as a whole or not at all: points go, then
// others come.
//
// Whatever throws on the way (memory that is not there, a thread that does not start, a metric,
// an interrupt), the destructor takes everything back, and for that needs no memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/fair_mutex.hpp"
#include "base/parallel.hpp"
#include "boundary/state.hpp"

namespace mf::boundary {

class Change {
 public:
  // The caller is the only writer. Readers of the state hold the mutex; the change takes it for
  // writing while it changes anything.
  Change(State& state, const FairMutex& mutex, const CallContext& context);
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  // Takes stored points out of all trees. Queries wait from now on until the change has ended.
  // The rows of these context are the stored points, counted by their slots.
  void remove(std::vector<Slot> slots, const CallContext& context);

  // The batch that is to be shown.
  void read(const Batch& batch);
  // Shows rows of the batch to all trees, in this order; returns how many nodes were added. Rows
  // that are shown `again` are not added where a walk ends in the same place and has passed an
  // example with their label there: two examples in one place with different labels would take
  // turns for ever.
  std::size_t learn(std::span<const std::size_t> order, bool again);

  // Ends the change; it stays.
  void commit() noexcept;

 private:
  void learn_chunk(std::span<const std::size_t> rows, bool again);
  std::span<const std::size_t> take_starts(std::span<const std::size_t> rows);
  void learn_in_trees(std::span<const std::size_t> rows, bool again);
  void learn_row(std::size_t row, bool again);
  // Adds the row where its walk ended, unless it is like what is there.
  void add_unless_matched(std::size_t tree, std::size_t row, const Tree::Arrival& end,
                          bool passed_match);
  // What to do with a node that a walk passes.
  auto find_matching_label(Slot slot, bool again, bool& passed_match) const {
    return [this, slot, again, &passed_match](Slot passed, double proxy) {
      if (again && proxy == 0.0) passed_match |= state_.examples.labels_match(passed, slot);
    };
  }
  void replace_trees(Trees trees) noexcept;
  void forget(std::size_t row) noexcept;
  void roll_back() noexcept;

  State& state_;
  const FairMutex& mutex_;
  const CallContext& context_;
  Batch batch_;
  // While a few examples are learned, or for good once something was removed or has failed.
  std::optional<FairMutex::Guard> lock_;
  bool begun_ = false;  // it has had the lock, and something may be different
  bool committed_ = false;

  std::unique_ptr<DistanceComputer> computer_;
  SharedDistances distances_;
  std::vector<std::vector<std::size_t>> added_;  // per tree: rows of those shown last

  // What to take back, apart from what the trees remember.
  std::int64_t n_seen_;
  std::optional<Trees> old_trees_;  // if all were replaced
  std::vector<Slot> slot_of_row_;   // points that came
  std::vector<Slot> removed_;       // points that go at the end
};

}  // namespace mf::boundary
