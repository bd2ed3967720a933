// Floats as unsigned numbers in the same order.
#pragma once

#include <bit>
#include <cstdint>

namespace mf {

constexpr std::uint32_t kMissingBits = 0xffffffffU;  // of NaN: above every other number
constexpr std::int32_t kInfinityBits = 0x7f800000;   // as they are; NaN has more

// -0 and 0 have the same bits. Without branches: signs of real data cannot be predicted. In whole
// numbers, which compilers make vectors of.
inline std::uint32_t ordered_bits(float value) {
  const auto given = std::bit_cast<std::uint32_t>(value);
  const auto size = static_cast<std::int32_t>(given & 0x7fffffffU);
  const std::uint32_t bits = size == 0 ? 0 : given;
  const std::uint32_t flip = (std::uint32_t{0} - (bits >> 31)) | 0x80000000U;  // all, if negative
  return size > kInfinityBits ? kMissingBits : bits ^ flip;
}
inline float float_of_bits(std::uint32_t ordered) {
  return std::bit_cast<float>((ordered & 0x80000000U) != 0 ? ordered & 0x7fffffffU : ~ordered);
}

}  // namespace mf
