// What a forest predicts, from where the walks of a query end.
#pragma once

#include <cstddef>
#include <vector>

#include "boundary/call_context.hpp"
#include "boundary/state.hpp"

namespace mf::boundary {

// Queries × n_columns: shares of classes, or means of values, over the ends of the walks through
// all trees. An end at distance d weighs d^-power (Shepard's rule; Mathy et al. 2015); if some are
// at distance 0, only these count, and equally. Classes beyond the columns, which another thread
// may have added in the meantime, are left out.
std::vector<double> predict(const State& state, std::size_t n_queries, std::size_t n_columns,
                            double power, const CallContext& context);

}  // namespace mf::boundary
