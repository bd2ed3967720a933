// Conversion of projected values to keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "split/kernels/kernels.hpp"
#include "split/keys.hpp"

namespace mf::train {

// Converts value(i), an int32 or a float, to keys; NaN becomes the key of missing values.
template <class Value>
KeyRange fill_keys(std::span<Key> keys, const Value& value) {
  using V = decltype(value(std::size_t{0}));
  // Rows at a time: their values stay in the first-level cache until they are keys.
  constexpr std::size_t kTile = 2048;
  KeyRange range;
  range.integer = std::is_same_v<V, std::int32_t>;
  const auto to_keys = range.integer ? kernels().integer_keys : kernels().float_keys;
  for (std::size_t begin = 0; begin < keys.size(); begin += kTile) {
    const std::size_t end = std::min(keys.size(), begin + kTile);
    for (std::size_t i = begin; i < end; ++i) keys[i] = std::bit_cast<Key>(value(i));
    to_keys(&keys[begin], end - begin, range);
  }
  return range;
}

}  // namespace mf::train
