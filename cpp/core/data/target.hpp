// What is to be predicted: class indices or real numbers, one or several outputs, or points of
// which only the distances count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mf {

struct Target {
  std::size_t n_outputs = 1;
  std::vector<int> n_classes;            // per output; empty for regression
  const std::int32_t* labels = nullptr;  // n × n_outputs, classification
  const double* values = nullptr;        // n × n_outputs, regression

  // Responses in a metric space: coordinates, whose squares are added with a sign (empty: all are
  // positive), or squared distances, or both. With distances alone the values are one coordinate.
  bool metric = false;
  std::vector<double> signs;                 // per output
  const float* squared_distances = nullptr;  // n × n, symmetric
  std::size_t n_rows = 0;

  bool is_classification() const { return !n_classes.empty(); }

  // Numbers in the value block of a node: classes of all outputs side by side, one per output, or
  // the first coordinate.
  std::size_t block_size() const {
    if (metric) return 1;
    if (!is_classification()) return n_outputs;
    std::size_t size = 0;
    for (const int k : n_classes) size += static_cast<std::size_t>(k);
    return size;
  }
};

}  // namespace mf
