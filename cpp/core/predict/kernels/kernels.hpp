// Hot loops of forests of small trees, compiled once per instruction set and chosen when the
// program runs. All variants give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoms/compiled.hpp"

namespace mf::predict {

// Rows that pass through a tree together. Their values of one atom lie side by side in a column.
constexpr std::size_t kRowsTogether = 32;

// A split of a tree whose leaves are bits of a number, the leftmost the lowest: a row that goes
// right can reach no leaf on the left.
struct LeafSetSplit {
  std::uint32_t column;         // of the atom's values
  float threshold;              // left iff value ≤ threshold
  std::uint32_t left_leaves;    // below the left child
  std::uint32_t missing_right;  // all bits if missing values go right, else 0
};

struct Kernels {
  // out[row] = the sum of the terms over columns of kRowsTogether rows, added in double in their
  // order, then rounded.
  void (*sum_columns)(const float* columns, const Term* terms, std::size_t n_terms, float* out);
  // leaves[tree × row] = the number of the leaf. The splits of tree t are first_split[t] ..
  // first_split[t + 1] - 1.
  void (*find_leaves)(const float* columns, const LeafSetSplit* splits,
                      const std::uint32_t* first_split, std::size_t n_trees, std::uint8_t* leaves);
  // The same where no value is missing.
  void (*find_leaves_of_complete)(const float* columns, const LeafSetSplit* splits,
                                  const std::uint32_t* first_split, std::size_t n_trees,
                                  std::uint8_t* leaves);
};

// The variant in use.
const Kernels& kernels();

}  // namespace mf::predict
