// The values of a column in many small buckets, in their order.
//
// Codes that stand for many rows each need to know the order of few values, those around the cuts.
// Only buckets in which a code may begin are sorted; of all others it is enough to count rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge_pages.hpp"

namespace mf {

class ValueBuckets {
 public:
  // Counts the rows of each bucket. There are fewer than 2^31; the values must outlive the calls
  // that follow.
  void count(const float* values, std::size_t n);

  // Buckets that hold a value.
  std::size_t n_used() const;

  // Cuts codes; more buckets must be used than there may be codes. Returns the largest value of
  // each.
  std::vector<float> cut(std::size_t most_codes);

  // The codes of all values; that of missing ones follows the others. Code must have room for it.
  template <class Code>
  void write(Code* codes) const;

 private:
  class Cuts;

  void set_scale(float least, float largest);
  std::uint32_t place(float value) const;
  void group();

  const float* values_ = nullptr;
  std::size_t n_rows_ = 0;
  // From a value to its bucket.
  float knee_ = 0.0F;
  std::uint32_t first_place_ = 0;
  int shift_ = 0;

  UnwrittenVector<std::uint16_t> bucket_;  // of each row
  std::vector<std::uint32_t> counts_;      // rows of each bucket, the last one of missing values
  UnwrittenVector<std::uint32_t> keys_;    // ordered bits, bucket by bucket
  std::vector<std::uint32_t> end_;         // of each bucket in them
  UnwrittenVector<std::uint32_t> scratch_;
  std::vector<std::uint16_t> first_code_;  // of each bucket; of empty ones that of the next value
  std::vector<std::uint32_t> last_key_;    // of each code, and of missing values
};

}  // namespace mf
