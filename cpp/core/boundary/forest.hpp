// A boundary forest that several threads may ask and change at once: its state, and the locks.
#pragma once

#include <cstdint>
#include <span>

#include "base/fair_mutex.hpp"
#include "boundary/call_context.hpp"
#include "boundary/record.hpp"
#include "boundary/state.hpp"

namespace mf::boundary {

class Forest {
 public:
  Forest(const Options& options, std::size_t row_bytes) : state_(options, row_bytes) {}

  // Changes happen as a whole: if anything throws, the forest is as it was before.

  // Learns examples one by one.
  void learn(const Batch& batch, const CallContext& context);

  // Learns the same examples in several passes, all but the first in random order.
  struct Passes {
    std::size_t n = 0;
    bool converged = false;  // the last one added nothing
  };
  Passes learn_in_passes(const Batch& batch, std::size_t max_passes, const CallContext& context);

  // Retrieval: takes stored points, all different, out of all trees. The rows of these context are
  // the stored points, counted by their slots.
  void remove(std::span<const std::int64_t> ids, const CallContext& context);

  // Retrieval: the same, and learns other points under the same ids. No query sees the forest in
  // between.
  void replace(const Batch& batch, const CallContext& stored, const CallContext& context);

  // What `reader` answers, which is given the state: predict, nearest, record_of. Nothing changes
  // meanwhile.
  template <class Reader>
  auto read_state(const InterruptFunction& check_interrupt, const Reader& reader) const {
    const auto lock = mutex_.read(check_interrupt);
    return reader(state_);
  }

  // What never changes is read without a lock.
  const Options& options() const { return state_.options; }
  std::size_t row_bytes() const { return state_.points().row_bytes(); }

  // Throws CalledFromInside in a thread that asks or changes the forest.
  void refuse_from_inside() const { mutex_.refuse_from_inside(); }

  // The forest must be new, and nobody else may know it. Throws as boundary::restore does.
  void restore(Record record, std::uint8_t* rows, const InterruptFunction& check_interrupt);

 private:
  State state_;
  FairMutex mutex_;  // of the state: reading, or writing for a few examples
  // One writer at a time, from its first example to its last. In between the forest is whole.
  FairMutex writers_{FairMutex::AfterFork::free};
};

}  // namespace mf::boundary
