// Arrays whose numbers begin at a line of the cache.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace mf::explain {

constexpr std::size_t kLine = 64;  // bytes

class AlignedNumbers {
 public:
  // Room for at least n numbers, of no value.
  void reserve(std::size_t n) {
    if (n <= size_) return;
    numbers_.reset();
    size_ = 0;
    numbers_.reset(static_cast<double*>(
        ::operator new(n * sizeof(double), static_cast<std::align_val_t>(kLine))));
    size_ = n;
  }
  double* data() { return numbers_.get(); }

 private:
  struct Delete {
    void operator()(double* p) const { ::operator delete(p, static_cast<std::align_val_t>(kLine)); }
  };

  std::unique_ptr<double, Delete> numbers_;
  std::size_t size_ = 0;
};

}  // namespace mf::explain
