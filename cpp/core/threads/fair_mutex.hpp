// Many readers or one writer, in the order in which they come: a writer that waits holds later
// readers back, so that neither side can starve the other.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace mf {

class FairMutex {
 public:
  std::shared_lock<std::shared_mutex> read() const {
    const std::lock_guard turn(turn_);
    return std::shared_lock(mutex_);
  }
  std::unique_lock<std::shared_mutex> write() const {
    const std::lock_guard turn(turn_);
    return std::unique_lock(mutex_);
  }

 private:
  mutable std::mutex turn_;
  mutable std::shared_mutex mutex_;
};

}  // namespace mf
