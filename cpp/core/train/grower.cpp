#include "train/grower.hpp"

#include <algorithm>

#include "data/balance.hpp"
#include "train/prune.hpp"
#include "train/rotate.hpp"
#include "train/route.hpp"
#include "train/shared_blocks.hpp"
#include "train/subtree.hpp"

namespace mf::train {
namespace {

// The rows of which `chosen` is true, without a branch: bags are hard to predict.
template <class Chosen>
void list_rows(std::size_t n_rows, const Chosen& chosen, std::vector<Row>& out) {
  out.resize(n_rows);
  std::size_t n = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    out[n] = static_cast<Row>(i);
    n += chosen(i) ? 1 : 0;
  }
  out.resize(n);
}

void list_rows_with(const std::vector<std::int32_t>& counts, std::vector<Row>& out) {
  list_rows(counts.size(), [&](std::size_t i) { return counts[i] > 0; }, out);
}

bool may_be_pruned(const GrowOptions& options) {
  return options.ccp_alpha > 0.0 || (options.honest && options.empty_leaf == EmptyLeaf::prune);
}

// Numbers of nodes, each with its value, for which memory is reserved at most.
constexpr std::size_t kMostReserved = std::size_t{1} << 23;

// About how many nodes a tree of so many rows has if every split that may be made is made.
std::size_t most_nodes(const GrowOptions& options, std::size_t n_rows) {
  const auto least = static_cast<std::size_t>(std::max<std::int64_t>(options.min_samples_leaf, 1));
  std::size_t n_leaves = least > 1 ? 2 * n_rows / least : n_rows;
  if (options.max_depth >= 0 && options.max_depth < 31)
    n_leaves = std::min(n_leaves, std::size_t{1} << options.max_depth);
  if (options.max_leaf_nodes > 0)
    n_leaves = std::min(n_leaves, static_cast<std::size_t>(options.max_leaf_nodes));
  return 2 * n_leaves;
}

void place_rows(GrowingTree& growing, std::size_t leaf, std::span<const Row> rows) {
  for (const Row row : rows)
    growing.leaf_of_row[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(leaf);
}

}  // namespace

Tree Grower::grow(int tree_index) {
  start_tree(tree_index);
  const double root_impurity = inputs_.options.find_pruning_path ? impurity_of_bag() : 0.0;
  grow_structure(tree_index);
  send_unseen_missing();
  if (inputs_.options.honest) estimate_leaves();
  Tree& tree = growing_->tree();
  last_size_ = tree.size();
  last_atoms_ = tree.atoms.total();
  if (inputs_.options.find_pruning_path) tree.pruning_path = pruning_path(tree, root_impurity);
  prune_cost_complexity(tree, inputs_.options.ccp_alpha);
  if (may_be_pruned(inputs_.options)) compact(tree, worker_.summary->value_width());
  if (inputs_.options.keep_samples) record_samples();
  if (inputs_.target.is_classification()) {  // half the memory, and ample for shares
    tree.shares.assign(tree.value.begin(), tree.value.end());
    tree.value = {};
  }
  tree.shrink();
  return std::move(tree);
}

void Grower::start_tree(int tree_index) {
  const auto next = std::make_shared<GrowingTree>();
  if (growing_) next->take_memory(*growing_);
  growing_ = next;
  Rng bag_stream(tree_seed(inputs_.options.seed, tree_index, Stream::bag));
  bag_ = draw_bag(inputs_.options, inputs_.rows, bag_stream);
  Rng rotation_stream(tree_seed(inputs_.options.seed, tree_index, Stream::rotation));
  if (auto rotation = inputs_.sampler.draw_rotation(rotation_stream, StopCheck(inputs_.stop)))
    growing_->tree().rotation = std::move(*rotation);
  rotate_data(worker_, growing_);
  weigh_rows(bag_.structure);
  list_rows_with(bag_.structure, growing_->order);
  make_room();
  if (worker_.code_search && growing_->order.size() >= kMinCodedRows)
    growing_->rounded = worker_.code_search->round(growing_->samples, growing_->order,
                                                   shared_loop(worker_, growing_));
  if (growing_->rounded) growing_->part.n_sums = worker_.summary->n_sums();
  for (const Row row : growing_->order)
    growing_->root_weight += growing_->samples.weight[static_cast<std::size_t>(row)];
}

// Trees differ by little; the first one may become as large as its rows allow. More than is used is
// not written to, and so takes no memory.
void Grower::make_room() {
  const std::size_t width = worker_.summary->value_width();
  if (last_size_ == 0) {
    const std::size_t n = most_nodes(inputs_.options, growing_->order.size());
    if (n * width <= kMostReserved) growing_->part.reserve(n, width, {n / 2, n / 2, n / 2});
    return;
  }
  const auto more = [](std::size_t size) { return size + size / 16; };
  growing_->part.reserve(
      more(last_size_), width,
      {more(last_atoms_.atoms), more(last_atoms_.ints), more(last_atoms_.weights)});
}

void Grower::weigh_rows(const std::vector<std::int32_t>& counts) {
  const GrowOptions& options = inputs_.options;
  const RowWeights& rows = inputs_.rows;
  RowSamples& samples = growing_->samples;
  samples.count = counts;
  samples.weight.resize(rows.n_rows);
  // Without bootstrap the row weight holds the multiplicity already.
  for_row_blocks(shared_loop(worker_, growing_), rows.n_rows,
                 [&](std::size_t, std::size_t begin, std::size_t end) {
                   for (std::size_t i = begin; i < end; ++i) {
                     const double all = counts[i] * rows.row_weight[i];
                     const double once = counts[i] > 0 ? rows.row_weight[i] : 0.0;
                     samples.weight[i] = options.bootstrap ? all : once;
                   }
                 });
  if (options.balanced_subsample) {
    const std::vector<double> balance = balanced_weights(inputs_.target, samples.weight);
    for (std::size_t i = 0; i < rows.n_rows; ++i) samples.weight[i] *= balance[i];
  }
  samples.pack(inputs_.target);
}

// Of the rows that grow the tree; gains are differences to it, also in honest trees.
double Grower::impurity_of_bag() {
  if (growing_->order.empty()) return 0.0;
  worker_.sample.gather(inputs_.target, growing_->order, growing_->samples);
  return inputs_.options.objective->impurity(inputs_.target, worker_.sample);
}

void Grower::grow_structure(int tree_index) {
  SubtreeGrower::Node root;
  root.slice.end = growing_->order.size();
  root.seed = tree_seed(inputs_.options.seed, tree_index, Stream::root);
  SubtreeGrower(worker_, growing_, growing_->part).grow(std::move(root));
  inputs_.jobs.work_until_done(worker_, growing_->given);
  join_given(growing_->part, worker_.summary->value_width());
  if (growing_->part.n_sums > 0) summarise_inner_nodes();
}

// Nodes without a weight have the sums of their children, which come after them.
void Grower::summarise_inner_nodes() {
  Part& part = growing_->part;
  Tree& tree = part.tree;
  for (std::size_t node = tree.size(); node-- > 0;) {
    if (tree.is_leaf(node) || tree.weight[node] > 0.0) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    tree.weight[node] = tree.weight[left] + tree.weight[left + 1];
    for (std::size_t s = 0; s < part.n_sums; ++s)
      part.sums_of(node)[s] = part.sums_of(left)[s] + part.sums_of(left + 1)[s];
    worker_.summary->from_sums(part.sums_of(node),
                               &tree.value[node * worker_.summary->value_width()]);
  }
}

// Where a split saw nothing missing, missing values go to the heavier child.
void Grower::send_unseen_missing() {
  Tree& tree = growing_->tree();
  for (std::size_t node = 0; node < tree.size(); ++node) {
    if (tree.missing_left[node] != kUndecided) continue;
    const auto left = static_cast<std::size_t>(tree.left[node]);
    tree.missing_left[node] = 2.0 * tree.weight[left] >= tree.weight[node];
  }
}

// Honesty [THESIS section 4]: the structure stays, weights and values come from the estimation rows
// alone, at every node. A bag too small to have estimation rows is estimated by what it has.
void Grower::estimate_leaves() {
  std::vector<Row> rows;
  list_rows_with(bag_.estimation, rows);
  if (rows.empty()) return;
  growing_->order = std::move(rows);
  weigh_rows(bag_.estimation);
  Tree& tree = growing_->tree();
  std::fill(tree.weight.begin(), tree.weight.end(), 0.0);
  std::fill(tree.value.begin(), tree.value.end(), 0.0);
  route(worker_, growing_,
        [](Worker& worker, GrowingTree& growing, std::size_t node, std::span<const Row> slice) {
          worker.summarise(slice, growing.samples, growing.tree(), node);
        });
  fill_empty_leaves();
}

void Grower::fill_empty_leaves() {
  Tree& tree = growing_->tree();
  const std::size_t value_width = worker_.summary->value_width();
  switch (inputs_.options.empty_leaf) {
    case EmptyLeaf::ignore:
      return;  // weight 0 tells the predictor to leave the tree out
    case EmptyLeaf::prune:
      prune_empty_leaves(tree);
      return;
    case EmptyLeaf::uniform:
    case EmptyLeaf::empirical:
      break;
  }
  std::vector<double> fill(tree.value.begin(),
                           tree.value.begin() + static_cast<std::ptrdiff_t>(value_width));
  if (inputs_.options.empty_leaf == EmptyLeaf::uniform) {
    fill.clear();
    for (const int k : inputs_.target.n_classes)
      fill.insert(fill.end(), static_cast<std::size_t>(k), 1.0 / k);
  }
  for (std::size_t node = 0; node < tree.size(); ++node)
    if (tree.weight[node] == 0.0)
      std::copy(fill.begin(), fill.end(),
                tree.value.begin() + static_cast<std::ptrdiff_t>(node * value_width));
}

// Rows that grew the tree are still in the slices of their leaves, unless leaves were joined since.
// All others are routed.
void Grower::record_samples() {
  const GrowOptions& options = inputs_.options;
  const std::size_t n = inputs_.rows.n_rows;
  const bool placed = !options.honest && options.ccp_alpha == 0.0;
  growing_->leaf_of_row.assign(n, 0);
  if (placed) place_grown_rows();
  list_rows(n, [&](std::size_t i) { return !placed || bag_.structure[i] == 0; }, growing_->order);
  route(worker_, growing_,
        [](Worker&, GrowingTree& growing, std::size_t node, std::span<const Row> slice) {
          if (growing.tree().is_leaf(node)) place_rows(growing, node, slice);
        });
  Tree& tree = growing_->tree();
  tree.leaf_of_row = SmallNumbers(std::move(growing_->leaf_of_row));
  if (options.keep_bags) tree.inbag = SmallNumbers(inbag_codes(bag_));
}

void Grower::place_grown_rows() {
  constexpr std::size_t kNodes = 16;  // of a block
  const std::size_t n = growing_->tree().size();
  shared_loop(worker_, growing_)((n + kNodes - 1) / kNodes, [&](std::size_t block) {
    for (std::size_t node = block * kNodes; node < std::min(n, (block + 1) * kNodes); ++node)
      if (growing_->tree().is_leaf(node))
        place_rows(*growing_, node, growing_->rows_in(growing_->part.slices[node]));
  });
}

}  // namespace mf::train
