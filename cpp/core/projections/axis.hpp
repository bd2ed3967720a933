// RF (Forest-IC): d distinct coordinates, weight 1 [RERF section 2].
#pragma once

#include <numeric>
#include <utility>

#include "projections/sampler.hpp"

namespace mf {

class AxisSampler final : public Sampler {
 public:
  explicit AxisSampler(int n_features) : n_features_(n_features) {}

  void draw(DrawContext& context, AtomList& out) const override {
    const auto p = static_cast<std::uint64_t>(n_features_);
    if (context.attempt == 0) {
      const auto d = std::min(p, static_cast<std::uint64_t>(context.n_candidates));
      context.distinct.draw_shuffled(context.rng, p, d, context.cells);
    } else if (context.attempt == 1) {
      // All drawn so far were constant: go through every coordinate, in random order.
      context.cells.resize(p);
      std::iota(context.cells.begin(), context.cells.end(), std::uint64_t{0});
      shuffle(context.rng, context.cells);
    } else {
      return;
    }
    for (const std::uint64_t feature : context.cells)
      out.push_axis(static_cast<std::int32_t>(feature));
  }

 private:
  int n_features_;
};

}  // namespace mf
