// Blocks of a loop that several workers take one by one, each from a share of its own first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

namespace mf {

// Shares are neighbouring blocks, the same ones in every loop of as many blocks: what a worker has
// written in one loop is in its cache when it comes to the next. A worker that has done its share
// takes from those of others.
class DealtBlocks {
 public:
  DealtBlocks(std::size_t n_blocks, int n_workers)
      : shares_(static_cast<std::size_t>(std::max(1, n_workers))) {
    const std::size_t n = shares_.size();
    for (std::size_t w = 0; w < n; ++w) {
      shares_[w].next = begin_of(w, n_blocks);
      shares_[w].end = begin_of(w + 1, n_blocks);
    }
  }

  // The next block for a worker, below n_workers; none if all are taken. For any threads.
  std::optional<std::size_t> take(int worker) {
    const std::size_t n = shares_.size();
    for (std::size_t k = 0; k < n; ++k) {
      Share& share = shares_[(static_cast<std::size_t>(worker) + k) % n];
      if (share.next.load(std::memory_order_relaxed) >= share.end) continue;
      const std::size_t block = share.next.fetch_add(1, std::memory_order_relaxed);
      if (block < share.end) return block;
    }
    return std::nullopt;
  }

 private:
  // In a cache line of its own: most of the time only its worker writes to it.
  struct alignas(64) Share {
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  // Far from an overflow: there are at most 1024 workers, and fewer blocks than rows or nodes.
  std::size_t begin_of(std::size_t worker, std::size_t n_blocks) const {
    return worker * n_blocks / shares_.size();
  }

  std::vector<Share> shares_;
};

}  // namespace mf
