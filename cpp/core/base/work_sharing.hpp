// Handing jobs from busy workers to idle ones.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "base/parallel.hpp"

namespace mf {

// Things that are to be waited for. Once workers share it, only Handout may touch it.
struct Pending {
  int count = 0;
};

// A job is done with the scratch of whichever worker takes it.
template <class Worker>
class Handout {
 public:
  using Job = std::function<void(Worker&)>;

  explicit Handout(const std::atomic<bool>& stop) : stop_(stop) {}

  // Whether a worker is idle for whom there is no job yet. Cheap enough to ask at every node, and
  // perhaps a moment out of date: a job too many is done by its giver.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed) > 0; }

  // The job is one more of what is pending. It must own all it uses, `pending` as well: if the
  // giver fails, it does not stay to see the job done.
  void give(Pending& pending, Job job) {
    const std::lock_guard lock(mutex_);
    ++pending.count;
    jobs_.push_back({&pending, std::move(job)});
    update_wanted();
    changed_.notify_all();
  }

  void done(Pending& pending) {
    const std::lock_guard lock(mutex_);
    count_down(pending);
  }

  // Does jobs, whoever gave them, and waits for more until nothing is pending. Inside a job a
  // worker may wait only for what another is doing that waits for nobody (see train::SharedSearch),
  // so what workers wait for is always being done or theirs to take.
  void help(Worker& worker, const Pending& pending) {
    std::unique_lock lock(mutex_);
    while (pending.count > 0) {
      if (stop_) throw Stopped{};
      if (jobs_.empty()) {
        wait(lock);
        continue;
      }
      const Given given = std::move(jobs_.front());  // the oldest, which tends to be the largest
      jobs_.pop_front();
      update_wanted();
      lock.unlock();
      given.job(worker);
      lock.lock();
      count_down(*given.pending);
    }
  }

 private:
  struct Given {
    Pending* pending;
    Job job;
  };

  // Whoever asks to stop does not know about those who wait here: they look now and then.
  void wait(std::unique_lock<std::mutex>& lock) {
    ++n_idle_;
    update_wanted();
    changed_.wait_for(lock, kWatchInterval);
    --n_idle_;
    update_wanted();
  }

  void count_down(Pending& pending) {
    if (--pending.count == 0) changed_.notify_all();
  }

  void update_wanted() { wanted_ = n_idle_ - static_cast<int>(jobs_.size()); }

  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Given> jobs_;
  int n_idle_ = 0;
  std::atomic<int> wanted_{0};
};

}  // namespace mf
