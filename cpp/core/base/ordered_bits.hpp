// Floats as unsigned numbers in the same order.
#pragma once

#include <bit>
#include <cstdint>

namespace mf {

constexpr std::uint32_t kMissingBits = 0xffffffffU;  // of NaN: above every other number

// -0 and 0 have the same bits. Without branches: signs of real data cannot be predicted.
inline std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);                // -0 becomes +0
  const std::uint32_t flip = (std::uint32_t{0} - (bits >> 31)) | 0x80000000U;  // all, if negative
  return value != value ? kMissingBits : bits ^ flip;
}
inline float float_of_bits(std::uint32_t ordered) {
  return std::bit_cast<float>((ordered & 0x80000000U) != 0 ? ordered & 0x7fffffffU : ~ordered);
}

}  // namespace mf
