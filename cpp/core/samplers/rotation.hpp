// RotRF: every tree sees the data under its own Haar-uniform rotation (Blaser & Fryzlewicz 2016).
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "samplers/axis.hpp"

namespace mf {

// Columns of a Gaussian matrix, orthonormalised in order, with one column flipped if the
// determinant is negative. This is Q of a QR decomposition whose R has a positive diagonal, as Haar
// needs.
inline std::vector<float> haar_rotation(Rng& rng, int size, const StopCheck& check_stop) {
  const auto p = static_cast<std::size_t>(size);
  std::vector<double> q(p * p);
  double determinant_sign = 1.0;
  for (std::size_t c = 0; c < p; ++c) {
    check_stop();
    for (std::size_t i = 0; i < p; ++i) q[c * p + i] = rng.normal();
  }
  std::vector<double> work = q;          // for the determinant's sign, by elimination
  for (std::size_t c = 0; c < p; ++c) {  // modified Gram-Schmidt, twice for accuracy
    double* column = &q[c * p];
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t b = 0; b < c; ++b) {
        check_stop();
        const double* before = &q[b * p];
        const double dot = std::inner_product(column, column + p, before, 0.0);
        for (std::size_t i = 0; i < p; ++i) column[i] -= dot * before[i];
      }
    const double norm = std::sqrt(std::inner_product(column, column + p, column, 0.0));
    for (std::size_t i = 0; i < p; ++i) column[i] /= norm;
  }
  for (std::size_t c = 0; c < p; ++c) {  // Gaussian elimination with partial pivoting
    std::size_t pivot = c;
    for (std::size_t i = c + 1; i < p; ++i)
      if (std::abs(work[c * p + i]) > std::abs(work[c * p + pivot])) pivot = i;
    if (pivot != c) {
      determinant_sign = -determinant_sign;
      for (std::size_t b = c; b < p; ++b) std::swap(work[b * p + c], work[b * p + pivot]);
    }
    if (work[c * p + c] < 0.0) determinant_sign = -determinant_sign;
    for (std::size_t b = c + 1; b < p; ++b) {
      check_stop();
      const double factor = work[b * p + c] / work[c * p + c];
      for (std::size_t i = c + 1; i < p; ++i) work[b * p + i] -= factor * work[c * p + i];
    }
  }
  if (determinant_sign < 0.0)
    for (std::size_t i = 0; i < p; ++i) q[i] = -q[i];
  std::vector<float> row_major(p * p);
  for (std::size_t c = 0; c < p; ++c) {
    check_stop();
    for (std::size_t i = 0; i < p; ++i) row_major[i * p + c] = static_cast<float>(q[c * p + i]);
  }
  return row_major;
}

class RotationSampler final : public Sampler {
 public:
  // max_dims > 0: only that many coordinates, drawn per tree, are rotated; the rest stay axes.
  RotationSampler(int n_features, int max_dims)
      : n_features_(n_features),
        n_rotated_(max_dims > 0 ? std::min(max_dims, n_features) : n_features) {}

  void check(const Geometry& geometry) const override { require_features(n_features_, geometry); }

  bool reads_raw() const override { return false; }

  // Coordinates of the rotated data.
  void draw(DrawContext& context, AtomList& out) const override {
    for (const std::uint64_t column : draw_coordinates(context, n_features_)) {
      out.ints.push_back(static_cast<std::int32_t>(column));
      out.close(AtomKind::rotation);
    }
  }

  std::optional<Rotation> draw_rotation(Rng& rng, const StopCheck& check_stop) const override {
    Rotation rotation;
    DistinctDraw distinct;
    std::vector<std::uint64_t> dims;
    distinct.draw(rng, static_cast<std::uint64_t>(n_features_),
                  static_cast<std::uint64_t>(n_rotated_), dims);
    std::sort(dims.begin(), dims.end());
    rotation.dims.assign(dims.begin(), dims.end());
    rotation.matrix = haar_rotation(rng, n_rotated_, check_stop);
    return rotation;
  }

 private:
  int n_features_, n_rotated_;
};

}  // namespace mf
