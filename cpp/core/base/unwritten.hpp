// Numbers that are written as a whole before they are read, and need no zeros first.
#pragma once

#include <new>
#include <utility>

namespace mf {

// A base of allocators: resize(n) of a vector leaves new numbers as they are, so that threads that
// fill a part each take its pages themselves, in place of one thread that writes zeros first.
// resize(n, 0) writes them.
struct LeavesUnwritten {
  template <class U>
  void construct(U* memory) {
    ::new (static_cast<void*>(memory)) U;
  }
  template <class U, class... Values>
  void construct(U* memory, Values&&... values) {
    ::new (static_cast<void*>(memory)) U(std::forward<Values>(values)...);
  }
};

}  // namespace mf
