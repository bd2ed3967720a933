// What a node of a tree is, as flat forests store it.
#pragma once

#include <cstdint>

namespace mf {

// 2 is kept for splits by a set of categories. They need: the set beside the threshold in
// train::Tree and FlatForest, a form of node in predict, and check_forest, which refuses them until
// then.
enum class NodeKind : std::uint8_t { leaf = 0, numeric = 1, categories = 2 };

}  // namespace mf
