// Distances between rows of bytes or floating-point numbers.
//
// Kernels compute *ranks*, numbers that are ordered as the distances are and cost less: squares for
// the Euclidean distance, counts for Hamming's.
//
// No distance between different rows is 0, and none overflows, whatever finite numbers the rows
// hold (doubles: up to kLargestDouble in magnitude). Two exceptions may be 0: the angle between
// rows of one direction, or nearly so, and 1 minus an inner product, which is no metric. Sums of
// floats are made in single precision; one that has overflowed, or is so small that squares may
// have vanished, is made again in double precision, which has room for the squares of all floats.
// Sums of doubles out of range are made again in units of a power of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace mf::metric {

// The inner product is no metric: the largest is the nearest, at the distance 1 - <x, y>.
enum class MetricKind : std::uint8_t {
  euclidean,
  manhattan,
  chebyshev,
  cosine,
  hamming,
  inner_product
};

enum class Element : std::uint8_t { uint8, float32, float64 };

template <class T>
constexpr Element kElementOf = std::is_same_v<T, std::uint8_t> ? Element::uint8
                               : std::is_same_v<T, float>      ? Element::float32
                                                               : Element::float64;

std::size_t size_of(Element element);
std::optional<Element> element_named(const std::string& name);

// Sums of distances between so large entries are finite for up to 8e7 columns.
constexpr double kLargestDouble = 1e300;
// Sums of products of so large entries are.
constexpr double kLargestFactor = 1e150;

// Ranks of n rows as seen from the query. Bytes give exact whole numbers, floats the same sums in
// the same order on every instruction set. Whole numbers are below 255^2 * width, and as doubles
// exact for width < 2^37.
using RankRows = void (*)(const void* query, const void* const* rows, std::size_t n,
                          std::size_t width, double* ranks);

// The same for several queries: queries × rows.
using RankTile = void (*)(const void* const* queries, std::size_t n_queries,
                          const void* const* rows, std::size_t n_rows, std::size_t width,
                          double* ranks);

// Queries are of the type of the rows, or float64 if the rows are float32.
struct Metric {
  MetricKind kind = MetricKind::euclidean;
  Element queries = Element::float32, rows = Element::float32;
  std::size_t width = 0;

  // The same from rows to rows.
  Metric between_rows() const { return {kind, rows, rows, width}; }

  RankRows rank_rows() const;
  RankTile rank_tile() const;
  double distance(double rank) const;
};

std::optional<MetricKind> metric_named(const std::string& name);

}  // namespace mf::metric
