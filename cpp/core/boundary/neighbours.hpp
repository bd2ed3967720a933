// The nearest stored points of queries.
#pragma once

#include <cstdint>
#include <vector>

#include "boundary/call_context.hpp"
#include "boundary/state.hpp"

namespace mf::boundary {

// Which points may be found.
struct PointFilter {
  std::vector<std::int64_t> ids;
  bool may_be_gone = false;  // ids of no point are ignored instead of an error
};

// Of each query, nearest first, queries × k.
struct Neighbours {
  std::size_t k = 0;
  std::vector<std::int64_t> ids;
  std::vector<double> distances;
};

// The k nearest of the points that are measured for each query: an index measures `effort` of them
// (search_best_first), or all if there are no more; forests that learn labels those on the walks
// through all trees. Where these hold too few that may be found, all are measured. If `among` is
// not null, only points there are found; throws UnknownId.
Neighbours nearest(const State& state, std::size_t n_queries, std::size_t k, std::size_t effort,
                   const PointFilter* among, const CallContext& context);

}  // namespace mf::boundary
