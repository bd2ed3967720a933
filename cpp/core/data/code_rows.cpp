#include "data/code_rows.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "data/transpose.hpp"

namespace mf {

CodeRows::CodeRows(const Matrix<float>& rows, const Table<float>& columns, int n_threads,
                   const InterruptFunction& check_interrupt)
    : n_features_(rows.n_features),
      width_(rows.n_features),
      columns_(std::make_unique<const ColumnCodes<std::uint8_t>>(
          rows, columns, ColumnCodes<std::uint8_t>::kMostCodes, n_threads, check_interrupt)),
      own_(rows.n_rows * rows.n_features) {
  constexpr std::size_t kRowsAtOnce = 4096;
  parallel_for((rows.n_rows + kRowsAtOnce - 1) / kRowsAtOnce, n_threads, [&](std::size_t chunk) {
    const std::size_t begin = chunk * kRowsAtOnce;
    const std::size_t end = std::min(rows.n_rows, begin + kRowsAtOnce);
    std::vector<const std::uint8_t*> from(n_features_);
    for (std::size_t j = 0; j < n_features_; ++j)
      from[j] = columns_->table().column(static_cast<std::ptrdiff_t>(j)) + begin;
    transpose(from.data(), n_features_, end - begin, own_.data() + begin * width_, width_);
  });
  codes_ = own_.data();
}

CodeRows::CodeRows(const Matrix<std::uint8_t>& rows, const Table<std::uint8_t>&, int,
                   const InterruptFunction&)
    : n_features_(rows.n_features), width_(rows.width), codes_(rows.data) {}

}  // namespace mf
