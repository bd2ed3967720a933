#include "data/column_codes.hpp"

#include <algorithm>

#include "base/ordered_bits.hpp"
#include "base/parallel.hpp"
#include "base/radix_sort.hpp"
#include "data/code_cutter.hpp"
#include "data/summed_columns.hpp"
#include "data/transpose.hpp"
#include "data/value_buckets.hpp"

namespace mf {
namespace {

// Columns that a worker takes from the rows together, as many as share a cache line. Fewer if there
// would be too few groups to keep all workers busy, or if their values would take more than a
// quarter of the memory of all codes of 16 bits.
constexpr std::size_t kColumnsTogether = 16;
constexpr std::size_t kGroupsPerThread = 4, kLeastGroups = 8;

constexpr std::size_t kFewRows = 512;  // are sorted by comparing

// From so many rows for each code on it pays to look for codes that can be cut without sorting all.
constexpr std::size_t kManyRowsPerCode = 128;

std::size_t columns_per_group(std::size_t n_columns, int n_threads) {
  const std::size_t n_groups =
      std::max(kLeastGroups, kGroupsPerThread * static_cast<std::size_t>(std::max(1, n_threads)));
  return std::clamp<std::size_t>(n_columns / n_groups, 1, kColumnsTogether);
}

std::uint32_t key_of(std::uint64_t packed) { return static_cast<std::uint32_t>(packed >> 32); }

}  // namespace

std::size_t CodeValues::up_to(float threshold) const {
  return static_cast<std::size_t>(std::upper_bound(last.begin(), last.end(), threshold) -
                                  last.begin());
}

// One worker's memory.
template <class Code>
class ColumnCodes<Code>::Encoder {
 public:
  Encoder(const Matrix<float>& rows, const Table<float>& columns, std::size_t most_codes)
      : rows_(rows), columns_(columns), most_codes_(most_codes) {}

  // Columns first .. first + n - 1 of the rows as columns of floats.
  void read(std::size_t first, std::size_t n) {
    first_ = first;
    if (columns_) return;
    values_.resize(n * rows_.n_rows);
    for (std::size_t begin = 0; begin < rows_.n_rows; begin += kTransposedRows) {
      const std::size_t n_some = std::min(kTransposedRows, rows_.n_rows - begin);
      const float* some[kTransposedRows] = {};
      for (std::size_t i = 0; i < n_some; ++i) some[i] = rows_.row(begin + i) + first;
      transpose(some, n_some, n, values_.data() + begin, rows_.n_rows);
    }
  }

  // Encodes one of the columns that were read. Fills in the largest value of each code, and returns
  // whether every code stands for a single value.
  bool encode(std::size_t index, Code* codes, std::vector<float>& last) {
    const float* const values = columns_
                                    ? columns_.column(static_cast<std::ptrdiff_t>(first_ + index))
                                    : values_.data() + index * rows_.n_rows;
    if (rows_.n_rows / kManyRowsPerCode >= most_codes_) {
      buckets_.count(values, rows_.n_rows);
      if (buckets_.n_used() > most_codes_) {
        last = buckets_.cut(most_codes_);
        buckets_.write(codes);
        return false;
      }
    }
    return encode_sorted(values, codes, last);
  }

 private:
  bool encode_sorted(const float* values, Code* codes, std::vector<float>& last) {
    sort(values);
    const std::size_t n_present = count_present();
    const std::size_t n_values = count_values(n_present);
    const bool lossless = n_values <= most_codes_;
    last.reserve(std::min(n_values, most_codes_));
    CodeCutter cutter(n_present, most_codes_);
    for (std::size_t begin = 0, end = 0; begin < n_present; begin = end) {
      while (end < n_present && key_of(sorted_[end]) == key_of(sorted_[begin])) ++end;
      const float value = float_of_bits(key_of(sorted_[begin]));
      const bool begins = cutter.begins(end - begin);
      if (begins || lossless || last.empty()) last.push_back(value);
      last.back() = value;
      write(begin, end, last.size() - 1, codes);
    }
    write(n_present, rows_.n_rows, last.size(), codes);
    return lossless;
  }

  void sort(const float* values) {
    sorted_.resize(rows_.n_rows);
    for (std::size_t i = 0; i < rows_.n_rows; ++i)
      sorted_[i] = static_cast<std::uint64_t>(ordered_bits(values[i])) << 32 | i;
    if (sorted_.size() < kFewRows)
      std::sort(sorted_.begin(), sorted_.end());
    else
      radix_sort<11>(sorted_, other_, 32);
  }

  std::size_t count_present() const {
    const auto missing = std::lower_bound(sorted_.begin(), sorted_.end(),
                                          static_cast<std::uint64_t>(kMissingBits) << 32);
    return static_cast<std::size_t>(missing - sorted_.begin());
  }

  std::size_t count_values(std::size_t n_present) const {
    std::size_t n_values = n_present > 0 ? 1 : 0;
    for (std::size_t i = 1; i < n_present; ++i)
      n_values += key_of(sorted_[i]) != key_of(sorted_[i - 1]) ? 1 : 0;
    return n_values;
  }

  void write(std::size_t begin, std::size_t end, std::size_t code, Code* codes) const {
    for (std::size_t i = begin; i < end; ++i)
      codes[static_cast<std::uint32_t>(sorted_[i])] = static_cast<Code>(code);
  }

  const Matrix<float>& rows_;
  const Table<float>& columns_;
  const std::size_t most_codes_;
  std::size_t first_ = 0;  // of the columns that were read
  UnwrittenVector<float> values_;
  ValueBuckets buckets_;
  UnwrittenVector<std::uint64_t> sorted_, other_;  // ordered bits << 32 | row
};

template <class Code>
ColumnCodes<Code>::ColumnCodes(const Matrix<float>& rows, const Table<float>& columns,
                               std::size_t most_codes, int n_threads,
                               const InterruptFunction& check_interrupt)
    : n_rows_(rows.n_rows),
      codes_(rows.n_rows * rows.n_features),
      last_(rows.n_features),
      values_(rows.n_features) {
  const std::size_t together = columns_per_group(rows.n_features, n_threads);
  parallel_for_with_state((rows.n_features + together - 1) / together, n_threads,
                          [&] { return Encoder(rows, columns, most_codes); },
                          [&](Encoder& encoder, std::size_t group, InterruptCheck& interrupts) {
                            const std::size_t first = group * together;
                            const std::size_t n = std::min(together, rows.n_features - first);
                            encoder.read(first, n);
                            for (std::size_t c = first; c < first + n; ++c) {
                              const bool lossless =
                                  encoder.encode(c - first, codes_.data() + c * n_rows_, last_[c]);
                              values_[c] = {last_[c], lossless};
                              interrupts.poll();
                            }
                          },
                          check_interrupt);
}

template class ColumnCodes<std::uint8_t>;
template class ColumnCodes<std::uint16_t>;

}  // namespace mf
