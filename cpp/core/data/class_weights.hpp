// What the classes of an output weigh.
#pragma once

#include <cstddef>
#include <vector>

#include "data/row_numbers.hpp"
#include "data/target.hpp"

namespace mf {

// The sums of the weights of the rows of each class, in their order.
inline std::vector<double> weights_of_classes(const Target& target, std::size_t output,
                                              const RowNumbers<double>& weight) {
  const auto n_classes = static_cast<std::size_t>(target.n_classes[output]);
  const auto label = [&](std::size_t i) {
    return static_cast<std::size_t>(target.labels[i * target.n_outputs + output]);
  };
  std::vector<double> sums(n_classes, 0.0);
  if (!sums_are_products(weight, target.n_rows)) {
    for (std::size_t i = 0; i < target.n_rows; ++i) sums[label(i)] += weight[i];
    return sums;
  }
  // Every other row apart: adding to the same number again and again would wait for it.
  constexpr std::size_t kApart = 4;
  std::vector<std::size_t> counts(kApart * n_classes, 0);
  for (std::size_t i = 0; i < target.n_rows; ++i) ++counts[i % kApart * n_classes + label(i)];
  for (std::size_t c = 0; c < counts.size(); ++c)
    sums[c % n_classes] += weight[0] * static_cast<double>(counts[c]);
  return sums;
}

}  // namespace mf
