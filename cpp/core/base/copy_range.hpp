// Copying a part of a vector into another one, or to a later place in the same.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mf {

// Copies from[begin] .. from[end - 1] to to[at] on, where there must be room. Both may be the same
// vector, and ranges may overlap, if `at` is not before `begin`.
template <class Vector>
void copy_range(const Vector& from, std::size_t begin, std::size_t end, Vector& to,
                std::size_t at) {
  if (&from == &to && at == begin) return;
  const auto place = [](auto first, std::size_t i) {
    return first + static_cast<std::ptrdiff_t>(i);
  };
  std::copy_backward(place(from.begin(), begin), place(from.begin(), end),
                     place(to.begin(), at + end - begin));
}

}  // namespace mf
