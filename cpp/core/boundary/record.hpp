// A forest as it is stored.
#pragma once

#include <cstdint>
#include <vector>

#include "base/interrupt.hpp"
#include "boundary/state.hpp"

namespace mf::boundary {

// Points in order of arrival, their slots counted in that order. Rows are kept beside it.
struct Record {
  std::vector<std::int64_t> ids, arrivals;
  std::vector<std::int32_t> classes;
  std::vector<double> values;
  std::vector<std::int64_t> tree_offsets{0};  // into the nodes of all trees, preorder
  std::vector<std::int32_t> node_slot, node_children;
  std::vector<std::int32_t> starts;  // while there are fewer than n_trees
  bool starting = true;
  std::int64_t n_seen = 0;
};

Record record_of(const State& state);

// The state must be new. Rows are not copied. Throws std::invalid_argument if the record is not
// consistent, or what check_interrupt() throws; the state is then unchanged.
void restore(State& state, Record record, std::uint8_t* rows,
             const InterruptFunction& check_interrupt);

}  // namespace mf::boundary
