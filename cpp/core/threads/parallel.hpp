// Starting and joining threads. Work items are taken in order by whichever worker is free; results
// must not depend on who takes them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

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

// Runs worker() on n_threads threads. The calling thread waits and calls watch() about every 50 ms;
// if watch throws, `stop` is set, workers are joined and the exception goes on to the caller. An
// exception of a worker does the same, and so does a thread that cannot be started.
inline void run_workers(int n_threads, std::atomic<bool>& stop, const std::function<void()>& worker,
                        const std::function<void()>& watch) {
  std::mutex mutex;
  std::condition_variable finished;
  int running = n_threads;
  std::exception_ptr failure;
  auto body = [&] {
    // The first exception of a thread takes memory for the thread's own record of exceptions, and
    // the process ends if there is none. So it is taken before the work takes what is left (and
    // volatile, lest a compiler leave out a call that seems to do nothing).
    [[maybe_unused]] const volatile int record_is_there = std::uncaught_exceptions();
    try {
      worker();
    } catch (const Stopped&) {
      // whoever set `stop` holds the reason
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
    const std::lock_guard lock(mutex);
    --running;
    finished.notify_one();
  };
  std::vector<std::thread> threads;  // not jthread: Apple's libc++ has none
  auto join = [&] {
    for (std::thread& thread : threads) thread.join();
  };
  try {
    threads.reserve(static_cast<std::size_t>(n_threads));
    for (int i = 0; i < n_threads; ++i) {
      try {
        threads.emplace_back(body);
      } catch (const std::system_error& error) {
        throw NoThread(i, n_threads, error.what());
      }
    }
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, kWatchInterval, [&] { return running == 0; })) {
      lock.unlock();
      watch();
      lock.lock();
    }
  } catch (...) {
    stop = true;
    join();
    throw;
  }
  join();
  if (failure) std::rethrow_exception(failure);
}

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
  run_workers(
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
