// What every call of a forest is given: distances, threads, interrupts and the owner of objects.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "base/interrupt.hpp"
#include "boundary/distances.hpp"

namespace mf::boundary {

struct CallContext {
  // One per thread; measures to these stored points.
  std::function<std::unique_ptr<DistanceComputer>(const Points& points)> make_computer;
  int n_threads = 1;
  InterruptFunction check_interrupt;
  // Set if the points are Python objects, which the binding stores: called for each point that is
  // added (`keep`) or removed (`drop`). `drop` also undoes a failed change: it must not throw, and
  // may be called for a point that `keep` has refused.
  std::function<void(Slot slot, std::size_t row)> keep;
  std::function<void(Slot slot)> drop;

  // Objects are measured one by one, by a function of Python.
  bool points_are_objects() const { return static_cast<bool>(keep); }
};

}  // namespace mf::boundary
