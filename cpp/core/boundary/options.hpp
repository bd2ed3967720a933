// What a boundary forest is to learn, and how large it is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mf::boundary {

enum class Task : std::uint8_t { retrieve, classify, regress };

struct Options {
  Task task = Task::classify;
  std::size_t n_trees = 50;
  std::size_t max_children = 50;  // in [2, 65535]
  std::size_t n_outputs = 0;      // regression
  double tolerance = 0.0;         // regression: labels match if they are this close
  std::uint64_t seed = 0;
};

}  // namespace mf::boundary
