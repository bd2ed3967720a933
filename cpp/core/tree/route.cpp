#include "tree/route.hpp"

#include <algorithm>
#include <cmath>

namespace mf {

namespace {

template <class GoesLeft>
std::size_t partition_rows(std::span<Row> rows, std::vector<Row>& spill, const GoesLeft& left) {
  spill.resize(rows.size());
  std::size_t n_left = 0, n_right = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t goes_left = left(i) ? 1 : 0;
    const Row row = rows[i];
    rows[n_left] = row;  // harmless when the row goes right: the place is written again
    spill[n_right] = row;
    n_left += goes_left;
    n_right += 1 - goes_left;
  }
  std::copy(spill.begin(), spill.begin() + static_cast<std::ptrdiff_t>(n_right),
            rows.begin() + static_cast<std::ptrdiff_t>(n_left));
  return n_left;
}

}  // namespace

std::size_t stable_partition(std::span<Row> rows, const Column& column, Key last_left,
                             bool missing_left, std::vector<Row>& spill) {
  if (column.is_bytes()) {
    const std::int32_t last = integer_of(last_left);
    return partition_rows(rows, spill, [&](std::size_t i) { return column.bytes[i] <= last; });
  }
  if (column.range.n_missing == 0 || !missing_left)  // missing is the largest key
    return partition_rows(rows, spill, [&](std::size_t i) { return column.keys[i] <= last_left; });
  return partition_rows(rows, spill, [&](std::size_t i) {
    return column.keys[i] <= last_left || column.keys[i] == kMissing;
  });
}

namespace {

// The largest key whose value is at most `threshold`.
Key last_left_key(double threshold, const KeyRange& range) {
  if (range.integer) {
    const double floor = std::floor(threshold);
    return key_of(static_cast<std::int32_t>(floor));
  }
  return key_of(static_cast<float>(threshold));  // float columns have float thresholds
}

}  // namespace

void route(const Tree& tree, Projector& projector, std::span<Row> rows,
           const std::function<void(std::size_t, std::span<const Row>)>& visit) {
  struct Slice {
    std::size_t node;
    std::span<Row> rows;
  };
  projector.start_subtree({});
  std::vector<Slice> stack{{0, rows}};
  std::vector<Row> spill;
  while (!stack.empty()) {
    const Slice slice = stack.back();
    stack.pop_back();
    if (slice.rows.empty()) continue;
    visit(slice.node, slice.rows);
    if (tree.is_leaf(slice.node)) continue;
    const Atom atom = tree.atoms[static_cast<std::size_t>(tree.atom[slice.node])];
    projector.start_node(slice.rows);
    const Column column = projector.project(atom);
    const std::size_t n_left = stable_partition(
        slice.rows, column, last_left_key(tree.threshold[slice.node], column.range),
        tree.missing_left[slice.node] != 0, spill);
    const auto left = static_cast<std::size_t>(tree.left[slice.node]);
    stack.push_back({left + 1, slice.rows.subspan(n_left)});
    stack.push_back({left, slice.rows.first(n_left)});
  }
}

}  // namespace mf
