// Codes of one byte for all features of a row, side by side: what is summed up over all features of
// a row reads one or two cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/huge_pages.hpp"
#include "data/column_codes.hpp"
#include "data/table.hpp"

namespace mf {

class CodeRows {
 public:
  static constexpr std::size_t kCodes = 256;  // with that of missing values

  // At most 255 codes for the values of a column. `columns` are those of the rows, if there are
  // any. check_interrupt may throw.
  CodeRows(const Matrix<float>& rows, const Table<float>& columns, int n_threads,
           const InterruptFunction& check_interrupt);
  // A byte is its own code. The rows must outlive this.
  CodeRows(const Matrix<std::uint8_t>& rows, const Table<std::uint8_t>&, int n_threads,
           const InterruptFunction&);

  std::size_t n_features() const { return n_features_; }
  const std::uint8_t* codes() const { return codes_; }
  // From one row to the next.
  std::size_t width() const { return width_; }
  // The codes of one feature, by columns of floats, by rows of bytes.
  Table<std::uint8_t> column_table() const {
    if (columns_) return columns_->table();
    return {codes_, static_cast<std::ptrdiff_t>(width_), 1};
  }

  // Whether codes are whole numbers, which can not be missing.
  bool whole() const { return columns_ == nullptr; }
  // The codes of values are less; it is that of missing ones.
  std::size_t missing(std::size_t feature) const {
    return whole() ? kCodes : columns_->values(feature).missing();
  }
  // Of floats.
  const CodeValues& values(std::size_t feature) const { return columns_->values(feature); }

 private:
  std::size_t n_features_, width_;
  const std::uint8_t* codes_ = nullptr;
  std::unique_ptr<const ColumnCodes<std::uint8_t>> columns_;  // of floats
  UnwrittenVector<std::uint8_t> own_;
};

}  // namespace mf
