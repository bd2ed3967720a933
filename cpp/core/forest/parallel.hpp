// The only threading helper. Work items are taken in order by whichever worker is free; results
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
#include <thread>
#include <vector>

namespace mf {

// Raised inside workers when somebody asked to stop.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped"; }
};

// Runs worker() on n_threads threads. The calling thread waits and calls watch() about every 50 ms;
// if watch throws, `stop` is set, workers are joined and the exception goes on to the caller. An
// exception of a worker does the same.
inline void run_workers(int n_threads, std::atomic<bool>& stop, const std::function<void()>& worker,
                        const std::function<void()>& watch) {
  std::mutex mutex;
  std::condition_variable finished;
  int running = n_threads;
  std::exception_ptr failure;
  auto body = [&] {
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
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(n_threads));
  for (int i = 0; i < n_threads; ++i) threads.emplace_back(body);
  try {
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
      lock.unlock();
      watch();
      lock.lock();
    }
  } catch (...) {
    stop = true;
    threads.clear();
    throw;
  }
  threads.clear();
  if (failure) std::rethrow_exception(failure);
}

// body(item) for items 0 .. n_items - 1; short loops without a hook. One thread runs in place.
inline void parallel_for(std::size_t n_items, int n_threads,
                         const std::function<void(std::size_t)>& body) {
  const int threads = static_cast<int>(
      std::min<std::size_t>(n_items, static_cast<std::size_t>(std::max(1, n_threads))));
  if (threads <= 1) {
    for (std::size_t i = 0; i < n_items; ++i) body(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  run_workers(
      threads, stop,
      [&] {
        for (std::size_t i = next++; i < n_items && !stop; i = next++) body(i);
      },
      [] {});
}

}  // namespace mf
