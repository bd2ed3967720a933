#include "base/thread_pool.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/spin.hpp"

#if !defined(_WIN32)
#include <unistd.h>
#endif

namespace mf {
namespace {

#if defined(_WIN32)
int this_process() { return 0; }  // there are no forks
#else
int this_process() { return static_cast<int>(getpid()); }
#endif

}  // namespace

// The threads and what they share.
class ThreadPool::Team {
 public:
  // One whose threads sleep since another pool has left it, or a new one.
  static std::unique_ptr<Team> idle_or_new() {
    for (std::atomic<Team*>& place : idle_) {
      std::unique_ptr<Team> team(place.exchange(nullptr));
      if (team && team->belongs_here()) return team;
      lose(std::move(team));
    }
    return std::make_unique<Team>();
  }

  static void end_idle() {
    for (std::atomic<Team*>& place : idle_) {
      std::unique_ptr<Team> team(place.exchange(nullptr));
      if (team && !team->belongs_here()) lose(std::move(team));
    }
  }

  // Leaves a team to the next pool, or ends its threads if there are enough teams.
  static void leave(std::unique_ptr<Team> team) {
    if (!team->belongs_here()) return lose(std::move(team));
    for (std::atomic<Team*>& place : idle_) {
      Team* nobody = nullptr;
      if (!place.compare_exchange_strong(nobody, team.get())) continue;
      [[maybe_unused]] const Team* const left = team.release();
      return;
    }
  }

  ~Team() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      ++n_calls_;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  bool belongs_here() const { return process_ == this_process(); }

  void grow_to(int n_threads) {
    threads_.reserve(static_cast<std::size_t>(n_threads));
    while (threads_.size() < static_cast<std::size_t>(n_threads)) {
      try {
        threads_.emplace_back(
            [this, number = static_cast<int>(threads_.size())] { serve(number); });
      } catch (const std::system_error& error) {
        throw NoThread(static_cast<int>(threads_.size()), n_threads, error.what());
      }
    }
  }

  void run(int n_jobs, std::atomic<bool>& stop, const Job& job,
           const InterruptFunction& check_interrupt, bool stay_awake) {
    begin(n_jobs, stop, job, stay_awake);
    finish(stop, check_interrupt);
  }

  void share(int n_jobs, std::atomic<bool>& stop, const Job& job,
             const InterruptFunction& check_interrupt) {
    const Job of_thread = [&job](int number) { job(number + 1); };
    begin(n_jobs - 1, stop, of_thread, false);
    try {
      job(0);
    } catch (const Stopped&) {
      // as in serve
    } catch (...) {
      stop = true;
      std::unique_lock lock(mutex_);
      finished_.wait(lock, [&] { return n_running_ == 0; });
      throw;
    }
    finish(stop, check_interrupt);
  }

 private:
  // In a forked child the threads of the parent cannot be joined, and their mutex may be locked.
  static void lose(std::unique_ptr<Team> team) {
    [[maybe_unused]] const Team* const lost = team.release();
  }

  void begin(int n_jobs, std::atomic<bool>& stop, const Job& job, bool stay_awake) {
    const std::lock_guard lock(mutex_);
    stays_awake_ = stay_awake;
    job_ = &job;
    stop_ = &stop;
    n_jobs_ = n_waiting_ = n_running_ = n_jobs;
    failure_ = nullptr;
    ++n_calls_;
    begin_.notify_all();
  }

  // Waits for all jobs and throws on what one of them has thrown.
  void finish(std::atomic<bool>& stop, const InterruptFunction& check_interrupt) {
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, kInterruptInterval, [&] { return n_running_ == 0; })) {
      lock.unlock();
      try {
        check_interrupt();
      } catch (...) {
        stop = true;
        lock.lock();
        finished_.wait(lock, [&] { return n_running_ == 0; });
        throw;
      }
      lock.lock();
    }
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  // A thread that has finished one job may take another whose own thread has not woken up yet.
  // Threads beyond the number of jobs sleep on.
  void serve(int number) {
    // The first exception of a thread allocates its record of exceptions; if that fails, the
    // process ends. This call allocates the record before the jobs use up the memory. The result
    // is volatile so that the compiler does not remove the call.
    [[maybe_unused]] const volatile int allocated = std::uncaught_exceptions();
    std::unique_lock lock(mutex_);
    while (true) {
      begin_.wait(lock, [&] { return ending_ || (n_waiting_ > 0 && number < n_jobs_); });
      if (ending_) return;
      --n_waiting_;
      lock.unlock();
      std::exception_ptr failure;
      try {
        (*job_)(number);
      } catch (const Stopped&) {
        // the one that set `stop` reports the reason
      } catch (...) {
        failure = std::current_exception();
        *stop_ = true;
      }
      lock.lock();
      if (failure && !failure_) failure_ = std::move(failure);
      if (--n_running_ == 0) finished_.notify_one();
      if (n_waiting_ > 0 || !stays_awake_) continue;
      const std::uint64_t seen = n_calls_;
      lock.unlock();
      yield_until([&] { return n_calls_ != seen; });
      lock.lock();
    }
  }

  // No locks: a fork may come at any time. Programs call from few threads at a time, so that few
  // teams are enough. Never destroyed: their threads end with the process.
  static constexpr std::size_t kMostIdle = 8;
  static inline std::atomic<Team*> idle_[kMostIdle] = {};

  const int process_ = this_process();
  std::mutex mutex_;  // of all that follows
  std::condition_variable begin_, finished_;
  std::atomic<std::uint64_t> n_calls_{0};  // changed under the mutex; the last one ends the team
  const Job* job_ = nullptr;
  std::atomic<bool>* stop_ = nullptr;
  int n_jobs_ = 0;     // of this run
  int n_waiting_ = 0;  // jobs that no thread has taken
  int n_running_ = 0;  // jobs that are not done
  std::exception_ptr failure_;
  bool stays_awake_ = false;  // for a moment after a job
  bool ending_ = false;
  std::vector<std::thread> threads_;  // not jthread: Apple's libc++ has none
};

ThreadPool::ThreadPool() = default;

void ThreadPool::end_idle_threads() { Team::end_idle(); }

ThreadPool::~ThreadPool() {
  if (team_) Team::leave(std::move(team_));
}

ThreadPool::Team& ThreadPool::team_of(int n_threads) {
  if (team_ && !team_->belongs_here()) Team::leave(std::move(team_));
  if (!team_) team_ = Team::idle_or_new();
  team_->grow_to(n_threads);
  return *team_;
}

void ThreadPool::run(int n_threads, std::atomic<bool>& stop, const Job& job,
                     const InterruptFunction& check_interrupt) {
  const bool stay_awake = std::exchange(has_run_, true);
  team_of(n_threads).run(n_threads, stop, job, check_interrupt, stay_awake);
}

void ThreadPool::share(int n_threads, std::atomic<bool>& stop, const Job& job,
                       const InterruptFunction& check_interrupt) {
  team_of(n_threads - 1).share(n_threads, stop, job, check_interrupt);
}

}  // namespace mf
