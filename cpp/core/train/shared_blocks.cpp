#include "train/shared_blocks.hpp"

#include <condition_variable>
#include <mutex>

#include "base/dealt_blocks.hpp"
#include "base/spin.hpp"

namespace mf::train {
namespace {

class SharedBlocks {
 public:
  SharedBlocks(const GrowInputs& inputs, std::size_t n_blocks,
               const std::function<void(std::size_t)>& body)
      : stop_(inputs.stop), body_(body), blocks_(n_blocks, inputs.n_workers) {}

  template <class BeforeEach>
  void work(int worker, const BeforeEach& before_each) {
    while (const auto block = blocks_.take(worker)) {
      if (stop_) throw Stopped{};
      before_each();
      body_(*block);
    }
  }

  // The same by another worker, which may come too late to find anything to do.
  void help(int worker) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      ++n_helpers_;
    }
    try {
      work(worker, [] {});
    } catch (...) {
      leave(true);
      throw;
    }
    leave(false);
  }

  // Waits until all helpers have left; help() then returns at once. Returns whether none failed.
  bool finish() noexcept {
    std::unique_lock lock(mutex_);
    closed_ = true;
    if (n_helpers_ > 0) {  // mostly each is at its last block
      lock.unlock();
      spin_until([&] { return n_helpers_ == 0; });
      lock.lock();
    }
    changed_.wait(lock, [&] { return n_helpers_ == 0; });
    return !failed_;
  }

 private:
  void leave(bool failed) {
    const std::lock_guard lock(mutex_);
    failed_ = failed_ || failed;
    --n_helpers_;
    changed_.notify_all();
  }

  const std::atomic<bool>& stop_;
  const std::function<void(std::size_t)>& body_;  // of the owner; unused once it has finished
  DealtBlocks blocks_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::atomic<std::size_t> n_helpers_{0};  // changed under the mutex
  bool closed_ = false, failed_ = false;
};

}  // namespace

BlockLoop shared_loop(const Worker& worker, const std::shared_ptr<GrowingTree>& growing) {
  return [&worker, &inputs = worker.inputs, growing](std::size_t n_blocks,
                                                     const std::function<void(std::size_t)>& body) {
    if (inputs.n_workers == 1 || n_blocks == 1) {
      for (std::size_t block = 0; block < n_blocks; ++block) body(block);
      return;
    }
    const auto blocks = std::make_shared<SharedBlocks>(inputs, n_blocks, body);
    try {
      blocks->work(worker.number, [&] {
        if (inputs.jobs.has_idle_worker())
          inputs.jobs.push(growing->given,
                           [growing, blocks](Worker& other) { blocks->help(other.number); });
      });
    } catch (...) {
      blocks->finish();
      throw;
    }
    if (!blocks->finish()) throw Stopped{};
  };
}

}  // namespace mf::train
