#include "explain/leaf_values.hpp"

#include <algorithm>
#include <numeric>

namespace mf::explain {

LeafValues::LeafValues(const FlatForest& forest, std::vector<int> n_classes,
                       predict::Aggregation aggregation)
    : forest_(forest),
      n_classes_(aggregation == predict::Aggregation::sum ? std::vector<int>{}
                                                          : std::move(n_classes)),
      votes_(aggregation == predict::Aggregation::vote) {
  if (n_classes_.empty()) {
    places_.resize(forest.value_width);
    std::iota(places_.begin(), places_.end(), std::size_t{0});
    return;
  }
  std::size_t first = 0;
  for (const int n : n_classes_) {
    const auto classes = static_cast<std::size_t>(n);
    for (std::size_t k = 0; k + 1 < classes; ++k) places_.push_back(first + k);
    first += classes;
  }
}

void LeafValues::read(std::size_t node, double* columns) const {
  const std::size_t at = node * forest_.value_width;
  if (!n_classes_.empty()) {
    read_classes(forest_.shares + at, columns);
    return;
  }
  for (std::size_t k = 0; k < forest_.value_width; ++k)
    columns[k] = forest_.means != nullptr ? forest_.means[at + k]
                                          : static_cast<double>(forest_.shares[at + k]);
}

void LeafValues::read_classes(const float* shares, double* columns) const {
  for (const int n : n_classes_) {
    const float* const end = shares + n;
    const float* const most = std::max_element(shares, end);  // the first of equals
    const double total = std::accumulate(shares, end, 0.0);
    for (; shares + 1 < end; ++shares)
      *columns++ = votes_ ? (shares == most ? 1.0 : 0.0) : static_cast<double>(*shares) / total;
    ++shares;
  }
}

void LeafValues::complete(double* values, double total) const {
  for (const int n : n_classes_) {
    values[n - 1] = total - std::accumulate(values, values + n - 1, 0.0);
    values += n;
  }
}

}  // namespace mf::explain
