// Points of a boundary forest that are Python objects, measured by a Python function.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "boundary/call_context.hpp"

namespace mf::bindings {

using Objects = std::vector<nb::object>;

Objects items(const nb::list& list);

// Nobody touches the objects without the interpreter's lock.
class ObjectPoints {
 public:
  explicit ObjectPoints(nb::object distance) : distance_(std::move(distance)) {}
  ObjectPoints(const ObjectPoints&) = delete;  // context refer to it
  ObjectPoints& operator=(const ObjectPoints&) = delete;

  // CallContext that measure from these rows, and keep of them what the forest stores. There is one
  // thread: Python runs one at a time.
  boundary::CallContext context_for(std::shared_ptr<const Objects> rows);
  // CallContext that measure from stored points. Up to n_removed objects that are dropped go to
  // `removed`, whose owner frees them when that may run code which asks the forest.
  boundary::CallContext context_for_stored(Objects& removed, std::size_t n_removed);

  // The objects in these slots.
  nb::list at(std::span<const boundary::Slot> slots) const;
  // All at once, counted by their slots.
  void adopt(Objects objects) { objects_ = std::move(objects); }

  // For Python's search for garbage: a metric may hold the forest that holds it.
  int traverse(visitproc visit, void* arg) const;
  // Only for garbage. What still calls the forest, a finalizer perhaps, gets a Python error.
  void clear();

 private:
  nb::object distance_;
  Objects objects_;  // per slot
};

}  // namespace mf::bindings
