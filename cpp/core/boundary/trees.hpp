// The trees of a forest, and how they start.
#pragma once

#include <vector>

#include "boundary/call_context.hpp"
#include "boundary/examples.hpp"
#include "boundary/tree.hpp"

namespace mf::boundary {

// While there are fewer than n_trees examples, every one of them is a root.
struct Trees {
  std::vector<Tree> all;
  bool starting = true;
  std::vector<Slot> starts;                        // the first examples
  std::vector<std::vector<double>> start_proxies;  // between them, perhaps not of the last ones yet
};

inline Tree empty_tree(const Options& options) {
  return {options.max_children, options.task == Task::retrieve};
}

// Trees of the first examples: each is the root of one and is followed by the others in an order of
// that tree. `proxies` are those between the first of them, as far as they are known.
Trees start_trees(std::vector<Slot> starts, std::vector<std::vector<double>> proxies,
                  const Examples& examples, const Options& options, const CallContext& context);

}  // namespace mf::boundary
