#include "boundary/learning_order.hpp"

#include <numeric>

#include "base/rng.hpp"

namespace mf::boundary {

std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::vector<std::size_t> start_order(std::uint64_t seed, std::size_t tree, std::size_t m) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < m; ++i)
    if (i != tree) order.push_back(i);
  Rng rng(combine_seeds(tree_seed(seed, static_cast<int>(tree), Stream::start), m));
  shuffle(rng, order);
  return order;
}

std::vector<std::size_t> pass_order(std::uint64_t seed, std::size_t pass, std::size_t n) {
  std::vector<std::size_t> order = in_order(n);
  Rng rng(tree_seed(seed, static_cast<int>(pass), Stream::pass));
  shuffle(rng, order);
  return order;
}

std::uint64_t removal_seed(std::uint64_t seed, std::size_t tree, std::int64_t arrival) {
  return combine_seeds(tree_seed(seed, static_cast<int>(tree), Stream::start),
                       static_cast<std::uint64_t>(arrival));
}

}  // namespace mf::boundary
