// Partitions of the rows of a node.
#pragma once

#include <span>

#include "base/block_loop.hpp"
#include "base/page_vector.hpp"
#include "data/code_rows.hpp"
#include "data/table.hpp"
#include "split/project.hpp"

namespace mf::train {

// Where rows wait until others have left their places.
struct Spill {
  PageVector<Row> rows;
  // Memory that a much larger node has left is kept: the next tree begins with one.
  bool lasts = false;
};

// Moves rows whose key is at most `last_left` (or is missing, if those go left) to the front,
// keeping the order on both sides; returns how many.
std::size_t stable_partition(std::span<Row> rows, const Column& column, Key last_left,
                             bool missing_left, Spill& spill);
// The same for codes of a feature; by blocks of rows, if there is a loop for them.
std::size_t stable_partition(std::span<Row> rows, const CodeRows& codes, std::size_t feature,
                             Key last_left, bool missing_left, Spill& spill,
                             const BlockLoop& loop = {});

}  // namespace mf::train
