// Memory for an array of all rows, or of a large node, that goes back to the system when it is
// freed. malloc would keep it, and put small arrays into its place until nothing large fits there
// any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "base/unwritten.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mf {

template <class T>
struct PageAllocator : LeavesUnwritten {
  using value_type = T;

  static constexpr std::size_t kLarge = std::size_t{256} << 10;  // bytes

  PageAllocator() = default;
  template <class U>
  PageAllocator(const PageAllocator<U>&) {}  // NOLINT: the conversion is the point

  T* allocate(std::size_t n) {
#if defined(__linux__)
    if (n >= kLarge / sizeof(T)) {
      void* memory =
          mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) throw std::bad_alloc();
      return static_cast<T*>(memory);
    }
#endif
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* memory, [[maybe_unused]] std::size_t n) {
#if defined(__linux__)
    if (n >= kLarge / sizeof(T)) {
      munmap(memory, n * sizeof(T));
      return;
    }
#endif
    ::operator delete(memory);
  }

  template <class U>
  bool operator==(const PageAllocator<U>&) const {
    return true;
  }
};

template <class T>
using PageVector = std::vector<T, PageAllocator<T>>;

// Frees the memory that a much larger node has left, if it is so much that it is worth the time
// that new pages take when the next large node comes.
template <class T>
void forget_larger(PageVector<T>& numbers, std::size_t n) {
  constexpr std::size_t kMany = std::size_t{1} << 18;
  const std::size_t room = numbers.capacity();
  if (room < kMany || n >= room / 8) return;
  numbers = PageVector<T>();  // not {}: it would stay
}

// What becomes of the memory of an array that is emptied.
enum class Memory { kept, returned };

// Removes all numbers. Their memory is returned only if it is large.
template <class T>
void empty(PageVector<T>& numbers, Memory memory = Memory::returned) {
  numbers.clear();
  const bool is_large = numbers.capacity() * sizeof(T) >= PageAllocator<T>::kLarge;
  if (memory == Memory::returned && is_large) numbers = PageVector<T>();  // not {}: it would stay
}

}  // namespace mf
