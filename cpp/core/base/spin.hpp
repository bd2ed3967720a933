// Waiting without sleep, for what comes soon.
#pragma once

#include <chrono>
#include <thread>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace mf {

// Calls done() until it returns true, but no longer than it takes to fall asleep and be woken up
// again. Returns what it returned last.
template <class Done>
bool spin_until(const Done& done) {
  constexpr std::chrono::microseconds kLongest{50};
  constexpr int kLooks = 32;  // between looks at the clock
  const auto end = std::chrono::steady_clock::now() + kLongest;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return true;
#if defined(__x86_64__) || defined(_M_X64)
      _mm_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

// The same for what comes after a few steps of another thread, which may need this core.
template <class Done>
bool yield_until(const Done& done) {
  constexpr std::chrono::microseconds kLongest{300};
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace mf
