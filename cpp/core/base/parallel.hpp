// Sharing work among threads. Work items are taken in order by whichever worker is free; results
// must not depend on who takes them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/thread_pool.hpp"

namespace mf {

// Raised inside workers when somebody asked to stop.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped"; }
};

// The system refused a thread.
struct NoThread : std::runtime_error {
  NoThread(int n_running, int n_wanted, const char* reason)
      : std::runtime_error("cannot start thread " + std::to_string(n_running + 1) + " of " +
                           std::to_string(n_wanted) + " (" + reason + "): use a smaller n_jobs") {}
};

// How often those who wait look up.
constexpr std::chrono::milliseconds kWatchInterval{50};

// Lets long work be stopped: calls `look`, which throws when somebody wants to stop, at most every
// 50 ms. Cheap enough for inner loops.
class Lookout {
 public:
  explicit Lookout(const std::function<void()>& look) : look_(look) {}

  // To be told how much was done, in units of a short distance.
  void worked(std::size_t n) {
    done_ += n;
    if (done_ < kUnread) return;
    done_ = 0;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kWatchInterval) return;
    look_();
    last_ = now;
  }
  // The same after work of any size.
  void worked() { worked(kUnread); }

 private:
  static constexpr std::size_t kUnread = 512;  // until the clock is read

  const std::function<void()>& look_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// body(state, item), or body(state, item, lookout) if an item may take long, for items
// 0 .. n_items - 1; every worker has a state of its own. One thread runs in place and calls watch()
// between items; several leave that to the calling thread.
template <class MakeState, class Body>
void parallel_blocks(std::size_t n_items, int n_threads, const MakeState& make_state,
                     const Body& body, const std::function<void()>& watch) {
  using State = std::decay_t<decltype(make_state())>;
  auto run = [&body](State& state, std::size_t item, Lookout& lookout) {
    if constexpr (std::is_invocable_v<const Body&, State&, std::size_t, Lookout&>)
      body(state, item, lookout);
    else
      body(state, item);
  };
  const int threads = static_cast<int>(
      std::min<std::size_t>(n_items, static_cast<std::size_t>(std::max(1, n_threads))));
  if (threads <= 1) {
    auto state = make_state();
    Lookout lookout(watch);
    for (std::size_t i = 0; i < n_items; ++i) {
      run(state, i, lookout);
      lookout.worked();
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  const std::function<void()> look = [&stop] {
    if (stop) throw Stopped{};
  };
  ThreadPool().run(
      threads, stop,
      [&] {
        auto state = make_state();
        Lookout lookout(look);
        for (std::size_t i = next++; i < n_items && !stop; i = next++) run(state, i, lookout);
      },
      watch);
}

// The same without states and without anybody watching.
inline void parallel_for(std::size_t n_items, int n_threads,
                         const std::function<void(std::size_t)>& body) {
  parallel_blocks(
      n_items, n_threads, [] { return 0; }, [&](int, std::size_t i) { body(i); }, [] {});
}

}  // namespace mf
