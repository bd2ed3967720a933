// Order codes of float columns: small whole numbers in the order of the values, made once for all
// that is learned from the data.
//
// A search for splits that needs no more than the order of the values, and how many lie in a range,
// reads codes of one or two bytes in place of floats. A threshold between two codes becomes one
// between values by CodeValues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/huge_pages.hpp"
#include "base/interrupt.hpp"
#include "data/table.hpp"

namespace mf {

// What the codes 0 .. size() - 1 of a column stand for. The code of missing values, if there are
// any, follows.
struct CodeValues {
  std::span<const float> last;  // largest value of each code, ascending
  bool lossless = true;         // every code stands for a single value

  std::size_t size() const { return last.size(); }
  std::size_t missing() const { return last.size(); }

  // Values between which a threshold between two codes lies: the largest that can go left, and one
  // that is at least as large and can go left, too, or is the smallest that goes right.
  float below(std::size_t last_left) const { return last[last_left]; }
  float above(std::size_t first_right) const { return last[first_right - (lossless ? 0 : 1)]; }

  // How many codes hold no value above the threshold: the rows whose code is less go left, if the
  // threshold lies between codes.
  std::size_t up_to(float threshold) const;
};

// The codes of all columns. A column with more different values than `most_codes` gets codes of
// about equally many rows; rows of equal value have the same code, and a value that many rows have
// gets a code of its own. Code is std::uint8_t or std::uint16_t.
template <class Code>
class ColumnCodes {
 public:
  // That values can have: one more is left for missing values.
  static constexpr std::size_t kMostCodes = std::numeric_limits<Code>::max();

  // `columns` are those of the rows, if there are any. Takes O(rows × columns) time, and memory for
  // a few columns at a time. 1 <= most_codes <= kMostCodes. check_interrupt may throw; it is called
  // between columns.
  ColumnCodes(
      const Matrix<float>& rows, const Table<float>& columns, std::size_t most_codes, int n_threads,
      const InterruptFunction& check_interrupt = [] {});

  // Feature-major.
  Table<Code> table() const { return {codes_.data(), 1, static_cast<std::ptrdiff_t>(n_rows_)}; }
  // Stays where it is as long as the codes do.
  const CodeValues& values(std::size_t column) const { return values_[column]; }

 private:
  class Encoder;

  std::size_t n_rows_;
  UnwrittenVector<Code> codes_;
  std::vector<std::vector<float>> last_;  // of each column
  std::vector<CodeValues> values_;
};

extern template class ColumnCodes<std::uint8_t>;
extern template class ColumnCodes<std::uint16_t>;

}  // namespace mf
