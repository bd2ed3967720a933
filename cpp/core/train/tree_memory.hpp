// Memory for arrays of numbers that are freed together.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/huge_pages.hpp"
#include "base/page_vector.hpp"

namespace mf::train {

// New pages take time, small ones five times as much; of huge ones more may be written to than is
// needed for now.
enum class PageSize { small, huge };

// Arrays one behind the other. Unlike those of a vector their numbers are not written to before
// they are filled in.
class TreeMemory {
 public:
  TreeMemory() = default;
  TreeMemory(std::size_t n_bytes, PageSize pages) : n_bytes_(n_bytes), pages_(pages) {
    if (n_bytes == 0) return;
    memory_ = pages == PageSize::huge ? HugePageAllocator<std::byte>().allocate(n_bytes)
                                      : PageAllocator<std::byte>().allocate(n_bytes);
  }
  TreeMemory(TreeMemory&& other) noexcept { swap(other); }
  TreeMemory& operator=(TreeMemory&& other) noexcept {
    TreeMemory taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~TreeMemory() {
    if (memory_ == nullptr) return;
    if (pages_ == PageSize::huge)
      HugePageAllocator<std::byte>().deallocate(memory_, n_bytes_);
    else
      PageAllocator<std::byte>().deallocate(memory_, n_bytes_);
  }

  // Bytes that an array of n numbers takes.
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return (n * sizeof(T) + kLine - 1) / kLine * kLine;
  }
  // The next array; all together must have room. Its numbers are to be written before they are
  // read.
  template <class T>
  std::span<T> take(std::size_t n) {
    T* const first = reinterpret_cast<T*>(memory_ + n_taken_);
    n_taken_ += bytes<T>(n);
    return {first, n};
  }

 private:
  static constexpr std::size_t kLine = 64;

  void swap(TreeMemory& other) {
    std::swap(memory_, other.memory_);
    std::swap(n_bytes_, other.n_bytes_);
    std::swap(n_taken_, other.n_taken_);
    std::swap(pages_, other.pages_);
  }

  std::byte* memory_ = nullptr;
  std::size_t n_bytes_ = 0, n_taken_ = 0;
  PageSize pages_ = PageSize::small;
};

}  // namespace mf::train
