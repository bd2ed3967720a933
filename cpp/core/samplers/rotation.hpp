// RotRF: every tree sees the data under its own Haar-uniform rotation (Blaser & Fryzlewicz 2016).
#pragma once

#include <algorithm>

#include "samplers/axis.hpp"
#include "samplers/haar.hpp"

namespace mf {

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
