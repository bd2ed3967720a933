#include "train/growing_tree.hpp"

#include <algorithm>

namespace mf::train {
namespace {

// Numbers of nodes, each with its value, for which memory is reserved at most.
constexpr std::size_t kMostReserved = std::size_t{1} << 23;

// About how many nodes a tree of so many rows has if every split that may be made is made.
std::size_t most_nodes(const GrowOptions& options, std::size_t n_rows) {
  const auto least = static_cast<std::size_t>(std::max<std::int64_t>(options.min_samples_leaf, 1));
  std::size_t n_leaves = least > 1 ? 2 * n_rows / least : n_rows;
  if (options.max_depth >= 0 && options.max_depth < 31)
    n_leaves = std::min(n_leaves, std::size_t{1} << options.max_depth);
  if (options.max_leaf_nodes > 0)
    n_leaves = std::min(n_leaves, static_cast<std::size_t>(options.max_leaf_nodes));
  return 2 * n_leaves;
}

}  // namespace

void reserve_most(Part& part, const GrowOptions& options, std::size_t n_rows,
                  std::size_t value_width) {
  const std::size_t n = most_nodes(options, n_rows);
  if (n * value_width <= kMostReserved) part.reserve(n, value_width, {n / 2, n / 2, n / 2});
}

}  // namespace mf::train
