// How long work is interrupted, by Ctrl-C for example.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>

namespace mf {

// Throws if the call is to stop.
using InterruptFunction = std::function<void()>;

// Time between two checks for an interrupt.
constexpr std::chrono::milliseconds kInterruptInterval{50};

// Thrown inside workers when the call is to stop.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped"; }
};

// Calls an InterruptFunction at most every 50 ms. Cheap enough for inner loops.
class InterruptCheck {
 public:
  explicit InterruptCheck(const InterruptFunction& check_interrupt)
      : check_interrupt_(check_interrupt) {}

  // To be called after every n units of work; one unit is a distance between short rows.
  void poll_after(std::size_t n) {
    done_ += n;
    if (done_ < kUnitsPerPoll) return;
    done_ = 0;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterruptInterval) return;
    check_interrupt_();
    last_ = now;
  }
  // The same after work of any size.
  void poll() { poll_after(kUnitsPerPoll); }

 private:
  static constexpr std::size_t kUnitsPerPoll = 512;  // the clock is read once for so many units

  const InterruptFunction& check_interrupt_;
  std::size_t done_ = 0;  // units since the clock was read
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace mf
