// Ordered keys: one 32-bit unsigned number per row, whatever the type of the projected value.
//
// Unsigned order of the keys is the order of the values, so ordering and scanning are written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ordered_bits.hpp"
#include "data/column_codes.hpp"

namespace mf::train {

using Key = std::uint32_t;

constexpr Key kMissing = kMissingBits;  // above every finite float and every projected integer

inline Key key_of(std::int32_t value) { return static_cast<Key>(value) ^ 0x80000000U; }
inline std::int32_t integer_of(Key key) { return static_cast<std::int32_t>(key ^ 0x80000000U); }

inline Key key_of(float value) { return ordered_bits(value); }
inline float float_of(Key key) { return float_of_bits(key); }

// The range of the keys of a column.
struct KeyRange {
  bool integer = false;  // keys decode to int32, otherwise to float
  Key min = kMissing;    // over rows that are not missing
  Key max = 0;
  std::size_t n_missing = 0;
  const CodeValues* codes = nullptr;  // whose codes the keys are, if not null; they are integers

  bool constant(std::size_t n_rows) const {
    return n_missing == n_rows || (n_missing == 0 && min == max);
  }
  double decode(Key key) const {
    if (codes != nullptr) return static_cast<double>(codes->last[key]);
    return integer ? static_cast<double>(integer_of(key)) : static_cast<double>(float_of(key));
  }
};

// The place of a row among the rows of a block, by one of its columns. Rows of the same key have
// different ranks. A block has at most 4096 rows (split/block_ranks.hpp).
using Rank = std::uint16_t;

// The keys of a column of a block, ascending: that of rank r is keys[r]. Missing ones are last.
struct SortedKeys {
  std::span<const Key> keys;
  bool has_ties = false;  // some of the keys are equal, or missing
};

// One projected column of a node: a byte per row where the atom reads one byte as it is, which is
// the fastest to bin, a code per row where it reads one coded feature, or a rank per row for
// searches that ask for ranks, otherwise a key per row.
struct Column {
  KeyRange range;
  std::span<const std::uint8_t> bytes;
  std::span<const Key> keys;
  std::span<const std::uint16_t> codes = {};  // of range.codes
  std::span<const Rank> ranks = {};
  SortedKeys sorted = {};  // of the block, if there are ranks

  bool is_bytes() const { return !bytes.empty(); }
  bool is_codes() const { return !codes.empty(); }
  bool is_ranked() const { return !ranks.empty(); }
  std::size_t size() const {  // three are empty
    return bytes.size() + codes.size() + ranks.size() + keys.size();
  }
  bool constant() const { return range.constant(size()); }
};

// The key of a code.
inline Key key_of_code(std::uint16_t code, const CodeValues& values) {
  return code == values.missing() ? kMissing : Key{code};
}

// The keys of a column; those of bytes, codes and ranks are written to `widened`.
inline std::span<const Key> keys_of(const Column& column, std::vector<Key>& widened) {
  if (!column.is_bytes() && !column.is_codes() && !column.is_ranked()) return column.keys;
  widened.resize(column.size());
  if (column.is_codes()) {
    for (std::size_t i = 0; i < widened.size(); ++i)
      widened[i] = key_of_code(column.codes[i], *column.range.codes);
    return widened;
  }
  for (std::size_t i = 0; i < widened.size(); ++i)
    widened[i] = column.is_bytes() ? key_of(std::int32_t{column.bytes[i]})
                                   : column.sorted.keys[column.ranks[i]];
  return widened;
}

}  // namespace mf::train
