#include "split/kernels/kernels.hpp"

#include <atomic>

#include "split/kernels/variants.hpp"

namespace mf {
namespace {

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
bool machine_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("popcnt");
}
bool machine_has_avx512() {
  return machine_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
}
#else
bool machine_has_avx2() { return false; }
bool machine_has_avx512() { return false; }
#endif

// From plain to best.
std::vector<const Kernels*> supported() {
  std::vector<const Kernels*> tables{kernels_baseline::table()};
  if (kernels_avx2::table() != nullptr && machine_has_avx2())
    tables.push_back(kernels_avx2::table());
  if (kernels_avx512::table() != nullptr && machine_has_avx512())
    tables.push_back(kernels_avx512::table());
  return tables;
}

std::atomic<const Kernels*>& current() {
  static std::atomic<const Kernels*> table{supported().back()};
  return table;
}

}  // namespace

const Kernels& kernels() { return *current().load(std::memory_order_relaxed); }

std::vector<std::string> supported_kernels() {
  std::vector<std::string> names;
  for (const Kernels* table : supported()) names.emplace_back(table->name);
  return names;
}

bool use_kernels(const std::string& name) {
  for (const Kernels* table : supported()) {
    if (name != table->name) continue;
    current() = table;
    return true;
  }
  return false;
}

}  // namespace mf
