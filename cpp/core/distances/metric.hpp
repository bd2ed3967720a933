// Metrics between rows of bytes or floating-point numbers.
//
// Kernels measure *proxies*, numbers that are ordered as the distances are and cost less: squares
// for the Euclidean distance, counts for Hamming's. A metric is one entry, made by one file in
// distances/metrics, which says how its proxies are computed and how one becomes a distance.
//
// No distance between different rows is 0, and none overflows, whatever finite numbers the rows
// hold (doubles: up to the metric's largest_entry in magnitude). Two exceptions may be 0: the angle
// between rows of one direction, or nearly so, and 1 minus an inner product, which is no metric.
// Floats are summed in single precision. A sum that has overflowed, or is so small that squares may
// have underflowed, is computed again in double precision, whose range holds the squares of all
// floats. Sums of doubles out of range are computed again in units of a power of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace mf::distances {

enum class Element : std::uint8_t { uint8, float32, float64 };

template <class T>
constexpr Element kElementOf = std::is_same_v<T, std::uint8_t> ? Element::uint8
                               : std::is_same_v<T, float>      ? Element::float32
                                                               : Element::float64;

std::size_t size_of(Element element);

// Proxies of n rows as seen from the query. Where they are exact for bytes, they are whole numbers
// below 255^2 * width, and as doubles exact for width < 2^37; floats give the same sums in the same
// order on every instruction set.
using RowsKernel = void (*)(const void* query, const void* const* rows, std::size_t n,
                            std::size_t width, double* proxies);

// The same for several queries: queries × rows.
using TileKernel = void (*)(const void* const* queries, std::size_t n_queries,
                            const void* const* rows, std::size_t n_rows, std::size_t width,
                            double* proxies);

// Rows of one type, and what Kernels::norm says of each.
struct NormedRows {
  const void* const* rows;
  const float* norms;
  std::size_t n;
};

// The first row with the least proxy.
struct NearestRow {
  std::uint32_t position = 0;  // rows of a tile are fewer than 2^32
  double proxy = 0.0;
};

// The nearest of the rows, of which there is at least one, as seen from each query: what the
// proxies of the other kernels say, though most are only estimated. Returns how many had to be
// measured after an estimate.
using NearestKernel = std::size_t (*)(const NormedRows& queries, const NormedRows& rows,
                                      std::size_t width, NearestRow* nearest);

// `nearest` is null where nothing is faster than to compare all proxies; `norm`, the sum of a row's
// squares, comes with it.
struct Kernels {
  RowsKernel rows;
  TileKernel tile;
  NearestKernel nearest = nullptr;
  float (*norm)(const void* row, std::size_t width) = nullptr;
};

// Sums of differences of entries up to this magnitude are finite, for up to 8e7 columns.
constexpr double kLargestDouble = 1e300;
// The same for sums of products.
constexpr double kLargestFactor = 1e150;

struct Properties {
  const char* name;
  bool non_negative;     // no distance is below 0, so that predictions can weigh examples by them
  bool of_differences;   // it depends on nothing but the differences of entries
  bool exact_for_bytes;  // proxies between rows of bytes are exact whole numbers
  double largest_entry;  // doubles up to this magnitude have finite distances
};

// One metric, compiled for one instruction set.
struct Metric {
  Properties properties;
  // Queries of this type, rows of this width.
  double (*distance)(double proxy, Element queries, std::size_t width);
  Kernels bytes, floats, doubles, doubles_to_floats;  // types of queries (to rows)
};

// For the instruction set in use.
std::span<const Metric> all_metrics();
// Null if there is none of this name.
const Metric* metric_named(std::string_view name);

// A metric between rows of one type and width, as seen from queries of the same type or, if the
// rows are float32, of float64.
struct Measure {
  const Metric* metric = nullptr;
  Element queries = Element::float32, rows = Element::float32;
  std::size_t width = 0;

  // The same from rows to rows.
  Measure between_rows() const { return {metric, rows, rows, width}; }

  const Kernels& kernels() const;
  double distance(double proxy) const { return metric->distance(proxy, queries, width); }
};

}  // namespace mf::distances
