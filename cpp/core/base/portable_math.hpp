// The exponential and the natural logarithm, with the same bits on every build.
//
// Those of the C library differ in the last bit from one library to the next, and so would models
// that are made with them. These use additions, multiplications, divisions and operations on bits
// only, in a fixed order; the build forbids the contraction of a * b + c (CMakeLists.txt). Both are
// within 1 unit in the last place, and free of branches, so that loops over them fill vector lanes.
// They are inlined wherever they are called: kernels of several instruction sets must not share
// them.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "base/inlining.hpp"

namespace mf {

namespace portable {

// ln 2 in two parts: the first has 32 bits, so that whole multiples of it below 2^21 are exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLog2E = 0x1.71547652b82fep+0;

// Adding it to a number below 2^51 in size rounds that to a whole number, in the lowest bits.
constexpr double kRounder = 0x1.8p+52;

// 2^n for -1022 <= n <= 1023.
MF_INLINE double power_of_two(std::int64_t n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

}  // namespace portable

// e^x; 0 and infinity where that is too small or too large for a double, NaN of NaN.
MF_INLINE double portable_exp(double x) {
  using namespace portable;
  constexpr double kLowest = -746.0, kHighest = 710.0;  // beyond them the result is 0 or infinite
  const double bounded = x < kLowest ? kLowest : x > kHighest ? kHighest : x != x ? 0.0 : x;
  const double shifted = bounded * kLog2E + kRounder;
  const double n = shifted - kRounder;
  const double r = (bounded - n * kLn2High) - n * kLn2Low;  // |r| <= 0.35
  // The Taylor series up to r^13 / 13!; the next term is below 2^-57.
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 1.0 / 2.0;
  const double power = 1.0 + (r + r * r * sum);
  // In two steps: 2^n itself may be too small or too large for a double. -1077 <= n <= 1025.
  const auto whole = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(shifted) -
                                               std::bit_cast<std::uint64_t>(kRounder));
  const std::int64_t half =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(whole + 2048) >> 1) - 1024;
  const double scaled = power * power_of_two(half) * power_of_two(whole - half);
  return x != x ? x : scaled;
}

// log x; minus infinity of 0, NaN of NaN and of negative numbers.
MF_INLINE double portable_log(double x) {
  using namespace portable;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcdU;  // the bits of sqrt(1/2)
  // Subnormal numbers are made normal first.
  const bool subnormal = x < std::numeric_limits<double>::min();
  const auto bits = std::bit_cast<std::uint64_t>(subnormal ? x * 0x1p+54 : x);
  // x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  const std::uint64_t above = bits - kRootOfHalf;
  const auto k_bits = static_cast<std::int64_t>(above >> 52);
  const std::int64_t k_signed = k_bits >= 2048 ? k_bits - 4096 : k_bits;
  const double k =
      static_cast<double>(static_cast<std::int32_t>(k_signed)) - (subnormal ? 54.0 : 0.0);
  const double f = std::bit_cast<double>((above & 0x000fffffffffffffU) + kRootOfHalf) - 1.0;
  // log(1 + f) = 2 artanh(s) = f - s (f - series) with s = f / (2 + f), |s| < 0.172, and the series
  // 2 s^2/3 + 2 s^4/5 + ... up to s^20; the next term is below 2^-59.
  const double s = f / (2.0 + f), s2 = s * s;
  double series = 2.0 / 21.0;
  series = series * s2 + 2.0 / 19.0;
  series = series * s2 + 2.0 / 17.0;
  series = series * s2 + 2.0 / 15.0;
  series = series * s2 + 2.0 / 13.0;
  series = series * s2 + 2.0 / 11.0;
  series = series * s2 + 2.0 / 9.0;
  series = series * s2 + 2.0 / 7.0;
  series = series * s2 + 2.0 / 5.0;
  series = series * s2 + 2.0 / 3.0;
  series *= s2;
  // s f = h - s h with h = f^2 / 2: h is known to the last bit but one, while s is rounded.
  const double h = 0.5 * f * f;
  const double result = k * kLn2High - ((h - (s * (h + series) + k * kLn2Low)) - f);
  if (x == 0.0) return -kInfinity;
  if (!(x > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return x == kInfinity ? x : result;
}

}  // namespace mf
