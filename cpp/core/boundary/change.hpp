// A change of what a forest has learned: points are removed, then others are learned. It happens as
// a whole or not at all.
//
// If anything throws (an allocation, the start of a thread, a metric, an interrupt), the destructor
// rolls everything back, for which it allocates no memory.
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

  // Removes stored points from all trees. Queries wait from now on until the change has ended. The
  // rows of this context are the stored points, counted by their slots.
  void remove(std::vector<Slot> slots, const CallContext& context);

  // Sets the batch that is to be learned.
  void read(const Batch& batch);
  // Learns rows of the batch in all trees, in this order; returns how many nodes were added. A row
  // that is learned `again` is not added if its walk ends at distance 0 and has passed a node at
  // distance 0 with a matching label: otherwise two equal points with different labels would be
  // added in turn for ever.
  std::size_t learn(std::span<const std::size_t> order, bool again);

  // Ends the change and keeps it.
  void commit() noexcept;

 private:
  void learn_chunk(std::span<const std::size_t> rows, bool again);
  std::span<const std::size_t> take_starts(std::span<const std::size_t> rows);
  void learn_in_trees(std::span<const std::size_t> rows, bool again);
  void learn_row(std::size_t row, bool again);
  // Adds the row where its walk ended, unless its label matches there; see learn() for
  // passed_match.
  void add_unless_matched(std::size_t tree, std::size_t row, const Tree::Arrival& end,
                          bool passed_match);
  // Called at each node that a walk passes: sets passed_match for learn().
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
  // Held while a chunk is learned, or to the end once points were removed or something has failed.
  std::optional<FairMutex::Guard> lock_;
  bool begun_ = false;  // the lock was taken: there may be something to roll back
  bool committed_ = false;

  std::unique_ptr<DistanceComputer> computer_;
  SharedDistances distances_;
  std::vector<std::vector<std::size_t>> added_;  // per tree: rows of the last chunk that were added

  // What to roll back, apart from what the trees have logged.
  std::int64_t n_seen_;
  std::optional<Trees> old_trees_;  // if all were replaced
  std::vector<Slot> slot_of_row_;   // points that were added
  std::vector<Slot> removed_;       // points that are released by commit()
};

}  // namespace mf::boundary
