// RF (Forest-IC): d distinct coordinates, weight 1 [RERF section 2].
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "samplers/sampler.hpp"

namespace mf {

// The same as draw_coordinates() with a number for each threshold: those of the second attempt are
// the features that the first has left.
inline const std::vector<std::uint64_t>& draw_with_thresholds(DrawContext& context,
                                                              int n_features) {
  constexpr std::uint32_t kBetweenChecks = 1 << 16;
  if (context.attempt == 0) context.order.start(static_cast<std::uint32_t>(n_features));
  const int d = context.attempt == 0 ? std::min(n_features, context.n_candidates) : n_features;
  context.cells.clear();
  context.thresholds.clear();
  for (int c = 0; c < d && !context.order.at_end(); ++c) {
    if (c % kBetweenChecks == 0) context.check_stop();
    context.cells.push_back(context.order.next(context.rng));
    context.thresholds.push_back(context.rng);
    context.rng.uniform();
  }
  return context.cells;
}

// The candidate coordinates of a node, in random order: d at the first attempt, all at the second
// (if those were constant), then none.
inline const std::vector<std::uint64_t>& draw_coordinates(DrawContext& context, int n_features) {
  const auto p = static_cast<std::uint64_t>(n_features);
  context.cells.clear();
  if (context.with_thresholds) return draw_with_thresholds(context, n_features);
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
