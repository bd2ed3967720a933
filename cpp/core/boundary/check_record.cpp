#include "boundary/check_record.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <unordered_set>
#include <vector>

namespace mf::boundary {
namespace {

// Any number in a record may be forged. Below are all properties that other code relies on, each
// with its check. Not checked here: options, which are checked when a forest is made; the bytes of
// rows, of which any values are safe; the number of these bytes and the largest class, which the
// callers check.

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

void check_points(const Record& record, const Options& options) {
  const std::size_t n = record.ids.size();
  const bool classifies = options.task == Task::classify;
  const bool retrieves = options.task == Task::retrieve;
  // Slots are counted in 32 bits, and in a record with a sign.
  require(n <= std::numeric_limits<std::int32_t>::max(), "there are too many points");
  // All arrays of points have one entry per point (or per output of a point).
  require(record.arrivals.size() == n, "arrivals do not fit the points");
  require(record.classes.size() == (classifies ? n : 0), "classes do not fit the points");
  require(options.n_outputs == 0 ? record.values.empty()
                                 : record.values.size() % options.n_outputs == 0 &&
                                       record.values.size() / options.n_outputs == n,
          "values do not fit the points");
  // Arrivals tell points with equal distances apart, and points are in order of arrival.
  require(std::adjacent_find(record.arrivals.begin(), record.arrivals.end(),
                             std::greater_equal<>()) == record.arrivals.end(),
          "arrivals are out of order");
  // The next example gets the number n_seen, which no point may have, and counting goes on.
  require(record.n_seen >= 0 && record.n_seen <= std::numeric_limits<std::int64_t>::max() / 2,
          "the number of examples seen is out of range");
  require(n == 0 || (record.arrivals.front() >= 0 && record.arrivals.back() < record.n_seen),
          "arrivals do not fit the number of examples seen");
  // In an index the table of ids leads to every point; elsewhere the id is the arrival.
  require(retrieves
              ? std::unordered_set<std::int64_t>(record.ids.begin(), record.ids.end()).size() == n
              : record.ids == record.arrivals,
          retrieves ? "two points have the same id"
                    : "examples have other numbers than those of their arrival");
  // Classes are columns of predictions.
  require(std::all_of(record.classes.begin(), record.classes.end(), [](auto c) { return c >= 0; }),
          "a class is negative");
  // Differences and means of responses are numbers.
  require(std::all_of(record.values.begin(), record.values.end(),
                      [](double value) { return std::isfinite(value); }),
          "a response is not finite");
}

void check_offsets(const Record& record) {
  // Trees are consecutive parts of the nodes, which together are all nodes.
  require(record.node_slot.size() == record.node_children.size(), "nodes do not fit the trees");
  require(!record.tree_offsets.empty() && record.tree_offsets.front() == 0 &&
              std::is_sorted(record.tree_offsets.begin(), record.tree_offsets.end()) &&
              record.tree_offsets.back() == static_cast<std::int64_t>(record.node_slot.size()),
          "nodes do not fit the trees");
}

// One tree in preorder.
struct Nodes {
  std::span<const std::int32_t> slots, n_children;
};

Nodes nodes_of(const Record& record, std::size_t tree) {
  const auto begin = static_cast<std::size_t>(record.tree_offsets[tree]);
  const std::size_t size = static_cast<std::size_t>(record.tree_offsets[tree + 1]) - begin;
  return {std::span(record.node_slot).subspan(begin, size),
          std::span(record.node_children).subspan(begin, size)};
}

// `times` counts, for each point, the nodes of this tree that hold it.
void check_tree(const Nodes& nodes, const Options& options, std::vector<std::uint32_t>& times) {
  std::int64_t missing = 1;  // children that are still to come
  for (std::size_t i = 0; i < nodes.slots.size(); ++i) {
    // Every node but the root is the child of one before it: no tree is empty, goes in circles or
    // falls apart.
    require(missing > 0, "a tree is not whole");
    // Every node holds a point.
    require(nodes.slots[i] >= 0 && static_cast<std::size_t>(nodes.slots[i]) < times.size(),
            "a node holds no point");
    // Lists of children have 16 bits, and a full node is never the end of a walk.
    require(nodes.n_children[i] >= 0 &&
                static_cast<std::size_t>(nodes.n_children[i]) <= options.max_children,
            "a node has too many children");
    missing += nodes.n_children[i] - 1;
    ++times[static_cast<std::size_t>(nodes.slots[i])];
  }
  require(missing == 0, "a tree is not whole");
  // Removal finds a point by the parents of points.
  if (options.task == Task::retrieve)
    require(std::all_of(times.begin(), times.end(), [](std::uint32_t t) { return t == 1; }),
            "a tree does not hold every point once");
}

void check_trees(const Record& record, const Options& options,
                 const InterruptFunction& check_interrupt) {
  const std::size_t n = record.ids.size(), n_trees = record.tree_offsets.size() - 1;
  // There are as many trees as wanted, or as many as there were examples.
  require(record.starting ? n_trees < options.n_trees : n_trees == options.n_trees,
          "there are too few or too many trees");
  std::vector<std::uint32_t> times(n);
  std::vector<bool> held(n);
  for (std::size_t t = 0; t < n_trees; ++t) {
    check_interrupt();
    std::fill(times.begin(), times.end(), 0U);
    check_tree(nodes_of(record, t), options, times);
    for (std::size_t i = 0; i < n; ++i) held[i] = held[i] || times[i] > 0;
  }
  // A point is stored because a tree keeps it.
  require(std::find(held.begin(), held.end(), false) == held.end(), "no tree holds a point");
}

void check_starts(const Record& record) {
  const std::size_t n = record.ids.size(), n_trees = record.tree_offsets.size() - 1;
  if (!record.starting) {
    require(record.starts.empty(), "there are first examples beside finished trees");
    return;
  }
  // While there are fewer examples than trees, each of them is the root of one, in order of
  // arrival: trees are built from them again when the next one comes or one goes.
  require(record.starts.size() == n && n_trees == n, "not every first example has a tree");
  for (std::size_t t = 0; t < n; ++t) {
    require(record.starts[t] == static_cast<std::int32_t>(t),
            "the first examples are not all points in order of arrival");
    require(nodes_of(record, t).slots[0] == record.starts[t],
            "a first example is not the root of its tree");
  }
}

}  // namespace

void check_record(const Record& record, const Options& options,
                  const InterruptFunction& check_interrupt) {
  check_points(record, options);
  check_offsets(record);
  check_trees(record, options, check_interrupt);
  check_starts(record);
}

}  // namespace mf::boundary
