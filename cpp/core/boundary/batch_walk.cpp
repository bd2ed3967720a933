#include "boundary/batch_walk.hpp"

#include <algorithm>

namespace mf::boundary {

// Both choices are made without a branch, which would be mispredicted too often. Not inlined: in
// some contexts compilers would make branches of them.
distances::NearestRow first_least(const double* proxies, std::size_t n) {
  const double* first = proxies;
  double least = *first;
  for (const double* next = proxies + 1; next != proxies + n; ++next) {
    first = *next < least ? next : first;
    least = *next < least ? *next : least;
  }
  return {static_cast<std::uint32_t>(first - proxies), least};
}

void BatchWalk::start(const Tree& tree, DistanceComputer& computer,
                      std::span<const std::size_t> rows) {
  const std::size_t n = rows.size();
  root_proxies_.resize(n);
  order_.resize(n);
  parted_.resize(n);
  nearest_.resize(n);
  least_.resize(n);
  here_.resize(n);
  const Slot root = tree.root().slot;
  computer.measure_tile(rows, {&root, 1}, root_proxies_.data());
  for (std::size_t i = 0; i < n; ++i) {
    here_[i] = {Place{}, root, root_proxies_[i]};
    order_[i] = static_cast<std::uint32_t>(i);
  }
  stack_.assign(1, {tree.root(), 0, n});
}

// Groups the queries that go on to the same child; those that stay are done.
void BatchWalk::part(std::span<const Child> children, const Group& group) {
  counts_.assign(children.size() + 2, 0);
  for (std::size_t k = group.begin; k < group.end; ++k) ++counts_[nearest_[order_[k]] + 1];
  for (std::size_t c = 0; c < children.size(); ++c) {
    if (counts_[c + 1] > 0 && children[c].list != Tree::kLeaf)
      stack_.push_back(
          {children[c], group.begin + counts_[c], group.begin + counts_[c] + counts_[c + 1]});
    counts_[c + 1] += counts_[c];
  }
  for (std::size_t k = group.begin; k < group.end; ++k)
    parted_[group.begin + counts_[nearest_[order_[k]]]++] = order_[k];
  std::copy(parted_.begin() + static_cast<std::ptrdiff_t>(group.begin),
            parted_.begin() + static_cast<std::ptrdiff_t>(group.end),
            order_.begin() + static_cast<std::ptrdiff_t>(group.begin));
}

}  // namespace mf::boundary
