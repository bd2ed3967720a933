// Distances between rows of bytes or floats.
//
// Kernels compute *ranks*, numbers that are ordered as the distances are and cost less: squares for
// the Euclidean distance, counts for Hamming's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace mf {

enum class MetricKind : std::uint8_t { euclidean, manhattan, chebyshev, cosine, hamming };

// Ranks of n rows as seen from the query. Bytes give exact whole numbers, floats the same sums in
// the same order on every instruction set.
using RankRows = void (*)(const void* query, const void* const* rows, std::size_t n,
                          std::size_t width, double* ranks);

// The same for several queries: queries × rows.
using RankTile = void (*)(const void* const* queries, std::size_t n_queries,
                          const void* const* rows, std::size_t n_rows, std::size_t width,
                          double* ranks);

struct Metric {
  MetricKind kind = MetricKind::euclidean;
  bool bytes = false;  // uint8 entries, otherwise float32
  std::size_t width = 0;

  RankRows rank_rows() const;
  RankTile rank_tile() const;
  double distance(double rank) const;
};

std::optional<MetricKind> metric_named(const std::string& name);

}  // namespace mf
