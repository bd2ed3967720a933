// Loaded before everything else (LD_PRELOAD): memory and threads that are refused on demand.
//
// faults_arm(what, k, forever): the k-th call from now on fails, and with `forever` all that follow.
// what: 0 operator new, 1 pthread_create. faults_disarm() returns how many calls have failed.
// Between faults_pause(1) and faults_pause(0) calls neither fail nor count.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> until_failure[2] = {{-1}, {-1}};  // negative: never
std::atomic<bool> fails_forever{false}, paused{false};
std::atomic<long> n_failed{0};

bool fails(int what) {
  if (paused || until_failure[what].load(std::memory_order_relaxed) < 0) return false;
  const long left = until_failure[what].fetch_sub(1);
  if (left != 0 && !(left < 0 && fails_forever)) return false;
  if (fails_forever) until_failure[what] = 0;
  ++n_failed;
  return true;
}

void* allocate(std::size_t size) {
  void* memory = fails(0) ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = fails(0) ? nullptr
                          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" {
void faults_arm(int what, long k, int forever) {
  n_failed = 0;
  fails_forever = forever != 0;
  until_failure[what] = k - 1;
}
void faults_pause(int pause) { paused = pause != 0; }
long faults_disarm() {
  until_failure[0] = until_failure[1] = -1;
  return n_failed;
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const Create create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return fails(1) ? EAGAIN : create(thread, attributes, start, argument);
}
}

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return fails(0) ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return fails(0) ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
