// What is to be predicted: class indices or real numbers, one or several outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/table.hpp"

namespace mf {

struct Response {
  std::size_t n_outputs = 1;
  std::vector<int> n_classes;            // per output; empty for regression
  const std::int32_t* labels = nullptr;  // n × n_outputs, classification
  const double* values = nullptr;        // n × n_outputs, regression

  bool is_classification() const { return !n_classes.empty(); }

  // Numbers in the value block of a node: classes of all outputs side by side, or one per output.
  std::size_t block_size() const {
    if (!is_classification()) return n_outputs;
    std::size_t size = 0;
    for (const int k : n_classes) size += static_cast<std::size_t>(k);
    return size;
  }
};

// The rows of one node gathered into contiguous arrays, shared by all candidates of the node.
struct NodeSample {
  std::size_t n_outputs = 1;
  std::vector<std::int32_t> labels;  // size × n_outputs
  std::vector<double> values;        // size × n_outputs
  std::vector<double> weight;        // what the criterion sees
  std::vector<std::int64_t> count;   // multiplicity, what min_samples_leaf counts
  double total_weight = 0.0;
  std::int64_t total_count = 0;

  std::size_t size() const { return weight.size(); }
  void gather(const Response& response, std::span<const Row> rows,
              const std::vector<double>& row_weight, const std::vector<std::int32_t>& row_count);
};

inline void NodeSample::gather(const Response& response, std::span<const Row> rows,
                               const std::vector<double>& row_weight,
                               const std::vector<std::int32_t>& row_count) {
  n_outputs = response.n_outputs;
  const std::size_t m = rows.size();
  weight.resize(m);
  count.resize(m);
  total_weight = 0.0;
  total_count = 0;
  for (std::size_t i = 0; i < m; ++i) {
    weight[i] = row_weight[static_cast<std::size_t>(rows[i])];
    count[i] = row_count[static_cast<std::size_t>(rows[i])];
    total_weight += weight[i];
    total_count += count[i];
  }
  auto copy = [&](const auto* from, auto& to) {
    to.resize(m * n_outputs);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t o = 0; o < n_outputs; ++o)
        to[i * n_outputs + o] = from[static_cast<std::size_t>(rows[i]) * n_outputs + o];
  };
  if (response.is_classification())
    copy(response.labels, labels);
  else
    copy(response.values, values);
}

}  // namespace mf
