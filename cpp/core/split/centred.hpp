// Responses of one output around their mean, as all searches for squared error see them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace mf::train {

struct Centred {
  double loss = 0.0;  // the squares, added up
  bool pure = false;  // all responses are the same
};

// Writes rows[i * step] = weight times centred response and, if step > 1, the weight behind it.
// Relative to the first response, so that large responses that differ by little lose no digits.
inline Centred centre_responses(const double* values, const double* weight, std::size_t n,
                                double total_weight, std::size_t step, double* rows) {
  constexpr std::size_t kLanes = 4;  // added apart: one sum after the other takes long
  const double base = values[0];
  const std::size_t n_whole = n / kLanes * kLanes;
  double sums[kLanes] = {};
  for (std::size_t i = 0; i < n_whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) sums[k] += weight[i + k] * (values[i + k] - base);
  for (std::size_t i = n_whole; i < n; ++i) sums[i - n_whole] += weight[i] * (values[i] - base);
  const double mean = ((sums[0] + sums[2]) + (sums[1] + sums[3])) / total_weight;
  double squares[kLanes] = {};
  std::uint32_t differ[kLanes] = {};
  const auto centre_row = [&](std::size_t i, std::size_t k) {
    const double centred = (values[i] - base) - mean, weighted = weight[i] * centred;
    rows[i * step] = weighted;
    if (step > 1) rows[i * step + 1] = weight[i];
    squares[k] += weighted * centred;
    differ[k] |= values[i] != base ? 1U : 0U;
  };
  for (std::size_t i = 0; i < n_whole; i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) centre_row(i + k, k);
  for (std::size_t i = n_whole; i < n; ++i) centre_row(i, i - n_whole);
  return {(squares[0] + squares[2]) + (squares[1] + squares[3]),
          (differ[0] | differ[1] | differ[2] | differ[3]) == 0};
}

// In nodes of at most so many rows the best score of any division into two parts is found first:
// the first candidate that reaches it ends the search. Most nodes of a tree are that small.
constexpr std::size_t kMaxDivided = 8;

// It lies between two neighbouring responses, if a side may weigh as little as it likes: with a
// limit there may be no such candidate, and the search goes on.
inline double best_division(const double* values, const double* weight, std::size_t n,
                            double total_weight, std::size_t step, const double* rows) {
  std::array<std::size_t, kMaxDivided> order;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t place = i;
    for (; place > 0 && values[order[place - 1]] > values[i]; --place)
      order[place] = order[place - 1];
    order[place] = i;
  }
  double best = -std::numeric_limits<double>::infinity(), sum = 0.0, left = 0.0;
  for (std::size_t r = 0; r + 1 < n; ++r) {
    sum += rows[order[r] * step];
    left += weight[order[r]];
    best = std::max(best, sum * sum * (total_weight / (left * (total_weight - left))));
  }
  return best;
}

}  // namespace mf::train
