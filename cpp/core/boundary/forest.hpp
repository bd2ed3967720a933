// A boundary forest that several threads may query and change at once: its state, and the locks.
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

  // Retrieval: removes stored points, all different, from all trees. The rows of this context are
  // the stored points, counted by their slots.
  void remove(std::span<const std::int64_t> ids, const CallContext& context);

  // Retrieval: the same, and learns other points under the same ids. No query sees the forest in
  // between.
  void replace(const Batch& batch, const CallContext& stored, const CallContext& context);

  // Returns reader(state), for predict, nearest and record_of. The state does not change meanwhile.
  template <class Reader>
  auto read_state(const InterruptFunction& check_interrupt, const Reader& reader) const {
    const auto lock = mutex_.read(check_interrupt);
    return reader(state_);
  }

  // These never change and need no lock.
  const Options& options() const { return state_.options; }
  std::size_t row_bytes() const { return state_.points().row_bytes(); }

  // Throws CalledFromInside in a thread that is reading or changing the forest.
  void refuse_from_inside() const { mutex_.refuse_from_inside(); }

  // The forest must be new and not shared between threads yet. Throws as boundary::restore does.
  void restore(Record record, std::uint8_t* rows, const InterruptFunction& check_interrupt);

 private:
  State state_;
  FairMutex mutex_;  // of the state; a writer holds it for a chunk of examples
  // Held by the one writer from its first example to its last. Between chunks the forest is
  // consistent.
  FairMutex writers_{FairMutex::AfterFork::free};
};

}  // namespace mf::boundary
