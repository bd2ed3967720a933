#include "split/block_ranks.hpp"

namespace mf::train {

void BlockRanks::sort(std::size_t column, const float* values) {
  known_[column] = 1;
  bool has_ties = false;
  KeyRange range;
  packed_.resize(n_rows_);
  for (std::size_t i = 0; i < n_rows_; ++i) {
    const Key key = key_of(values[i]);
    packed_[i] = PackedSort::pack(key, static_cast<std::uint32_t>(i));
    range.min = std::min(range.min, key);
    range.max = std::max(range.max, key);
  }
  for (std::uint64_t& packed : packed_) packed -= PackedSort::pack(range.min, 0);
  sort_.sort(packed_, range);
  Rank* const ranks = &ranks_[column * n_rows_];
  Key* const keys = &keys_[column * n_rows_];
  for (std::size_t r = 0; r < n_rows_; ++r) {
    ranks[PackedSort::other(packed_[r])] = static_cast<Rank>(r);
    keys[r] = range.min + PackedSort::key(packed_[r]);
    has_ties = has_ties || keys[r] == kMissing || (r > 0 && keys[r] == keys[r - 1]);
  }
  has_ties_[column] = has_ties ? 1 : 0;
}

}  // namespace mf::train
