// Counting the bits of a word. Always inlined: files for different instruction sets include this,
// and must not share a function, or the linker could give the one of the best set to all.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/inlining.hpp"

namespace mf {

MF_INLINE std::uint32_t count_bits(std::uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
  return static_cast<std::uint32_t>(__builtin_popcountll(word));
#else
  return static_cast<std::uint32_t>(std::popcount(word));
#endif
}

// The position of the lowest bit that is set; the word must not be 0.
MF_INLINE std::size_t lowest_bit(std::uint64_t word) {
#if defined(__GNUC__) || defined(__clang__)
  return static_cast<std::size_t>(__builtin_ctzll(word));
#else
  return static_cast<std::size_t>(std::countr_zero(word));
#endif
}

}  // namespace mf
