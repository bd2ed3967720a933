#include "train/few_subtree.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "train/stop_rules.hpp"

namespace mf::train {

bool FewSubtree::start(const Node& root) {
  const std::span<const Row> rows = growing_.rows_in(root.slice);
  const double min_child_weight =
      worker_.inputs.options.min_weight_fraction_leaf * growing_.root_weight;
  if (!nodes_.start(*worker_.projector, rows, samples_, min_child_weight)) return false;
  std::copy(rows.begin(), rows.end(), rows_.begin());
  stack_[n_waiting_++] = {first_rows(rows.size()), root.seed, root.slice.begin, root.index,
                          root.depth};
  most_nodes_ = part_.tree.size() + 2 * (rows.size() - 1);
  DrawContext& draw = worker_.draw;
  draw.n_candidates = worker_.inputs.options.n_candidates;
  draw.check_stop = StopCheck(worker_.inputs.stop);
  draw.node = nullptr;
  return true;
}

std::optional<FewSubtree::Node> FewSubtree::grow() {
  make_room();
  while (n_waiting_ > 0) {
    const Waiting node = stack_[--n_waiting_];
    if (visit(node)) continue;
    place(node.rows, node.begin);
    close_room();
    Node general;
    general.index = node.index;
    general.slice = part_.slices[static_cast<std::size_t>(node.index)];
    general.depth = node.depth;
    general.seed = node.seed;
    return general;
  }
  close_room();
  return std::nullopt;
}

void FewSubtree::resume(const Node& left, const Node& right) {
  // Partitions keep the order of rows.
  const auto set_of = [&](const Node& node) {
    RowSet rows = 0;
    std::size_t number = 0;
    for (const Row row : growing_.rows_in(node.slice)) {
      while (rows_[number] != row) ++number;
      rows |= RowSet{1} << number;
    }
    return rows;
  };
  for (const Node* const node : {&right, &left})
    stack_[n_waiting_++] = {set_of(*node), node->seed, node->slice.begin, node->index, node->depth};
}

// Returns false, and has changed nothing but the value, if the node needs the general search.
bool FewSubtree::visit(const Waiting& node) {
  const GrowOptions& options = worker_.inputs.options;
  const FewNodes::Opened opened = open(node.rows, static_cast<std::size_t>(node.index));
  if (opened.pure || !may_split(options, node.depth, count_bits(node.rows), opened.count)) {
    place(node.rows, node.begin);
    return true;
  }
  worker_.draw.rng = Rng(node.seed);
  worker_.draw.attempt = 0;
  const FewCut cut = nodes_.search(worker_.draw, worker_.inputs.sampler, worker_.candidates);
  if (cut.some_missing || !cut.some_varied) return false;
  if (cut.found && !(cut.gain / growing_.root_weight < options.min_impurity_decrease))
    split(node, cut);
  else
    place(node.rows, node.begin);
  return true;
}

FewNodes::Opened FewSubtree::open(RowSet rows, std::size_t index) {
  Tree& tree = part_.tree;
  const FewNodes::Opened opened =
      nodes_.open(rows, &tree.value[index * worker_.summary->value_width()]);
  tree.weight[index] = opened.weight;
  return opened;
}

void FewSubtree::split(const Waiting& node, const FewCut& cut) {
  features_[n_features_] = static_cast<std::int32_t>(cut.feature);
  const double threshold = midpoint(float_of(cut.last_left), float_of(cut.first_right));
  part_.tree.make_split(static_cast<std::size_t>(node.index), n_nodes_, threshold, kUndecided,
                        cut.gain / growing_.root_weight, first_atom_ + n_features_++);
  const std::size_t middle = node.begin + count_bits(cut.left), left = n_nodes_;
  n_nodes_ += 2;
  add_child(node, node.rows & ~cut.left, middle, left + 1, kRightSide);
  add_child(node, cut.left, node.begin, left, kLeftSide);
}

// A single row is a leaf.
void FewSubtree::add_child(const Waiting& parent, RowSet rows, std::size_t begin, std::size_t index,
                           std::uint64_t side) {
  part_.slices[index] = Slice{begin, begin + count_bits(rows)};
  if ((rows & (rows - 1)) == 0) {
    const std::size_t number = lowest_bit(rows);
    part_.tree.weight[index] =
        nodes_.open_row(number, &part_.tree.value[index * worker_.summary->value_width()]);
    growing_.order[begin] = rows_[number];
    return;
  }
  stack_[n_waiting_++] = {rows, combine_seeds(parent.seed, side), begin,
                          static_cast<std::int32_t>(index), parent.depth + 1};
}

void FewSubtree::place(RowSet rows, std::size_t begin) {
  for (; rows != 0; rows &= rows - 1) growing_.order[begin++] = rows_[lowest_bit(rows)];
}

// Leaves for all nodes that may come, so that they are written to their places.
void FewSubtree::make_room() {
  n_nodes_ = part_.tree.size();
  first_atom_ = part_.tree.atoms.size();
  n_features_ = 0;
  part_.resize(most_nodes_, worker_.summary->value_width());
}

void FewSubtree::close_room() {
  part_.resize(n_nodes_, worker_.summary->value_width());
  part_.tree.atoms.push_axes(std::span(features_).first(n_features_));
}

}  // namespace mf::train
