// Threads that are started once and work for many calls.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

namespace mf {

// One caller at a time. Where a process was forked, the child has none of the threads: its pool
// starts new ones.
class ThreadPool {
 public:
  ThreadPool();
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls job() n_threads times, on as many threads. The calling thread waits and calls watch()
  // about every 50 ms; if watch throws, `stop` is set, the jobs are waited for and the exception
  // goes on to the caller. An exception of a job does the same. Throws NoThread, before any job
  // begins, if a thread cannot be started.
  void run(int n_threads, std::atomic<bool>& stop, const std::function<void()>& job,
           const std::function<void()>& watch);

 private:
  class Team;

  std::unique_ptr<Team> team_;
};

}  // namespace mf
