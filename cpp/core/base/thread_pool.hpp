// Threads that are started once and work for many calls.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/interrupt.hpp"

namespace mf {

// For one caller at a time. Threads go to sleep where a pool ends, and work for the next one: a
// system wakes a thread up on an idle core, but may start a new one on the core of the caller, and
// leave it there for milliseconds. Threads do not survive a fork: the pool of a child process
// starts new ones.
class ThreadPool {
 public:
  ThreadPool();
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Ends the threads that sleep between pools.
  static void end_idle_threads();

  // Called with the number of the thread, which is below n_threads and the same in every run. No
  // two jobs have the same one at a time.
  using Job = std::function<void(int thread)>;

  // Calls job(thread) n_threads times, on so many threads at most. The calling thread waits and
  // calls check_interrupt() about every 50 ms. If that or a job throws, `stop` is set, all jobs are
  // waited for, and the exception is thrown on. Throws NoThread, before any job begins, if a thread
  // cannot be started.
  void run(int n_threads, std::atomic<bool>& stop, const Job& job,
           const InterruptFunction& check_interrupt);

  // The same, but the calling thread does job(0) itself before it waits.
  void share(int n_threads, std::atomic<bool>& stop, const Job& job,
             const InterruptFunction& check_interrupt);

 private:
  class Team;

  // With so many threads at least.
  Team& team_of(int n_threads);

  std::unique_ptr<Team> team_;
  bool has_run_ = false;  // rounds of boosting run again at once
};

}  // namespace mf
