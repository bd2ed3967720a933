// Losses of many rows: hot loops, compiled once per instruction set and chosen when the program
// runs. All variants give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mf::boost {

struct LossKernels {
  // The log loss of n rows of two classes by their scores, the log odds of class 1, and minus its
  // first and its second derivative, two numbers for each row.
  void (*evaluate_odds)(const double* scores, const std::int32_t* labels, std::size_t n,
                        double* loss, float* derivatives);
};

// The variant in use.
const LossKernels& loss_kernels();

}  // namespace mf::boost
