// How derivatives are stored.
#pragma once

#include "base/inlining.hpp"

namespace mf::boost {

// In single precision; none is infinite.
MF_INLINE float as_derivative(double value) {
  constexpr double kLargest = 1e30;
  return static_cast<float>(value > kLargest ? kLargest : value < -kLargest ? -kLargest : value);
}

}  // namespace mf::boost
