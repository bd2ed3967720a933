// A loop over blocks of rows that several threads may share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace mf {

// Calls body(block) for every block below n_blocks, in any order and perhaps on several threads at
// a time, and returns when all are done.
using BlockLoop =
    std::function<void(std::size_t n_blocks, const std::function<void(std::size_t block)>& body)>;

// Rows of a block: a fraction of a millisecond.
constexpr std::size_t kBlockRows = std::size_t{1} << 14;

// Calls body(block, first row, end) for blocks of n rows.
template <class Body>
void for_row_blocks(const BlockLoop& loop, std::size_t n, const Body& body) {
  loop((n + kBlockRows - 1) / kBlockRows, [&](std::size_t block) {
    body(block, block * kBlockRows, std::min(n, (block + 1) * kBlockRows));
  });
}

}  // namespace mf
