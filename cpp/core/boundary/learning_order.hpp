// All that is random in a boundary forest: in which order examples are learned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mf::boundary {

// 0, 1, ..., n - 1
std::vector<std::size_t> in_order(std::size_t n);

// The order in which a tree learns the others of the first m examples.
std::vector<std::size_t> start_order(std::uint64_t seed, std::size_t tree, std::size_t m);

// The order of n examples in a pass after the first.
std::vector<std::size_t> pass_order(std::uint64_t seed, std::size_t pass, std::size_t n);

// The seed of the order in which a tree learns points again after a removal; `arrival` is that of
// the first removed point.
std::uint64_t removal_seed(std::uint64_t seed, std::size_t tree, std::int64_t arrival);

}  // namespace mf::boundary
