// Rules by which a node is not split whatever a search would find.
#pragma once

#include <cstddef>
#include <cstdint>

#include "train/options.hpp"

namespace mf::train {

inline bool at_max_depth(const GrowOptions& options, int depth) {
  return options.max_depth >= 0 && depth >= options.max_depth;
}

// Of a node with so many rows, which count as often as `count` says.
inline bool may_split(const GrowOptions& options, int depth, std::size_t n_rows,
                      std::int64_t count) {
  if (at_max_depth(options, depth) || n_rows < 2) return false;
  return count >= options.min_samples_split && count / 2 >= options.min_samples_leaf;
}

}  // namespace mf::train
