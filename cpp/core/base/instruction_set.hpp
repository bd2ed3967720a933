// Which instruction set hot loops use: the best one that the machine supports and the environment
// variable MANIFOLDFOREST_INSTRUCTIONS allows, unless a test chose another. Every family of kernels
// has a table of functions for each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mf {

enum class InstructionSet : std::uint8_t { baseline, avx2, avx512, avx512vnni };
constexpr std::size_t kInstructionSets = 4;

InstructionSet instruction_set();
// From plain to best. Throws std::invalid_argument if the variable names no instruction set.
std::vector<std::string> supported_instruction_sets();
// Returns false if the machine does not support it, or the variable does not allow it.
bool use_instruction_set(const std::string& name);

// One table per instruction set, in the order of the enumeration. Null where it would be that of
// the one before, or was not compiled; the first is never null.
template <class Table>
using Variants = std::array<const Table*, kInstructionSets>;

template <class Table>
const Table& variant_in_use(const Variants<Table>& variants) {
  auto i = static_cast<std::size_t>(instruction_set());
  while (variants[i] == nullptr) --i;
  return *variants[i];
}

}  // namespace mf
