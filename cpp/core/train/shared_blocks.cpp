#include "train/shared_blocks.hpp"

#include <condition_variable>
#include <mutex>

namespace mf::train {
namespace {

class SharedBlocks {
 public:
  SharedBlocks(const std::atomic<bool>& stop, std::size_t n_blocks,
               const std::function<void(std::size_t)>& body)
      : stop_(stop), n_blocks_(n_blocks), body_(body) {}

  template <class BeforeEach>
  void work(const BeforeEach& before_each) {
    for (std::size_t block = next_++; block < n_blocks_; block = next_++) {
      if (stop_) throw Stopped{};
      before_each();
      body_(block);
    }
  }

  // The same by another worker, which may come too late to find anything to do.
  void help() {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      ++n_helpers_;
    }
    try {
      work([] {});
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
  const std::size_t n_blocks_;
  const std::function<void(std::size_t)>& body_;  // of the owner; unused once it has finished
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::size_t n_helpers_ = 0;
  bool closed_ = false, failed_ = false;
};

}  // namespace

BlockLoop shared_loop(const Worker& worker, const std::shared_ptr<GrowingTree>& growing) {
  return [&inputs = worker.inputs, growing](std::size_t n_blocks,
                                            const std::function<void(std::size_t)>& body) {
    if (inputs.n_workers == 1 || n_blocks == 1) {
      for (std::size_t block = 0; block < n_blocks; ++block) body(block);
      return;
    }
    const auto blocks = std::make_shared<SharedBlocks>(inputs.stop, n_blocks, body);
    try {
      blocks->work([&] {
        if (inputs.jobs.has_idle_worker())
          inputs.jobs.push(growing->given, [growing, blocks](Worker&) { blocks->help(); });
      });
    } catch (...) {
      blocks->finish();
      throw;
    }
    if (!blocks->finish()) throw Stopped{};
  };
}

}  // namespace mf::train
