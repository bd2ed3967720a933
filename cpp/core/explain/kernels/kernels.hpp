// The walk over all paths of a tree, for some rows at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "explain/path_tree.hpp"
#include "explain/quadrature.hpp"

namespace mf::explain {

// Rows that are walked together; each is a lane. At most 8: there are as many bits of a byte.
#if defined(__GNUC__)
constexpr std::size_t kLanes = 8;
#else
constexpr std::size_t kLanes = 1;  // only these compilers have vectors of any length
#endif

// What a walk reads and writes. Arrays of points have one entry for each point of the quadrature
// and lane; those of levels one pointer for each.
struct PathWalk {
  const PathTree* tree;
  const Quadrature* points;
  const std::uint8_t* follows;  // of each step, a bit for each lane: whether the row goes this way
                                // at all splits of its player so far
  double* const* products;      // of each level, points: factors of all players on the path
  double* const* inverses;      // of each level, points without lanes: 1 / (t + share (1 - t))
  double* const* sums;          // of each level, columns × points: over leaves below
  std::int32_t* open;           // of each level: the step that leads to it
  double* scratch;              // 2 × points without lanes, then points with lanes
  double* phi;                  // players × columns × lanes, to which values are added
};

struct Kernels {
  void (*one_row)(const PathWalk& walk);    // one lane
  void (*some_rows)(const PathWalk& walk);  // kLanes lanes
};

// The variant in use; all give the same bits.
const Kernels& kernels();

}  // namespace mf::explain
