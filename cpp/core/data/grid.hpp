// Where features lie when they lie on a grid.
#pragma once

#include <cstddef>
#include <vector>

namespace mf {

// The grid on which features live, or cells of a view: row-major shape of one example. Patches are
// contiguous along the summed axes, and its summed-area table runs along exactly those.
struct Grid {
  std::vector<int> shape;
  std::vector<bool> summed;
  int view = -1;  // the view whose cells lie on it; -1: the features themselves

  int n_axes() const { return static_cast<int>(shape.size()); }
  // Length of an axis in the summed-area table: one more, for the leading zero.
  int table_length(int axis) const { return shape[axis] + (summed[axis] ? 1 : 0); }
  std::size_t table_size() const {
    std::size_t size = 1;
    for (int a = 0; a < n_axes(); ++a) size *= static_cast<std::size_t>(table_length(a));
    return size;
  }
};

}  // namespace mf
