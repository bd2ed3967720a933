// Ordered keys: one 32-bit unsigned number per row, whatever the type of the projected value.
//
// Unsigned order of the keys is the order of the values, so ordering and scanning are written once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace mf {

using Key = std::uint32_t;

constexpr Key kMissing = 0xffffffffU;  // above every finite float and every projected integer

inline Key key_of(std::int32_t value) { return static_cast<Key>(value) ^ 0x80000000U; }
inline std::int32_t integer_of(Key key) { return static_cast<std::int32_t>(key ^ 0x80000000U); }

inline Key key_of(float value) {
  if (value != value) return kMissing;
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);  // -0 becomes +0
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}
inline float float_of(Key key) {
  return std::bit_cast<float>((key & 0x80000000U) != 0 ? key & 0x7fffffffU : ~key);
}

// One projected column of a node.
struct KeyRange {
  bool integer = false;  // keys decode to int32, otherwise to float
  Key min = kMissing;    // over rows that are not missing
  Key max = 0;
  std::size_t n_missing = 0;

  bool constant(std::size_t n_rows) const {
    return n_missing == n_rows || (n_missing == 0 && min == max);
  }
  double decode(Key key) const {
    return integer ? static_cast<double>(integer_of(key)) : static_cast<double>(float_of(key));
  }
};

}  // namespace mf
