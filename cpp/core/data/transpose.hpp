// Transposition of rows to columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/inlining.hpp"
#include "base/prefetch.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace mf {

#if defined(__SSE2__)

// Interleaves the low (or high) halves of two registers, by entries of kBytes.
template <std::size_t kBytes, bool kHigh>
inline __m128i interleave(__m128i a, __m128i b) {
  if constexpr (kBytes == 1) return kHigh ? _mm_unpackhi_epi8(a, b) : _mm_unpacklo_epi8(a, b);
  if constexpr (kBytes == 2) return kHigh ? _mm_unpackhi_epi16(a, b) : _mm_unpacklo_epi16(a, b);
  if constexpr (kBytes == 4) return kHigh ? _mm_unpackhi_epi32(a, b) : _mm_unpacklo_epi32(a, b);
  if constexpr (kBytes == 8) return kHigh ? _mm_unpackhi_epi64(a, b) : _mm_unpacklo_epi64(a, b);
}

// A square tile with as many rows as a register has entries: log2 of that many perfect shuffles.
template <class U>
MF_INLINE void transpose_tile(const U* const* rows, std::size_t column, U* out,
                              std::size_t stride) {
  constexpr std::size_t kLanes = 16 / sizeof(U);
  __m128i a[kLanes], b[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i)
    a[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[i] + column));
  for (std::size_t round = 1; round < kLanes; round *= 2) {
    for (std::size_t i = 0; i < kLanes / 2; ++i) {
      b[2 * i] = interleave<sizeof(U), false>(a[i], a[i + kLanes / 2]);
      b[2 * i + 1] = interleave<sizeof(U), true>(a[i], a[i + kLanes / 2]);
    }
    for (std::size_t i = 0; i < kLanes; ++i) a[i] = b[i];
  }
  for (std::size_t i = 0; i < kLanes; ++i)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + (column + i) * stride), a[i]);
}

#endif

// out[c * stride + i] = rows[i][c] for n rows of the given width. As many rows are transposed
// together as fill a cache line of a column. Meanwhile the next ones, of which there may be n_later
// after the last, are prefetched: no hardware prefetcher follows so many rows at once.
template <class U>
void transpose(const U* const* rows, std::size_t n, std::size_t width, U* out, std::size_t stride,
               [[maybe_unused]] std::size_t n_later = 0) {
  std::size_t i = 0;
#if defined(__SSE2__)
  constexpr std::size_t kLanes = 16 / sizeof(U), kLine = 64 / sizeof(U);
  while (i + kLanes <= n) {
    const std::size_t end = std::min(i + kLine, n) / kLanes * kLanes;
    std::size_t c = 0;
    const std::size_t next_end = std::min(end + kLine, n + n_later);
    for (; c + kLanes <= width; c += kLanes) {
      if (c % kLine == 0)
        for (std::size_t k = end; k < next_end; ++k) prefetch(rows[k] + c);
      for (std::size_t k = i; k < end; k += kLanes) transpose_tile(rows + k, c, out + k, stride);
    }
    for (; c < width; ++c)
      for (std::size_t k = i; k < end; ++k) out[c * stride + k] = rows[k][c];
    i = end;
  }
#endif
  for (; i < n; ++i)
    for (std::size_t c = 0; c < width; ++c) out[c * stride + i] = rows[i][c];
}

}  // namespace mf
