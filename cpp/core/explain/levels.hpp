// What a walk keeps of the path it is on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/path_tree.hpp"

namespace mf::explain {

// The numbers of a walk that a tree has on each level.
class Levels {
 public:
  void resize(const PathTree& tree, std::size_t size) {
    const std::size_t n_levels = tree.n_levels();
    std::size_t n_numbers = n_levels * size;
    for (const std::int32_t n : tree.most_columns) n_numbers += static_cast<std::size_t>(n) * size;
    if (numbers_.size() < n_numbers) numbers_.resize(n_numbers);
    if (open_.size() < n_levels) open_.resize(n_levels);
    products_.clear();
    sums_.clear();
    double* at = numbers_.data();
    for (const std::int32_t n : tree.most_columns) {
      products_.push_back(at);
      sums_.push_back(at + size);
      at += size * (1 + static_cast<std::size_t>(n));
    }
  }
  double* const* products() const { return products_.data(); }
  double* const* sums() const { return sums_.data(); }
  std::int32_t* open() { return open_.data(); }

 private:
  std::vector<double> numbers_;
  std::vector<double*> products_;
  std::vector<double*> sums_;
  std::vector<std::int32_t> open_;
};

}  // namespace mf::explain
