// RF (Forest-IC): d distinct coordinates, weight 1 [RERF section 2].
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "samplers/sampler.hpp"

namespace mf {

// The candidate coordinates of a node, in random order: d at the first attempt, all at the second
// (if those were constant), then none.
inline const std::vector<std::uint64_t>& draw_coordinates(DrawContext& context, int n_features) {
  const auto p = static_cast<std::uint64_t>(n_features);
  context.cells.clear();
  if (context.attempt == 0) {
    const auto d = std::min(p, static_cast<std::uint64_t>(context.n_candidates));
    context.distinct.draw_shuffled(context.rng, p, d, context.cells, context.check_stop);
  } else if (context.attempt == 1) {
    context.cells.resize(p);
    std::iota(context.cells.begin(), context.cells.end(), std::uint64_t{0});
    shuffle(context.rng, context.cells);
  }
  return context.cells;
}

class AxisSampler final : public Sampler {
 public:
  explicit AxisSampler(int n_features) : n_features_(n_features) {}

  void check(const Geometry& geometry) const override { require_features(n_features_, geometry); }

  bool only_features() const override { return true; }

  void draw(DrawContext& context, AtomList& out) const override {
    out.push_axes(draw_coordinates(context, n_features_));
  }
  void redraw(DrawContext& context, AtomList& out) const override {
    out.replace_axes(draw_coordinates(context, n_features_));
  }

 private:
  int n_features_;
};

}  // namespace mf
