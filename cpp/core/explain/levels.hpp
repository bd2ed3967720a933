// What a walk keeps of the path it is on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "explain/aligned.hpp"
#include "explain/path_tree.hpp"
#include "explain/quadrature.hpp"

namespace mf::explain {

// The numbers of a walk that a tree has on each level.
class Levels {
 public:
  // For walks of so many points and lanes.
  void resize(const PathTree& tree, std::size_t n_points, std::size_t lanes) {
    const std::size_t n_levels = tree.n_levels(), size = padded(n_points) * lanes;
    std::size_t n_numbers = n_levels * (size + padded(n_points));
    for (const std::int32_t n : tree.most_columns) n_numbers += static_cast<std::size_t>(n) * size;
    numbers_.reserve(n_numbers);
    if (open_.size() < n_levels) open_.resize(n_levels);
    products_.clear();
    inverses_.clear();
    sums_.clear();
    double* at = numbers_.data();
    for (const std::int32_t n : tree.most_columns) {
      products_.push_back(at);
      sums_.push_back(at + size);
      at += size * (1 + static_cast<std::size_t>(n));
      inverses_.push_back(at);
      at += padded(n_points);
    }
  }
  double* const* products() const { return products_.data(); }
  double* const* inverses() const { return inverses_.data(); }
  double* const* sums() const { return sums_.data(); }
  std::int32_t* open() { return open_.data(); }

 private:
  AlignedNumbers numbers_;
  std::vector<double*> products_;
  std::vector<double*> inverses_;
  std::vector<double*> sums_;
  std::vector<std::int32_t> open_;
};

}  // namespace mf::explain
