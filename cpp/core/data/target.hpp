// What is to be predicted: class indices or real numbers, one or several outputs, or points of
// which only the distances count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mf {

// A view: the caller owns the arrays.
struct Target {
  std::size_t n_rows = 0;
  std::size_t n_outputs = 0;
  std::vector<int> n_classes;            // per output; empty unless there are labels
  const std::int32_t* labels = nullptr;  // n × n_outputs, class indices
  const double* values = nullptr;        // n × n_outputs, numbers or coordinates

  // Responses on a manifold have coordinates, whose squares are added with a sign (empty: all
  // are positive), or squared distances, or both.
  std::vector<double> signs;                 // per output
  const float* squared_distances = nullptr;  // n × n, symmetric

  bool is_classification() const { return labels != nullptr; }
};

}  // namespace mf
