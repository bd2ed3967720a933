// The state of a forest: what it has learned, examples and trees of them.
//
// Only a Change writes to it, and `restore` to a new one. Between changes every stored example is
// in a tree and every node is a stored example; there are n_trees trees, or as many as there are
// examples, each the root of one.
#pragma once

#include <cstdint>

#include "boundary/examples.hpp"
#include "boundary/options.hpp"
#include "boundary/trees.hpp"

namespace mf::boundary {

struct State {
  State(const Options& given, std::size_t row_bytes) : options(given), examples(given, row_bytes) {}

  const Points& points() const { return examples.points(); }
  std::size_t bytes() const {
    std::size_t bytes = examples.bytes();
    for (const Tree& tree : trees.all) bytes += sizeof tree + tree.bytes();
    return bytes;
  }

  const Options options;
  Examples examples;
  Trees trees;
  std::int64_t n_seen = 0;  // examples so far, the stored ones among them
};

}  // namespace mf::boundary
