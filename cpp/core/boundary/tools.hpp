// What a call of a forest is given to work with.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "boundary/distances.hpp"

namespace mf::boundary {

struct Tools {
  // One per thread; measures to these stored points.
  std::function<std::unique_ptr<MovableRuler>(const Points& points)> make_ruler;
  int n_threads = 1;
  std::function<void()> watch;  // throws when somebody wants to stop
  // Told of points that come and go, if somebody else keeps them. `drop` takes changes back and
  // must not throw; it may be called for a point that `keep` has refused.
  std::function<void(Slot slot, std::size_t row)> keep;
  std::function<void(Slot slot)> drop;

  // Points that somebody else keeps are measured one by one.
  bool measures_elsewhere() const { return static_cast<bool>(keep); }
};

}  // namespace mf::boundary
