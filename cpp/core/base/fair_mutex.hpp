// A lock for many readers or one writer, first come, first served: readers queue behind a waiting
// writer, so that neither side can starve the other.
//
// A thread that waits can be interrupted. A thread that would wait for itself, because it holds the
// lock already, gets an error: so does a metric that changes the forest that calls it. A forked
// child releases the locks of threads that it does not have. If one of them was writing, the data
// are half written: every later attempt to lock throws LostByFork.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stdexcept>

#include "base/interrupt.hpp"

namespace mf {

// A thread asked for a lock that it holds already.
struct CalledFromInside : std::runtime_error {
  CalledFromInside()
      : std::runtime_error(
            "a metric must not change the forest or index that calls it, nor store it, nor ask it "
            "while it is being changed") {}
};

// What the lock protects was being written by another thread when this process was forked.
struct LostByFork : std::runtime_error {
  LostByFork()
      : std::runtime_error(
            "the forest or index cannot be used in this process: another thread was changing it "
            "when the process was forked. Fork while nothing changes, or use the start method "
            "'spawn' or 'forkserver'") {}
};

class FairMutex {
 public:
  // Whether the protected data can be used in a forked child if another thread held the lock for
  // writing.
  enum class AfterFork { lost, free };

  explicit FairMutex(AfterFork after_fork = AfterFork::lost);
  ~FairMutex();
  FairMutex(const FairMutex&) = delete;
  FairMutex& operator=(const FairMutex&) = delete;

  // Holds the lock as long as it lives. Guards of one thread end in the reverse order.
  class Guard {
   public:
    Guard(const FairMutex& mutex, bool writes, const InterruptFunction& check_interrupt);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    friend class FairMutex;

    const FairMutex& mutex_;
    const bool writes_;
    Guard* outer_;  // of this thread, on any mutex
  };

  // A thread that reads may read again. check_interrupt() is called every 50 ms while waiting.
  // Throws CalledFromInside, LostByFork, or what check_interrupt() throws.
  Guard read(const InterruptFunction& check_interrupt = {}) const {
    return {*this, false, check_interrupt};
  }
  Guard write(const InterruptFunction& check_interrupt = {}) const {
    return {*this, true, check_interrupt};
  }

  // Throws CalledFromInside if this thread holds the lock. For callers that take another lock
  // first: a thread that holds this one must not wait for that.
  void refuse_from_inside() const;

 private:
  struct Waiting {
    Waiting* next = nullptr;
  };
  struct Registry;

  void enter(bool writes, const InterruptFunction& check_interrupt) const;
  void wait_in_turn(std::unique_lock<std::mutex>& lock, bool writes,
                    const InterruptFunction& check_interrupt) const;
  void leave(bool writes) const noexcept;
  bool may_enter(bool writes) const { return !writing_ && (!writes || n_readers_ == 0); }
  void leave_queue(const Waiting& gone) const noexcept;
  void reset_in_child() const;

  // The innermost guard of this thread.
  static Guard*& innermost();

  const AfterFork after_fork_;
  mutable std::mutex mutex_;  // protects what follows; never held for long
  mutable std::condition_variable changed_;
  mutable std::size_t n_readers_ = 0;  // guards; a thread may hold several
  mutable bool writing_ = false;
  mutable bool lost_ = false;
  mutable Waiting* first_ = nullptr;  // the queue; entries are on the stacks of waiting threads
  mutable Waiting* last_ = nullptr;
  FairMutex* previous_ = nullptr;  // in the list of all mutexes, for forks
  FairMutex* next_ = nullptr;
};

}  // namespace mf
