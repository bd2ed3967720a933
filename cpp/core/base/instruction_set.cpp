#include "base/instruction_set.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace mf {
namespace {

constexpr std::array<const char*, kInstructionSets> kNames{"baseline", "avx2", "avx512",
                                                           "avx512vnni"};

constexpr const char* kVariable = "MANIFOLDFOREST_INSTRUCTIONS";

// Not clang-cl: its runtime library, which these builtins need, is not linked by default, and
// CMakeLists.txt compiles no variants for it.
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(_MSC_VER)
bool machine_has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}
bool machine_has_avx512() {
  return machine_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq");
}
bool machine_has_vnni() { return machine_has_avx512() && __builtin_cpu_supports("avx512vnni"); }
#else
bool machine_has_avx2() { return false; }
bool machine_has_avx512() { return false; }
bool machine_has_vnni() { return false; }
#endif

InstructionSet best_of_machine() {
  if (machine_has_vnni()) return InstructionSet::avx512vnni;
  if (machine_has_avx512()) return InstructionSet::avx512;
  return machine_has_avx2() ? InstructionSet::avx2 : InstructionSet::baseline;
}

// What the user allows at most; without a value, everything.
InstructionSet cap() {
  const char* given = std::getenv(kVariable);
  const std::string_view name = given == nullptr ? "" : given;
  if (name.empty()) return static_cast<InstructionSet>(kInstructionSets - 1);
  std::string expected;
  for (std::size_t i = 0; i < kInstructionSets; ++i) {
    if (name == kNames[i]) return static_cast<InstructionSet>(i);
    expected += (i == 0 ? "'" : ", '") + std::string(kNames[i]) + "'";
  }
  throw std::invalid_argument("the environment variable " + std::string(kVariable) +
                              " must be one of " + expected + ", got '" + std::string(name) + "'");
}

// The same for the whole life of the process: the environment is read once.
InstructionSet best() {
  static const InstructionSet set = std::min(best_of_machine(), cap());
  return set;
}

std::atomic<InstructionSet>& current() {
  static std::atomic<InstructionSet> set{best()};
  return set;
}

}  // namespace

InstructionSet instruction_set() { return current().load(std::memory_order_relaxed); }

std::vector<std::string> supported_instruction_sets() {
  return {kNames.begin(), kNames.begin() + static_cast<std::ptrdiff_t>(best()) + 1};
}

bool use_instruction_set(const std::string& name) {
  const std::vector<std::string> supported = supported_instruction_sets();
  for (std::size_t i = 0; i < supported.size(); ++i) {
    if (supported[i] != name) continue;
    current() = static_cast<InstructionSet>(i);
    return true;
  }
  return false;
}

}  // namespace mf
