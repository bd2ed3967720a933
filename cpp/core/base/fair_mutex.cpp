#include "base/fair_mutex.hpp"

#include <new>

#include "base/interrupt.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace mf {

// All mutexes of the process, to be reset in the child of a fork. Its own mutex is held during a
// fork, so that the list is consistent in the child.
struct FairMutex::Registry {
  std::mutex mutex;
  FairMutex* first = nullptr;

  // Never destroyed: mutexes may outlive everything else.
  static Registry& instance() {
    static Registry* const registry = new Registry;
    return *registry;
  }

  Registry() {
#if !defined(_WIN32)
    pthread_atfork([] { instance().mutex.lock(); }, [] { instance().mutex.unlock(); },
                   [] {
                     for (FairMutex* m = instance().first; m != nullptr; m = m->next_)
                       m->reset_in_child();
                     instance().mutex.unlock();
                   });
#endif
  }
};

FairMutex::FairMutex(AfterFork after_fork) : after_fork_(after_fork) {
  Registry& all = Registry::instance();
  const std::lock_guard lock(all.mutex);
  next_ = all.first;
  if (next_ != nullptr) next_->previous_ = this;
  all.first = this;
}

FairMutex::~FairMutex() {
  Registry& all = Registry::instance();
  const std::lock_guard lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

FairMutex::Guard*& FairMutex::innermost() {
  static thread_local Guard* guard = nullptr;
  return guard;
}

FairMutex::Guard::Guard(const FairMutex& mutex, bool writes,
                        const InterruptFunction& check_interrupt)
    : mutex_(mutex), writes_(writes), outer_(innermost()) {
  mutex.enter(writes, check_interrupt);
  innermost() = this;
}

FairMutex::Guard::~Guard() {
  innermost() = outer_;
  mutex_.leave(writes_);
}

void FairMutex::refuse_from_inside() const {
  for (const Guard* held = innermost(); held != nullptr; held = held->outer_)
    if (&held->mutex_ == this) throw CalledFromInside();
}

void FairMutex::enter(bool writes, const InterruptFunction& check_interrupt) const {
  bool inside = false;
  for (const Guard* held = innermost(); held != nullptr; held = held->outer_) {
    if (&held->mutex_ != this) continue;
    if (writes || held->writes_) throw CalledFromInside();
    inside = true;
  }
  std::unique_lock lock(mutex_);
  if (lost_) throw LostByFork();
  // A thread that reads already must not queue behind a writer, which waits for it.
  if (!inside && (first_ != nullptr || !may_enter(writes)))
    wait_in_turn(lock, writes, check_interrupt);
  writes ? void(writing_ = true) : void(++n_readers_);
}

void FairMutex::wait_in_turn(std::unique_lock<std::mutex>& lock, bool writes,
                             const InterruptFunction& check_interrupt) const {
  Waiting me;
  (last_ != nullptr ? last_->next : first_) = &me;
  last_ = &me;
  while (first_ != &me || !may_enter(writes)) {
    if (changed_.wait_for(lock, kInterruptInterval) != std::cv_status::timeout || !check_interrupt)
      continue;
    lock.unlock();
    try {
      check_interrupt();
    } catch (...) {
      lock.lock();
      leave_queue(me);
      throw;
    }
    lock.lock();
  }
  leave_queue(me);
}

void FairMutex::leave_queue(const Waiting& gone) const noexcept {
  Waiting* before = nullptr;
  for (Waiting* at = first_; at != &gone; at = at->next) before = at;
  (before != nullptr ? before->next : first_) = gone.next;
  if (last_ == &gone) last_ = before;
  changed_.notify_all();  // the next one may be a reader, too
}

void FairMutex::leave(bool writes) const noexcept {
  const std::lock_guard lock(mutex_);
  writes ? void(writing_ = false) : void(--n_readers_);
  if (first_ != nullptr) changed_.notify_all();
}

// The child has only the thread that called fork. The mutex and the condition may be in any state.
void FairMutex::reset_in_child() const {
  new (&mutex_) std::mutex;
  new (&changed_) std::condition_variable;
  first_ = last_ = nullptr;
  n_readers_ = 0;
  bool mine = false;
  for (const Guard* held = innermost(); held != nullptr; held = held->outer_) {
    if (&held->mutex_ != this) continue;
    mine = mine || held->writes_;
    if (!held->writes_) ++n_readers_;
  }
  if (!writing_ || mine) return;
  writing_ = false;
  lost_ = after_fork_ == AfterFork::lost;
}

}  // namespace mf
