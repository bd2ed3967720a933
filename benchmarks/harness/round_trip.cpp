// How far two processors are from each other: a number that one of them writes goes to the other
// and comes back, again and again.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

constexpr int kTrips = 20000;

bool stay_on(int processor) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  return pthread_setaffinity_np(pthread_self(), sizeof only, &only) == 0;
}

struct alignas(64) Ball {
  std::atomic<int> side{0};
};

// Waits for the ball kTrips times and plays it back.
void play(Ball& ball, int own, int other) {
  for (int i = 0; i < kTrips; ++i) {
    while (ball.side.load(std::memory_order_acquire) != own) {
    }
    ball.side.store(other, std::memory_order_release);
  }
}

}  // namespace

// Nanoseconds of a round trip between two processors, negative if threads may not choose them.
extern "C" double round_trip(int a, int b) {
  Ball ball;
  std::atomic<bool> placed{true};
  double nanoseconds = 0.0;
  std::thread first([&] {
    if (!stay_on(a)) placed = false;
    const auto start = std::chrono::steady_clock::now();
    play(ball, 0, 1);
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    nanoseconds = time.count() / kTrips;
  });
  std::thread second([&] {
    if (!stay_on(b)) placed = false;
    play(ball, 1, 0);
  });
  first.join();
  second.join();
  return placed ? nanoseconds : -1.0;
}
