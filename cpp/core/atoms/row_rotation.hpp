// Rotating rows: at fit all rows of a tree, at prediction those of a batch, with the same bits.
#pragma once

#include <algorithm>
#include <vector>

#include "atoms/geometry.hpp"
#include "atoms/kernels/kernels.hpp"
#include "data/table.hpp"

namespace mf {

// A rotation laid out for products with many rows.
class RowRotation {
 public:
  explicit RowRotation(const Rotation& rotation) : dims_(rotation.dims) {
    constexpr std::size_t kColumns = RotationKernels::kPanelColumns;
    const std::size_t r = dims_.size();
    panels_.resize((r + kColumns - 1) / kColumns * kColumns * r, 0.0F);
    for (std::size_t begin = 0; begin < r; begin += kColumns)
      for (std::size_t j = 0; j < r; ++j)
        std::copy_n(rotation.matrix.data() + j * r + begin, std::min(kColumns, r - begin),
                    panels_.data() + begin * r + j * kColumns);
  }

  std::size_t size() const { return dims_.size(); }
  const std::vector<std::int32_t>& dims() const { return dims_; }

  // X[:, dims] Q for rows begin .. begin + n - 1, n × size. Each number sums over dims in their
  // order, in double. `scratch` is used again by the next call.
  template <class T>
  void rotate(const Matrix<T>& X, std::size_t begin, std::size_t n, std::vector<double>& scratch,
              float* out) const {
    const std::size_t r = dims_.size();
    scratch.resize(n * r);
    for (std::size_t i = 0; i < n; ++i) {
      const T* example = X.row(begin + i);
      double* to = scratch.data() + i * r;
      for (std::size_t j = 0; j < r; ++j) to[j] = static_cast<double>(example[dims_[j]]);
    }
    rotation_kernels().rotate(scratch.data(), n, r, panels_.data(), out);
  }

 private:
  std::vector<std::int32_t> dims_;
  std::vector<float> panels_;
};

}  // namespace mf
