// A hint that memory will be read soon.
#pragma once

namespace mf {

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address, 0, 2);
#endif
}

}  // namespace mf
