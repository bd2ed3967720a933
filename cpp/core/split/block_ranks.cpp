#include "split/block_ranks.hpp"

#include <cstring>

namespace mf::train {

void BlockRanks::sort(std::size_t column, const float* values) {
  known_[column] = 1;
  Rank* const ranks = &ranks_[column * n_rows_];
  Key* const keys = &keys_[column * n_rows_];
  KeyRange range;
  std::memcpy(keys, values, n_rows_ * sizeof *keys);
  kernels().float_keys(keys, n_rows_, range);
  if (range.n_missing > 0) range.max = kMissing;
  sort_keys(column, values, keys, range);
  bool has_ties = range.n_missing > 0;
  for (std::size_t r = 0; r < n_rows_; ++r) {
    ranks[PackedSort::other(packed_[r])] = static_cast<Rank>(r);
    keys[r] = range.min + PackedSort::key(packed_[r]);
    has_ties = has_ties || (r > 0 && keys[r] == keys[r - 1]);
  }
  has_ties_[column] = has_ties ? 1 : 0;
}

void BlockRanks::sort_keys(std::size_t column, const float* values, const Key* keys,
                           const KeyRange& range) {
  packed_.resize(n_rows_);
  if (is_crowded_[column] == 0 && spread_sort_.sort(values, keys, range, packed_)) return;
  is_crowded_[column] = 1;
  for (std::size_t i = 0; i < n_rows_; ++i)
    packed_[i] = PackedSort::pack(keys[i] - range.min, static_cast<std::uint32_t>(i));
  sort_.sort(packed_, range);
}

}  // namespace mf::train
