// Random rotations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "atoms/kernels/kernels.hpp"
#include "samplers/sampler.hpp"

namespace mf {

// The reflections of a QR decomposition of a Gaussian matrix (Stewart 1980): that of step k maps a
// Gaussian vector of p - k numbers to the first axis, up to a sign, and leaves k coordinates alone.
class HaarReflections {
 public:
  HaarReflections(Rng& rng, std::size_t p, const StopCheck& check_stop) : p_(p), sign_(p, 1.0) {
    double determinant = 1.0;
    for (std::size_t k = 0; k + 1 < p; ++k) {
      check_stop();
      const std::size_t first = normals_.size();
      for (std::size_t i = k; i < p; ++i) normals_.push_back(rng.normal());
      // R of the decomposition must have a positive diagonal. A reflection has determinant -1.
      sign_[k] = make_normal(&normals_[first], p - k) ? -1.0 : 1.0;
      determinant *= -sign_[k];
    }
    // Of the two last columns that make an orthogonal matrix the one that makes a rotation.
    if (p > 0) sign_[p - 1] = determinant;
  }

  // Columns begin .. begin + kColumns - 1 of the product of all reflections and signs, p ×
  // kColumns.
  static constexpr std::size_t kColumns = RotationKernels::kPanelColumns;
  void columns(std::size_t begin, std::vector<double>& out) const {
    out.assign(p_ * kColumns, 0.0);
    const std::size_t end = std::min(begin + kColumns, p_);
    for (std::size_t c = begin; c < end; ++c) out[c * kColumns + (c - begin)] = sign_[c];
    // Later reflections change nothing in these columns of the identity.
    rotation_kernels().reflect(normals_.data(), p_, std::min(end, p_ - 1), out.data());
  }

 private:
  // Turns a Gaussian vector into the unit normal of the plane of its reflection, which is far from
  // rounding errors on the side that the sign of its first number says. Whether it is positive.
  static bool make_normal(double* x, std::size_t n) {
    double squares = 0.0;
    for (std::size_t i = 0; i < n; ++i) squares += x[i] * x[i];
    const double norm = std::sqrt(squares);
    const bool positive = x[0] > 0.0;
    x[0] += positive ? norm : -norm;
    const double length = std::sqrt(2.0 * norm * std::abs(x[0]));
    for (std::size_t i = 0; i < n; ++i) x[i] /= length;
    return positive;
  }

  std::size_t p_;
  std::vector<double> normals_;  // of all planes, one behind the other
  std::vector<double> sign_;     // of each column
};

// A rotation drawn from Haar measure, row-major. Takes 4/3 size^3 operations.
inline std::vector<float> haar_rotation(Rng& rng, int size, const StopCheck& check_stop) {
  const auto p = static_cast<std::size_t>(size);
  constexpr std::size_t kColumns = HaarReflections::kColumns;
  const HaarReflections reflections(rng, p, check_stop);
  std::vector<float> row_major(p * p);
  std::vector<double> columns;
  for (std::size_t begin = 0; begin < p; begin += kColumns) {
    check_stop();
    reflections.columns(begin, columns);
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t c = begin; c < std::min(begin + kColumns, p); ++c)
        row_major[i * p + c] = static_cast<float>(columns[i * kColumns + (c - begin)]);
  }
  return row_major;
}

}  // namespace mf
