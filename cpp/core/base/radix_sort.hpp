// Sorting numbers by their upper halves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mf {

// Sorts by the bits 32 .. 31 + bits, least significant digit first; numbers that are equal there
// keep their order. A small range takes one pass, which is a counting sort. `other` is scratch
// memory.
template <int kDigitBits, class Numbers>
void radix_sort(Numbers& packed, Numbers& other, int bits) {
  other.resize(packed.size());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    std::array<std::uint32_t, (1U << kDigitBits) + 1> start{};
    constexpr std::uint64_t mask = (1U << kDigitBits) - 1;
    for (const std::uint64_t p : packed) ++start[((p >> (32 + shift)) & mask) + 1];
    for (std::size_t d = 1; d < start.size(); ++d) start[d] += start[d - 1];
    for (const std::uint64_t p : packed) other[start[(p >> (32 + shift)) & mask]++] = p;
    packed.swap(other);
  }
}

}  // namespace mf
