// MORF: a candidate is the sum over a random patch of the grid [MORF section 2.3, THESIS
// section 3.1].
//
// Axes are drawn independently. A contiguous axis has three laws for where a patch of size s lies:
//   uniform   its right end is uniform on {0 .. L + s - 2} and what falls outside is cut off: every
//             cell is covered equally often [THESIS], and patches may come out below min_size
//   corner    first index uniform on {0 .. L - min_size}, then the size among those that fit [MORF]
//   interior  the size first, then uniform over the places where it fits (the released code)
// A wrapping axis starts anywhere and continues at its beginning. A free axis takes a random subset
// of its indices (the channels of a series), a channel axis exactly one.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "samplers/sampler.hpp"

namespace mf {

enum class AxisRule : std::uint8_t { contiguous, wrap, free, channel };
enum class Placement : std::uint8_t { uniform, corner, interior };

struct PatchAxis {
  AxisRule rule = AxisRule::contiguous;
  int length = 1;
  int min_size = 1;
  int max_size = 1;
};

class PatchSampler final : public Sampler {
 public:
  PatchSampler(int grid, std::vector<PatchAxis> axes, Placement placement)
      : grid_(grid), axes_(std::move(axes)), placement_(placement) {}

  void check(const Geometry& geometry) const override {
    require(grid_ >= 0 && static_cast<std::size_t>(grid_) < geometry.grids.size(),
            "the geometry has no grid " + std::to_string(grid_));
    const Grid& grid = geometry.grids[static_cast<std::size_t>(grid_)];
    bool fits = axes_.size() == grid.shape.size();
    for (std::size_t a = 0; fits && a < axes_.size(); ++a) {
      const AxisRule rule = axes_[a].rule;
      const bool summed = rule == AxisRule::contiguous || rule == AxisRule::wrap;
      fits = axes_[a].length == grid.shape[a] && summed == grid.summed[a];
    }
    require(fits, "its axes are not those of grid " + std::to_string(grid_));
  }

  bool reads_raw() const override { return false; }
  std::size_t largest_patch(int grid) const override {
    std::size_t area = grid == grid_ ? 1 : 0;
    for (const PatchAxis& axis : axes_) area *= static_cast<std::size_t>(axis.max_size);
    return area;
  }

  // A patch that the node has already is redrawn, at most ten times. After ten candidates in
  // succession without a new patch, few new ones can be left: the draw ends, however large d is.
  void draw(DrawContext& context, AtomList& out) const override {
    std::unordered_set<std::uint64_t> seen;
    int n_failed = 0;
    for (int c = 0; c < context.n_candidates && n_failed < kRedraws; ++c) {
      context.check_stop();
      n_failed = push_new_patch(context, seen, out) ? 0 : n_failed + 1;
    }
  }

 private:
  static constexpr int kRedraws = 10;

  bool push_new_patch(DrawContext& context, std::unordered_set<std::uint64_t>& seen,
                      AtomList& out) const {
    for (int attempt = 0; attempt <= kRedraws; ++attempt) {
      push_patch(context, out);
      if (seen.insert(fingerprint(out)).second) {
        out.close(AtomKind::patch);
        return true;
      }
      out.discard_open();
    }
    return false;
  }

  // A 64-bit hash of the open patch. Two different patches collide with probability 2^-64 per pair;
  // a collision would only drop a candidate.
  static std::uint64_t fingerprint(const AtomList& out) {
    std::uint64_t hash = 0;
    for (auto i = out.int_offsets.back(); i < out.ints.size(); ++i)
      hash = mix64(hash * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(out.ints[i]) + 1);
    return hash;
  }

  void push_patch(DrawContext& context, AtomList& out) const {
    out.ints.push_back(grid_);
    for (const PatchAxis& axis : axes_) {
      switch (axis.rule) {
        case AxisRule::contiguous:
          push_contiguous(context.rng, axis, out);
          break;
        case AxisRule::wrap:
          out.ints.push_back(context.rng.between(0, axis.length - 1));
          out.ints.push_back(context.rng.between(axis.min_size, axis.max_size));
          break;
        case AxisRule::free:
          push_subset(context, axis, context.rng.between(axis.min_size, axis.max_size), out);
          break;
        case AxisRule::channel:
          push_subset(context, axis, 1, out);
          break;
      }
    }
  }

  void push_contiguous(Rng& rng, const PatchAxis& axis, AtomList& out) const {
    int first = 0, size = 0;
    switch (placement_) {
      case Placement::uniform: {
        const int wanted = rng.between(axis.min_size, axis.max_size);
        const int last = rng.between(0, axis.length + wanted - 2);
        first = std::max(0, last - wanted + 1);
        size = std::min(axis.length - 1, last) - first + 1;
        break;
      }
      case Placement::corner:
        first = rng.between(0, axis.length - axis.min_size);
        size = rng.between(axis.min_size, std::min(axis.max_size, axis.length - first));
        break;
      case Placement::interior:
        size = rng.between(axis.min_size, axis.max_size);
        first = rng.between(0, axis.length - size);
        break;
    }
    out.ints.push_back(first);
    out.ints.push_back(size);
  }

  static void push_subset(DrawContext& context, const PatchAxis& axis, int size, AtomList& out) {
    context.distinct.draw(context.rng, static_cast<std::uint64_t>(axis.length),
                          static_cast<std::uint64_t>(size), context.cells);
    std::sort(context.cells.begin(), context.cells.end());
    out.ints.push_back(size);
    for (const std::uint64_t index : context.cells)
      out.ints.push_back(static_cast<std::int32_t>(index));
  }

  int grid_;
  std::vector<PatchAxis> axes_;
  Placement placement_;
};

}  // namespace mf
