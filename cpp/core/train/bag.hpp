// The in-bag sample of a tree, as counts; rows are never duplicated.
#pragma once

#include <cstdint>
#include <vector>

#include "base/block_loop.hpp"
#include "base/page_vector.hpp"
#include "base/rng.hpp"
#include "data/row_numbers.hpp"
#include "train/options.hpp"

namespace mf::train {

// What decides how rows are drawn and weighted, per training row.
struct RowWeights {
  RowNumbers<std::int32_t> strata;     // class combination: stratified draws, honest halves
  RowNumbers<double> draw_weight;      // bootstrap probabilities, up to a factor
  RowNumbers<double> row_weight;       // what the criterion multiplies counts with
  RowNumbers<std::int64_t> row_count;  // multiplicity without bootstrap; 0 means absent.
                                       // All together at most 2^31 - 1
  std::size_t n_rows = 0;
};

// Counts sum to at most 2^31 - 1 draws.
struct Bag {
  PageVector<std::int32_t> structure;   // counts of the rows that grow the tree
  PageVector<std::int32_t> estimation;  // counts of the rows that fill the leaves of an honest
                                        // tree; empty for others
};

// In the memory of the bag before.
void draw_bag(const GrowOptions& options, const RowWeights& rows, Rng& rng, const BlockLoop& loop,
              Bag& bag);

// In-bag code of a row that an honest tree used to grow and for nothing else.
constexpr std::int32_t kOnlyGrew = -1;

// The in-bag code of every row: how often it counts in the values of leaves (0: out of bag), or
// kOnlyGrew.
PageVector<std::int32_t> inbag_codes(Bag&& bag);

}  // namespace mf::train
