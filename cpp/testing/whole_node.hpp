// A node that holds all rows, for tests of searches and criteria.
#pragma once

#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace mf::bindings {

struct WholeNode {
  WholeNode(const Target& target, const Array1<double>& weight,
            const std::vector<std::int32_t>& counts)
      : rows(weight.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Row>(i);
    RowSamples samples{{weight.data(), weight.data() + weight.size()},
                       {counts.begin(), counts.end()}};
    samples.pack(target);
    sample.gather(target, rows, samples);
  }
  WholeNode(const WholeNode&) = delete;  // the sample points to the rows

  std::vector<Row> rows;
  NodeSample sample;
};

}  // namespace mf::bindings
