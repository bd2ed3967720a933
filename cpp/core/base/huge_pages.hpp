// Memory for large tables that are read column by column. Every column lies on other pages; with
// huge pages there are few enough of them for the TLB.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "base/unwritten.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mf {

template <class T>
struct HugePageAllocator {
  using value_type = T;

  static constexpr std::size_t kPage = std::size_t{2} << 20;

  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT: the conversion is the point

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    if (bytes < kPage) return static_cast<T*>(::operator new(bytes));
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* memory = ::operator new(whole, std::align_val_t{kPage});
#if defined(__linux__)
    // A hint: if it is ignored, pages are smaller. Those of the end are, which would take more
    // memory than it needs.
    madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) {
    if (n * sizeof(T) < kPage)
      ::operator delete(memory);
    else
      ::operator delete(memory, std::align_val_t{kPage});
  }

  template <class U>
  bool operator==(const HugePageAllocator<U>&) const {
    return true;
  }
};

// The same for arrays that are written as a whole before they are read.
template <class T>
struct UnwrittenAllocator : HugePageAllocator<T>, LeavesUnwritten {
  UnwrittenAllocator() = default;
  template <class U>
  UnwrittenAllocator(const UnwrittenAllocator<U>&) {}  // NOLINT: the conversion is the point
};

template <class T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

template <class T>
using UnwrittenVector = std::vector<T, UnwrittenAllocator<T>>;

}  // namespace mf
