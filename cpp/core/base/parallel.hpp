// Parallel loops. Each item is taken by the next free worker, in order; results must not depend on
// which worker takes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/interrupt.hpp"
#include "base/thread_pool.hpp"

namespace mf {

// The system refused a thread.
struct NoThread : std::runtime_error {
  NoThread(int n_running, int n_wanted, const char* reason)
      : std::runtime_error("cannot start thread " + std::to_string(n_running + 1) + " of " +
                           std::to_string(n_wanted) + " (" + reason + "): use a smaller n_jobs") {}
};

// Calls body(state, item), or body(state, item, interrupts) if an item may take long, for items
// 0 .. n_items - 1. make_state() makes a state for each worker. The calling thread is one of them,
// and calls check_interrupt() between its items.
template <class MakeState, class Body>
void parallel_for_with_state(std::size_t n_items, int n_threads, const MakeState& make_state,
                             const Body& body, const InterruptFunction& check_interrupt) {
  using State = std::decay_t<decltype(make_state())>;
  auto run = [&body](State& state, std::size_t item, InterruptCheck& interrupts) {
    if constexpr (std::is_invocable_v<const Body&, State&, std::size_t, InterruptCheck&>)
      body(state, item, interrupts);
    else
      body(state, item);
  };
  const int threads = static_cast<int>(
      std::min<std::size_t>(n_items, static_cast<std::size_t>(std::max(1, n_threads))));
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  const InterruptFunction check_stop = [&stop] {
    if (stop) throw Stopped{};
  };
  const InterruptFunction check_both = [&] {
    check_stop();
    check_interrupt();
  };
  const auto work = [&](int worker) {
    auto state = make_state();
    InterruptCheck interrupts(worker == 0 ? check_both : check_stop);
    for (std::size_t i = next++; i < n_items && !stop; i = next++) {
      run(state, i, interrupts);
      interrupts.poll();
    }
  };
  if (threads <= 1)
    work(0);
  else
    ThreadPool().share(threads, stop, work, check_interrupt);
}

// Calls body(item) for items 0 .. n_items - 1. Cannot be interrupted.
inline void parallel_for(std::size_t n_items, int n_threads,
                         const std::function<void(std::size_t)>& body) {
  parallel_for_with_state(
      n_items, n_threads, [] { return 0; }, [&](int, std::size_t i) { body(i); }, [] {});
}

}  // namespace mf
