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

// Threads that read and change the objects are kept apart by the lock of the forest, not by the
// interpreter's: it does not exist in a free-threaded Python. They hold that, too, where it exists,
// as objects are counted and compared by Python.
class ObjectPoints {
 public:
  explicit ObjectPoints(nb::object distance) : distance_(std::move(distance)) {}
  ObjectPoints(const ObjectPoints&) = delete;  // contexts refer to it
  ObjectPoints& operator=(const ObjectPoints&) = delete;

  // A context that measures from these rows, and keeps those that the forest stores. It has one
  // thread, as most Pythons run one at a time.
  boundary::CallContext context_for(std::shared_ptr<const Objects> rows);
  // A context that measures from stored points. Up to n_removed dropped objects are moved to
  // `removed`, whose owner frees them when it is safe to run code that calls the forest.
  boundary::CallContext context_for_stored(Objects& removed, std::size_t n_removed);

  // The objects in these slots.
  nb::list at(std::span<const boundary::Slot> slots) const;
  // All at once, counted by their slots.
  void adopt(Objects objects) { objects_ = std::move(objects); }

  // For Python's garbage collector: a metric may refer to the forest that refers to it.
  int traverse(visitproc visit, void* arg) const;
  // For the garbage collector. Later calls of the forest, by a finalizer for example, raise a
  // Python error.
  void clear();

 private:
  nb::object distance_;
  Objects objects_;  // per slot
};

}  // namespace mf::bindings
