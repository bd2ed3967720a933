// Patch atoms: the sum over a box of a grid, of features or of the cells of a view. Corner and
// size, never a list of pixels.
//
// ints     grid, then for each of its axes
//            summed axis:  first index, size (first + size beyond the axis: it wraps around)
//            other axis:   size, then that many indices (a channel is a subset of size one)
// weights  none
#pragma once

#include <algorithm>
#include <array>

#include "atoms/kind.hpp"

namespace mf {

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
inline AxisSelection read_axis(std::span<const std::int32_t> ints, std::size_t& at,
                               const Grid& grid, int axis) {
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

// Appends the corners of a patch: at most 2^k for k summed axes (twice that per axis where it
// wraps), whatever its area; those on the zero border of the table are left out.
inline void add_corners(std::span<const std::int32_t> patch, const Grid& grid,
                        std::vector<Term>& terms) {
  visit_corners(patch, 1, grid, 0, 0, 1, [&](std::int64_t index, int sign) {
    terms.push_back({static_cast<std::int32_t>(index), static_cast<float>(sign)});
  });
}

// Number of pixels of a patch.
inline std::size_t patch_area(std::span<const std::int32_t> patch, const Grid& grid) {
  std::size_t area = 1;
  std::size_t at = 1;
  for (int axis = 0; axis < grid.n_axes(); ++axis) area *= read_axis(patch, at, grid, axis).count();
  return area;
}

class PatchAtoms final : public AtomType {
 public:
  AtomKind kind() const override { return AtomKind::patch; }
  const char* name() const override { return "patch"; }

  void check(const Atom& atom, const Geometry& geometry, std::size_t) const override {
    check_patch(atom.ints, geometry);
  }
  void compile(const Atom& atom, const Geometry& geometry, CompiledAtom& out) const override {
    const Grid& grid = grid_of(atom.ints, geometry);
    out.table = TableId::summed(atom.ints[0]);
    out.plain_sum = true;
    add_corners(atom.ints, grid, out.terms);
  }
  void features(const Atom& atom, const Geometry& geometry, const Rotation&,
                std::vector<std::int32_t>& out) const override {
    const View* view = geometry.view_on(grid_of(atom.ints, geometry));
    if (view == nullptr) return cells(atom, geometry, out);
    std::vector<std::int32_t> of_patch;
    cells(atom, geometry, of_patch);
    view->features_of(of_patch, out);
  }
  void cells(const Atom& atom, const Geometry& geometry,
             std::vector<std::int32_t>& out) const override {
    visit_pixels(atom.ints, 1, grid_of(atom.ints, geometry), 0, 0,
                 [&](std::int64_t index) { out.push_back(static_cast<std::int32_t>(index)); });
  }
  int view(const Atom& atom, const Geometry& geometry) const override {
    return grid_of(atom.ints, geometry).view;
  }
  void weights(const Atom& atom, const Geometry& geometry, const Rotation&,
               std::vector<float>& out) const override {
    out.assign(patch_area(atom.ints, grid_of(atom.ints, geometry)), 1.0F);
  }
  std::size_t largest_sum(const Atom& atom, const Geometry& geometry) const override {
    return patch_area(atom.ints, grid_of(atom.ints, geometry));
  }
  std::string text(const Atom& atom, const Geometry& geometry) const override {
    std::string text = "sum of ";
    text += text_of_patch(atom.ints, geometry);
    return text;
  }

  // For kinds that store patches in the same way, too.
  static const Grid& grid_of(std::span<const std::int32_t> patch, const Geometry& geometry) {
    return geometry.grids[static_cast<std::size_t>(patch[0])];
  }
  static void check_patch(std::span<const std::int32_t> ints, const Geometry& geometry) {
    const char* what = "a patch does not fit its grid";
    require(
        !ints.empty() && ints[0] >= 0 && static_cast<std::size_t>(ints[0]) < geometry.grids.size(),
        what);
    const Grid& grid = grid_of(ints, geometry);
    std::size_t at = 1;
    for (int axis = 0; axis < grid.n_axes(); ++axis) {
      const int length = grid.shape[static_cast<std::size_t>(axis)];
      if (grid.summed[static_cast<std::size_t>(axis)]) {
        require(at + 2 <= ints.size(), what);
        require(ints[at] >= 0 && ints[at] < length && ints[at + 1] >= 1 && ints[at + 1] <= length,
                what);
        at += 2;
        continue;
      }
      require(at < ints.size() && ints[at] >= 1, what);
      const auto size = static_cast<std::size_t>(ints[at]);
      require(size <= static_cast<std::size_t>(length) && at + 1 + size <= ints.size(), what);
      for (std::size_t i = at + 1; i < at + 1 + size; ++i)
        require(ints[i] >= 0 && ints[i] < length, what);
      at += 1 + size;
    }
    require(at == ints.size(), what);
  }

  // "rows 3-7, columns 2-9"; indices are those of the grid, both ends included.
  static std::string text_of_patch(std::span<const std::int32_t> patch, const Geometry& geometry) {
    const Grid& grid = grid_of(patch, geometry);
    const View* view = geometry.view_on(grid);
    const bool image = grid.n_axes() == 2 && grid.summed[0] && grid.summed[1];
    std::string text;
    std::size_t at = 1;
    for (int axis = 0; axis < grid.n_axes(); ++axis) {
      const AxisSelection selection = read_axis(patch, at, grid, axis);
      if (axis > 0) text += ", ";
      const bool several = selection.count() > 1;
      const char* name = nullptr;
      if (view != nullptr)
        name = view->axis_name(static_cast<std::size_t>(axis), several);
      else if (image && axis == 0)
        name = several ? "rows" : "row";
      else if (image)
        name = several ? "columns" : "column";
      if (name != nullptr) {
        text += name;
        text += " ";
      } else {
        text += "axis ";
        text += std::to_string(axis);
        text += ": ";
      }
      std::string places;
      auto add = [&](int first, int last) {
        if (!places.empty()) places += " and ";
        places += std::to_string(first);
        if (last == first) return;
        places += "-";
        places += std::to_string(last);
      };
      for (int r = 0; r < selection.n_ranges; ++r)
        add(selection.ranges[r][0], selection.ranges[r][1] - 1);
      for (const std::int32_t i : selection.indices) add(i, i);
      text += places;
    }
    return text;
  }
};

}  // namespace mf
