// A forest as it is stored.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

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

// The state must be new. Rows stay where they are. Throws std::invalid_argument if the record does
// not hold together, and what `watch` throws; the state is then new still.
void restore(State& state, Record record, std::uint8_t* rows, const std::function<void()>& watch);

}  // namespace mf::boundary
