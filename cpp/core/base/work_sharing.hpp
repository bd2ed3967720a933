// A queue of jobs that busy workers give to idle ones.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "base/interrupt.hpp"
#include "base/spin.hpp"

namespace mf {

// The number of jobs that a worker waits for. Once workers share it, only JobQueue may access it.
struct Pending {
  int count = 0;
};

// A job runs with the scratch memory of the worker that takes it.
template <class Worker>
class JobQueue {
 public:
  using Job = std::function<void(Worker&)>;

  explicit JobQueue(const std::atomic<bool>& stop) : stop_(stop) {}

  // Whether there are more idle workers than jobs. Cheap enough to be called at every node. The
  // answer may be out of date: a job that no other worker takes is done by the one that pushed it.
  bool has_idle_worker() const { return n_wanted_.load(std::memory_order_relaxed) > 0; }

  // Adds a job and counts it in `pending`. The job must own all that it uses, `pending` included:
  // a worker that fails does not wait for the jobs it has pushed.
  void push(Pending& pending, Job job) {
    const std::lock_guard lock(mutex_);
    ++pending.count;
    jobs_.push_back({&pending, std::move(job)});
    update_wanted();
    notify();
  }

  // Counts down a job that was counted in `pending` without being pushed.
  void finish_one(Pending& pending) {
    const std::lock_guard lock(mutex_);
    count_down(pending);
  }

  // Does jobs of any worker, and waits for more, until nothing is pending. There is no deadlock if
  // a job waits only for work in progress that itself waits for nothing (see train::SharedSearch):
  // every pending job is then being done, or can be taken by the worker that waits for it.
  void work_until_done(Worker& worker, const Pending& pending) {
    std::unique_lock lock(mutex_);
    while (pending.count > 0) {
      if (stop_) throw Stopped{};
      if (jobs_.empty()) {
        wait(lock);
        continue;
      }
      const Entry oldest = std::move(jobs_.front());  // tends to be the largest
      jobs_.pop_front();
      update_wanted();
      lock.unlock();
      oldest.job(worker);
      lock.lock();
      count_down(*oldest.pending);
    }
  }

 private:
  struct Entry {
    Pending* pending;
    Job job;
  };

  // Waits for a limited time, as nothing notifies this condition when `stop` is set.
  void wait(std::unique_lock<std::mutex>& lock) {
    ++n_idle_;
    update_wanted();
    const unsigned seen = n_changes_;
    lock.unlock();
    const bool changed = spin_until([&] { return n_changes_ != seen || stop_; });
    lock.lock();
    if (!changed && n_changes_ == seen) changed_.wait_for(lock, kInterruptInterval);
    --n_idle_;
    update_wanted();
  }

  void count_down(Pending& pending) {
    if (--pending.count == 0) notify();
  }

  void notify() {
    ++n_changes_;
    changed_.notify_all();
  }

  void update_wanted() { n_wanted_ = n_idle_ - static_cast<int>(jobs_.size()); }

  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<unsigned> n_changes_{0};  // jobs that were added, and counts that became zero
  std::deque<Entry> jobs_;
  int n_idle_ = 0;
  std::atomic<int> n_wanted_{0};  // idle workers without a job; negative if there are more jobs
};

}  // namespace mf
