// From scores to probabilities, with the same bits on every build.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/portable_math.hpp"

namespace mf {

// Replaces n scores, at least one, by e^score over their sum. No term of the sum exceeds 1 and one
// of them is 1: probabilities lie in [0, 1], and their sum is 1 within rounding.
inline void softmax(double* scores, std::size_t n) {
  const double largest = *std::max_element(scores, scores + n);
  for (std::size_t k = 0; k < n; ++k) scores[k] = portable_exp(scores[k] - largest);
  double sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) sum += scores[k];
  for (std::size_t k = 0; k < n; ++k) scores[k] /= sum;
}

}  // namespace mf
