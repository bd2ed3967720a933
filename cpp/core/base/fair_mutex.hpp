// Many readers or one writer, in the order in which they come: a writer that waits holds later
// readers back, so that neither side can starve the other.
//
// Who waits can be interrupted. A thread that asks for what it could never get, because it holds
// the lock itself, gets an error: this is how a metric is stopped that changes the forest it
// measures for. After a fork the threads of the parent are gone in the child, and their locks with
// them; what one of them was writing is half done and stays locked for good, with an error.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stdexcept>

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
  // Called now and then by a thread that waits; throws if the thread is to give up.
  using Watch = std::function<void()>;

  // Whether what is protected can be used in a forked child although a thread that is gone there
  // held the lock for writing.
  enum class AfterFork { lost, free };

  explicit FairMutex(AfterFork after_fork = AfterFork::lost);
  ~FairMutex();
  FairMutex(const FairMutex&) = delete;
  FairMutex& operator=(const FairMutex&) = delete;

  // Holds the lock as long as it lives. Guards of one thread end in the reverse order.
  class Guard {
   public:
    Guard(const FairMutex& mutex, bool writes, const Watch& watch);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    friend class FairMutex;

    const FairMutex& mutex_;
    const bool writes_;
    Guard* outer_;  // of this thread, on any mutex
  };

  // A thread that reads may read again. Throws CalledFromInside, LostByFork, or what `watch` does.
  Guard read(const Watch& watch = {}) const { return {*this, false, watch}; }
  Guard write(const Watch& watch = {}) const { return {*this, true, watch}; }

  // For those who are to take another lock first: a thread that is inside must not wait for it.
  void refuse_from_inside() const;

 private:
  struct Waiting {
    Waiting* next = nullptr;
  };
  struct Registry;

  void enter(bool writes, const Watch& watch) const;
  void wait_in_turn(std::unique_lock<std::mutex>& lock, bool writes, const Watch& watch) const;
  void leave(bool writes) const noexcept;
  bool may_enter(bool writes) const { return !writing_ && (!writes || n_readers_ == 0); }
  void leave_queue(const Waiting& gone) const noexcept;
  void reset_in_child() const;

  // The innermost guard of this thread.
  static Guard*& innermost();

  const AfterFork after_fork_;
  mutable std::mutex mutex_;  // of what follows; never held for long
  mutable std::condition_variable changed_;
  mutable std::size_t n_readers_ = 0;  // guards; threads that read again count again
  mutable bool writing_ = false;
  mutable bool lost_ = false;
  mutable Waiting* first_ = nullptr;  // the queue, whose entries are on the stacks of who waits
  mutable Waiting* last_ = nullptr;
  FairMutex* previous_ = nullptr;  // in the list of all, for forks
  FairMutex* next_ = nullptr;
};

}  // namespace mf
