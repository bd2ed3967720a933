// Where codes of a column begin.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mf {

// Decides for each value, from small to large, whether it begins a new code.
class CodeCutter {
 public:
  CodeCutter(std::size_t n_rows, std::size_t most_codes)
      : rest_rows_(n_rows), rest_codes_(most_codes), target_(per_code()) {}

  // `count` rows have the next value. A code is full if it has its share of the rows that were left
  // when it began; a value of many rows waits for no other to fill it.
  bool begins(std::size_t count) {
    const bool next = size_ > 0 && rest_codes_ > 1 && std::max(size_, count) >= target_;
    if (next) {
      rest_rows_ -= size_;
      --rest_codes_;
      target_ = per_code();
      size_ = 0;
    }
    size_ += count;
    return next;
  }

  // The same for `count` rows of several values: if none of these begins a code, whichever rows
  // have which, it adds them all and returns true.
  bool adds_all(std::size_t count) {
    if (rest_codes_ > 1 && size_ + count > target_) return false;
    size_ += count;
    return true;
  }

 private:
  std::size_t per_code() const { return (rest_rows_ + rest_codes_ - 1) / rest_codes_; }

  std::size_t rest_rows_, rest_codes_;  // from the code that is being filled on
  std::size_t target_;                  // rows that fill it
  std::size_t size_ = 0;                // of it
};

}  // namespace mf
