// The in-bag sample of a tree, as counts; rows are never duplicated.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "train/options.hpp"

namespace mf::train {

// What decides how rows are drawn and weighted, per training row.
struct RowWeights {
  const std::int32_t* strata = nullptr;     // class combination: stratified draws, honest halves
  const double* draw_weight = nullptr;      // bootstrap probabilities, up to a factor
  const double* row_weight = nullptr;       // what the criterion multiplies counts with
  const std::int64_t* row_count = nullptr;  // multiplicity without bootstrap; 0 means absent.
                                            // All together at most 2^31 - 1
  std::size_t n_rows = 0;
};

// Counts sum to at most 2^31 - 1 draws.
struct Bag {
  std::vector<std::int32_t> structure;   // counts of the rows that grow the tree
  std::vector<std::int32_t> estimation;  // counts of the rows that fill the leaves of an honest
                                         // tree; empty for others
};

Bag draw_bag(const GrowOptions& options, const RowWeights& rows, Rng& rng);

// In-bag code of a row that an honest tree used to grow and for nothing else.
constexpr std::int32_t kOnlyGrew = -1;

// The in-bag code of every row: how often it counts in the values of leaves (0: out of bag), or
// kOnlyGrew.
std::vector<std::int32_t> inbag_codes(const Bag& bag);

}  // namespace mf::train
