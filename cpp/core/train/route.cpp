#include "train/route.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "train/partition.hpp"

namespace mf::train {
namespace {

// The largest key whose value is at most `threshold`.
Key last_left_key(double threshold, const KeyRange& range) {
  // There is one: thresholds lie above the first code, and infinity above all.
  if (range.codes != nullptr)
    return static_cast<Key>(range.codes->up_to(static_cast<float>(threshold)) - 1);
  if (range.integer) {
    const double floor = std::floor(threshold);
    return key_of(static_cast<std::int32_t>(floor));
  }
  return key_of(static_cast<float>(threshold));  // float columns have float thresholds
}

// The last code that goes left, if codes tell of every value where it goes: the threshold of a
// small node may lie within one. Where there are codes, atoms are single features.
std::optional<Key> last_left_code(const CodeRows* codes, const Atom& atom, double threshold) {
  if (codes == nullptr || codes->whole()) return std::nullopt;
  const CodeValues& values = codes->values(static_cast<std::size_t>(atom.ints[0]));
  const auto bound = static_cast<float>(threshold);  // float columns have float thresholds
  const std::size_t n = values.up_to(bound);
  if (n == 0) return std::nullopt;
  const bool is_between = n == values.size() || values.lossless || values.last[n - 1] == bound;
  return is_between ? std::optional<Key>(static_cast<Key>(n - 1)) : std::nullopt;
}

struct Arrival {
  std::size_t node;
  Slice slice;
};

enum class Visited : std::uint8_t { all_nodes, leaves };

// Sends few rows down one by one, each a step at a time: nothing is copied or moved for nodes that
// one or two rows reach, as most are, and no row waits for what another one reads.
class RowWalks {
 public:
  static constexpr std::size_t kMostRows = 32;

  RowWalks(const Worker& worker, const Tree& tree)
      : tree_(tree),
        rows_(worker.inputs.sampler.only_features() ? worker.projector->float_rows()
                                                    : Matrix<float>{}) {}

  bool can_send(std::size_t n_rows) const { return rows_.data != nullptr && n_rows <= kMostRows; }

  // Calls visit(leaf, row).
  template <class VisitLeaf>
  void send(std::size_t from, std::span<const Row> rows, const VisitLeaf& visit) {
    std::size_t n = 0;
    for (const Row row : rows) walks_[n++] = {row, from};
    while (n > 0)
      for (std::size_t i = 0; i < n;) {
        Walk& walk = walks_[i];
        if (tree_.is_leaf(walk.node)) {
          visit(walk.node, walk.row);
          walk = walks_[--n];
        } else {
          walk.node = child(walk);
          ++i;
        }
      }
  }

 private:
  struct Walk {
    Row row;
    std::size_t node;
  };

  std::size_t child(const Walk& walk) const {
    const auto atom = static_cast<std::size_t>(tree_.atom[walk.node]);
    const std::int32_t feature = tree_.atoms.ints[tree_.atoms.int_offsets[atom]];
    const float value = rows_.row(static_cast<std::size_t>(walk.row))[feature];
    const auto threshold = static_cast<float>(tree_.threshold[walk.node]);
    const bool missing = value != value;
    const bool left = missing ? tree_.missing_left[walk.node] != 0 : value <= threshold;
    return static_cast<std::size_t>(tree_.left[walk.node]) + (left ? 0 : 1);
  }

  const Tree& tree_;
  const Matrix<float> rows_;
  std::array<Walk, kMostRows> walks_;
};

// Partitions the rows of a split; returns how many go left.
std::size_t divide(Worker& worker, const Tree& tree, std::size_t node, std::span<Row> rows) {
  const Atom atom = tree.atoms[static_cast<std::size_t>(tree.atom[node])];
  const bool missing_left = tree.missing_left[node] != 0;
  if (const auto last = last_left_code(worker.inputs.codes, atom, tree.threshold[node]))
    return stable_partition(rows, *worker.inputs.codes, static_cast<std::size_t>(atom.ints[0]),
                            *last, missing_left, worker.spill);
  worker.projector->start_node(rows);
  const Column column = worker.projector->project(atom);
  return stable_partition(rows, column, last_left_key(tree.threshold[node], column.range),
                          missing_left, worker.spill);
}

void route_from(Worker& worker, const std::shared_ptr<GrowingTree>& growing, Arrival first,
                Visited visited, const Visit& visit) {
  const Tree& tree = growing->tree();
  worker.projector->start_tree(growing->rotated.get());
  RowWalks walks(worker, tree);
  std::vector<Arrival> stack{first};
  while (!stack.empty()) {
    if (worker.inputs.jobs.has_idle_worker())
      if (const Arrival* const found = find_spare(stack)) {
        const Arrival spare = *found;
        stack.erase(stack.begin() + (found - stack.data()));
        worker.inputs.jobs.push(growing->given, [growing, spare, visited, visit](Worker& other) {
          route_from(other, growing, spare, visited, visit);
        });
      }
    const auto [node, slice] = stack.back();
    stack.pop_back();
    if (slice.size() == 0) continue;
    const std::span<Row> rows = growing->rows_in(slice);
    if (visited == Visited::leaves && walks.can_send(rows.size())) {
      walks.send(node, rows,
                 [&](std::size_t leaf, Row row) { visit(worker, *growing, leaf, {&row, 1}); });
      continue;
    }
    if (visited == Visited::all_nodes || tree.is_leaf(node)) visit(worker, *growing, node, rows);
    if (tree.is_leaf(node)) continue;
    const std::size_t middle = slice.begin + divide(worker, tree, node, rows);
    const auto left = static_cast<std::size_t>(tree.left[node]);
    stack.push_back({left + 1, {middle, slice.end}});
    stack.push_back({left, {slice.begin, middle}});
  }
}

void route_all(Worker& worker, const std::shared_ptr<GrowingTree>& growing, Visited visited,
               const Visit& visit) {
  route_from(worker, growing, {0, {0, growing->order.size()}}, visited, visit);
  worker.inputs.jobs.work_until_done(worker, growing->given);
}

}  // namespace

void route(Worker& worker, const std::shared_ptr<GrowingTree>& growing, const Visit& visit) {
  route_all(worker, growing, Visited::all_nodes, visit);
}

void route_to_leaves(Worker& worker, const std::shared_ptr<GrowingTree>& growing,
                     const Visit& visit) {
  route_all(worker, growing, Visited::leaves, visit);
}

}  // namespace mf::train
