#pragma once

#include <cstdint>

namespace mf::train {

// What the rows of a node in a block are given as: as they are, or as their places in the block.
enum class NodeRows : std::uint8_t { rows, places };

}  // namespace mf::train
