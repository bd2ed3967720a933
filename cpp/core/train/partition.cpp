#include "train/partition.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "split/kernels/kernels.hpp"

namespace mf::train {
namespace {

// Returns room for so many rows.
Row* make_room(std::size_t n_rows, Spill& spill) {
  if (!spill.lasts && n_rows < spill.rows.capacity() / 4096) forget_larger(spill.rows, n_rows);
  if (spill.rows.size() < n_rows) spill.rows.resize(n_rows);
  return spill.rows.data();
}

template <class GoesLeft>
std::size_t partition_rows(std::span<Row> rows, Spill& spill, const GoesLeft& left) {
  Row* const waiting = make_room(rows.size(), spill);
  std::size_t n_left = 0, n_right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t goes_left = left(i) ? 1 : 0;
    const Row row = rows[i];
    rows[n_left] = row;  // harmless when the row goes right: the place is written again
    waiting[n_right] = row;
    n_left += goes_left;
    n_right += 1 - goes_left;
  }
  std::copy_n(waiting, n_right, rows.data() + n_left);
  return n_left;
}

// The same by blocks. Those of a block wait in its place, the ones that go right in reverse order
// from its end; when all are counted, blocks are copied to where they belong.
template <class GoesLeft>
std::size_t partition_blocks(std::span<Row> rows, Spill& spill, const BlockLoop& loop,
                             const GoesLeft& left) {
  Row* const waiting = make_room(rows.size(), spill);
  std::vector<std::size_t> first_left((rows.size() + kBlockRows - 1) / kBlockRows + 1, 0);
  for_row_blocks(loop, rows.size(), [&](std::size_t block, std::size_t begin, std::size_t end) {
    std::size_t n_left = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t goes_left = left(i) ? 1 : 0;
      const std::size_t n_right = i - begin - n_left;
      const Row row = rows[i];
      waiting[begin + n_left] = row;  // both places are free, and one of them is written again
      waiting[end - 1 - n_right] = row;
      n_left += goes_left;
    }
    first_left[block + 1] = n_left;
  });
  std::partial_sum(first_left.begin(), first_left.end(), first_left.begin());
  for_row_blocks(loop, rows.size(), [&](std::size_t block, std::size_t begin, std::size_t end) {
    const std::size_t n_left = first_left[block + 1] - first_left[block];
    const std::size_t first_right = first_left.back() + begin - first_left[block];
    std::copy_n(waiting + begin, n_left, rows.data() + first_left[block]);
    std::reverse_copy(waiting + begin + n_left, waiting + end, rows.data() + first_right);
  });
  return first_left.back();
}

}  // namespace

std::size_t stable_partition(std::span<Row> rows, const Column& column, Key last_left,
                             bool missing_left, Spill& spill) {
  if (column.is_bytes()) {
    const std::int32_t last = integer_of(last_left);
    return partition_rows(rows, spill, [&](std::size_t i) { return column.bytes[i] <= last; });
  }
  if (column.is_codes() && (column.range.n_missing == 0 || !missing_left)) {
    const auto last = static_cast<std::uint16_t>(last_left);  // missing is the largest code
    return partition_rows(rows, spill, [&](std::size_t i) { return column.codes[i] <= last; });
  }
  if (column.is_codes()) {
    const std::size_t missing = column.range.codes->missing();
    return partition_rows(rows, spill, [&](std::size_t i) {
      return column.codes[i] <= last_left || column.codes[i] == missing;
    });
  }
  if (column.is_ranked()) {
    const std::span<const Key> keys = column.sorted.keys;
    const bool some_left = missing_left && column.range.n_missing > 0;
    return partition_rows(rows, spill, [&](std::size_t i) {
      const Key key = keys[column.ranks[i]];
      return key <= last_left || (some_left && key == kMissing);
    });
  }
  if (column.range.n_missing == 0 || !missing_left) {  // missing is the largest key
    return kernels().partition_keys(rows.data(), column.keys.data(), rows.size(), last_left,
                                    make_room(rows.size(), spill));
  }
  return partition_rows(rows, spill, [&](std::size_t i) {
    return column.keys[i] <= last_left || column.keys[i] == kMissing;
  });
}

std::size_t stable_partition(std::span<Row> rows, const CodeRows& codes, std::size_t feature,
                             Key last_left, bool missing_left, Spill& spill,
                             const BlockLoop& loop) {
  const Table<std::uint8_t> table = codes.column_table();
  const std::uint8_t* const column = table.column(static_cast<std::ptrdiff_t>(feature));
  const std::size_t missing = codes.missing(feature);
  const auto code = [&](std::size_t i) { return Key{column[rows[i] * table.row_stride]}; };
  const auto partition = [&](const auto& left) {
    return loop ? partition_blocks(rows, spill, loop, left) : partition_rows(rows, spill, left);
  };
  if (table.row_stride == 1 && !missing_left)
    return partition([&](std::size_t i) { return column[rows[i]] <= last_left; });
  if (!missing_left)  // missing is the largest code
    return partition([&](std::size_t i) { return code(i) <= last_left; });
  return partition([&](std::size_t i) { return code(i) <= last_left || code(i) == missing; });
}

}  // namespace mf::train
