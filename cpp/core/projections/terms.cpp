#include "projections/terms.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

namespace mf {
namespace {

// What a patch selects along one axis: one or two ranges of a summed axis, or indices of another.
struct AxisSelection {
  bool summed = false;
  int n_ranges = 0;
  std::array<std::array<int, 2>, 2> ranges{};  // [begin, end)
  std::span<const std::int32_t> indices;

  std::size_t count() const {
    if (!summed) return indices.size();
    std::size_t total = 0;
    for (int r = 0; r < n_ranges; ++r)
      total += static_cast<std::size_t>(ranges[r][1] - ranges[r][0]);
    return total;
  }
};

// Reads the next axis of a stored patch and moves `at` past it.
AxisSelection read_axis(std::span<const std::int32_t> ints, std::size_t& at, const Grid& grid,
                        int axis) {
  AxisSelection selection;
  selection.summed = grid.summed[axis];
  if (!selection.summed) {
    const auto size = static_cast<std::size_t>(ints[at]);
    selection.indices = ints.subspan(at + 1, size);
    at += 1 + size;
    return selection;
  }
  const int length = grid.shape[axis];
  const int first = ints[at];
  const int end = first + ints[at + 1];
  at += 2;
  selection.ranges[0] = {first, end <= length ? end : length};
  selection.n_ranges = 1;
  if (end > length) {  // wraps around
    selection.ranges[1] = {0, end - length};
    selection.n_ranges = 2;
  }
  return selection;
}

// Walks the axes and calls visit(index, sign) for every corner of every box of the patch.
template <class Visit>
void visit_corners(std::span<const std::int32_t> ints, std::size_t at, const Grid& grid, int axis,
                   std::int64_t index, int sign, const Visit& visit) {
  if (axis == grid.n_axes()) {
    visit(index, sign);
    return;
  }
  const AxisSelection selection = read_axis(ints, at, grid, axis);
  const std::int64_t base = index * grid.table_length(axis);
  auto go = [&](int position, int s) {
    visit_corners(ints, at, grid, axis + 1, base + position, s, visit);
  };
  if (!selection.summed) {
    for (const std::int32_t i : selection.indices) go(i, sign);
    return;
  }
  for (int r = 0; r < selection.n_ranges; ++r) {
    const auto [begin, end] = selection.ranges[r];
    go(end, sign);
    if (begin > 0) go(begin, -sign);  // entry 0 of a summed axis is zero
  }
}

template <class Visit>
void visit_pixels(std::span<const std::int32_t> ints, std::size_t at, const Grid& grid, int axis,
                  std::int64_t index, const Visit& visit) {
  if (axis == grid.n_axes()) {
    visit(index);
    return;
  }
  const AxisSelection selection = read_axis(ints, at, grid, axis);
  const std::int64_t base = index * grid.shape[axis];
  auto go = [&](int position) { visit_pixels(ints, at, grid, axis + 1, base + position, visit); };
  for (const std::int32_t i : selection.indices) go(i);
  for (int r = 0; r < selection.n_ranges; ++r)
    for (int i = selection.ranges[r][0]; i < selection.ranges[r][1]; ++i) go(i);
}

void add_weighted(std::span<const std::int32_t> features, std::span<const float> weights,
                  CompiledAtom& out) {
  double bound = 0.0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    out.terms.push_back({features[i], weights[i]});
    bound += std::abs(static_cast<double>(weights[i]));
    if (weights[i] != std::nearbyint(weights[i])) out.whole = false;
  }
  // Sums of uint8 must stay within 32 bits to be exact in integers.
  if (bound * 255.0 >= 2147483647.0) out.whole = false;
}

}  // namespace

void compile(const Atom& atom, const Geometry& geometry, CompiledAtom& out) {
  out.clear();
  switch (atom.kind) {
    case AtomKind::sparse:
      add_weighted(atom.ints, atom.weights, out);
      return;
    case AtomKind::patch: {
      out.source = Source::summed;
      out.grid = atom.ints[0];
      visit_corners(
          atom.ints, 1, geometry.grids[out.grid], 0, 0, 1, [&](std::int64_t index, int sign) {
            out.terms.push_back({static_cast<std::int32_t>(index), static_cast<float>(sign)});
          });
      return;
    }
    case AtomKind::dictionary: {
      const Dictionary& d = geometry.dictionary;
      const auto begin = static_cast<std::size_t>(d.offsets[atom.ints[0]]);
      const auto count = static_cast<std::size_t>(d.offsets[atom.ints[0] + 1]) - begin;
      add_weighted({d.features.data() + begin, count}, {d.weights.data() + begin, count}, out);
      return;
    }
    case AtomKind::rotation:
      out.source = Source::rotated;
      out.whole = false;
      out.terms.push_back({atom.ints[0], 1.0F});
      return;
  }
}

void patch_features(const Atom& patch, const Grid& grid, std::vector<std::int32_t>& features) {
  features.clear();
  visit_pixels(patch.ints, 1, grid, 0, 0,
               [&](std::int64_t index) { features.push_back(static_cast<std::int32_t>(index)); });
}

std::size_t patch_area(const Atom& patch, const Grid& grid) {
  std::size_t area = 1;
  std::size_t at = 1;
  for (int axis = 0; axis < grid.n_axes(); ++axis)
    area *= read_axis(patch.ints, at, grid, axis).count();
  return area;
}

void expand(const Atom& atom, const Geometry& geometry, const Rotation& rotation,
            std::vector<std::int32_t>& features, std::vector<float>& weights) {
  weights.clear();
  if (atom.kind == AtomKind::patch) {
    patch_features(atom, geometry.grids[atom.ints[0]], features);
    weights.assign(features.size(), 1.0F);
    return;
  }
  features.clear();
  if (atom.kind == AtomKind::rotation) {
    const std::size_t r = rotation.dims.size();
    for (std::size_t k = 0; k < r; ++k) {
      if (rotation.dims[k] != atom.ints[0]) continue;
      for (std::size_t j = 0; j < r; ++j) {
        features.push_back(rotation.dims[j]);
        weights.push_back(rotation.matrix[j * r + k]);
      }
      return;
    }
    features.push_back(atom.ints[0]);  // a coordinate that was not rotated
    weights.push_back(1.0F);
    return;
  }
  CompiledAtom compiled;
  compile(atom, geometry, compiled);
  for (const Term& term : compiled.terms) {
    features.push_back(term.column);
    weights.push_back(term.weight);
  }
}

}  // namespace mf
