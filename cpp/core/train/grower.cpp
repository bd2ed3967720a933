#include "train/grower.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include "data/balance.hpp"
#include "train/join_parts.hpp"
#include "train/prune.hpp"
#include "train/rotate.hpp"
#include "train/route.hpp"
#include "train/shared_blocks.hpp"
#include "train/subtree.hpp"

namespace mf::train {
namespace {

// The rows of which `chosen` is true, without a branch: bags are hard to predict.
template <class Chosen>
void list_rows(const BlockLoop& loop, std::size_t n_rows, const Chosen& chosen,
               PageVector<Row>& out) {
  std::vector<std::size_t> first((n_rows + kBlockRows - 1) / kBlockRows + 1, 0);
  for_row_blocks(loop, n_rows, [&](std::size_t block, std::size_t begin, std::size_t end) {
    std::size_t n = 0;
    for (std::size_t i = begin; i < end; ++i) n += chosen(i) ? 1 : 0;
    first[block + 1] = n;
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  out.resize(first.back());
  for_row_blocks(loop, n_rows, [&](std::size_t block, std::size_t begin, std::size_t end) {
    if (first[block] == first[block + 1]) return;
    Row* const to = out.data() + first[block];
    const std::size_t last = first[block + 1] - first[block] - 1;
    std::size_t n = 0;
    for (std::size_t i = begin; i < end; ++i) {
      to[n] = static_cast<Row>(i);  // written again if it is not chosen
      n += chosen(i) ? 1 : 0;
      if (n > last) break;
    }
  });
}

void list_rows_with(const BlockLoop& loop, const PageVector<std::int32_t>& counts,
                    PageVector<Row>& out) {
  list_rows(loop, counts.size(), [&](std::size_t i) { return counts[i] > 0; }, out);
}

bool may_be_pruned(const GrowOptions& options) {
  return options.ccp_alpha > 0.0 || (options.honest && options.empty_leaf == EmptyLeaf::prune);
}

void place_rows(GrowingTree& growing, std::size_t leaf, std::span<const Row> rows) {
  for (const Row row : rows)
    growing.leaf_of_row[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(leaf);
}

// Sums of whole numbers up to this, of at most 2^17 blocks, are exact.
constexpr double kExactSum = 0x1.0p35;

}  // namespace

FinishedTree Grower::grow(int tree_index) {
  start_tree(tree_index);
  const double root_impurity = inputs_.options.find_pruning_path ? impurity_of_bag() : 0.0;
  grow_structure(tree_index);
  send_unseen_missing();
  if (inputs_.options.honest) estimate_leaves();
  Tree& tree = growing_->tree();
  if (inputs_.options.find_pruning_path) tree.pruning_path = pruning_path(tree, root_impurity);
  prune_cost_complexity(tree, inputs_.options.ccp_alpha);
  if (may_be_pruned(inputs_.options)) compact(tree, worker_.summary->value_width());
  const bool has_shares = inputs_.target.is_classification();
  last_size_ = tree.size();
  last_atoms_ = tree.atoms.total();
  const Memory of_tree = memory_after(tree_index);
  FinishedTree finished(tree, has_shares, of_tree,
                        has_many_nodes() ? PageSize::huge : PageSize::small);
  if (inputs_.options.keep_samples) place_all_rows(finished, of_tree);
  growing_->rotated.reset();
  finished.take_splits(tree, of_tree);
  if (inputs_.options.keep_samples) {
    finished.keep_leaves(growing_->leaf_of_row);
    bag_.structure = std::move(growing_->leaf_of_row);  // the memory
  }
  return finished;
}

BlockLoop Grower::loop() const { return shared_loop(worker_, growing_); }

// Kept while a worker has more trees to grow, if new pages would take a good part of the time: if
// there are many nodes for the rows. Otherwise, and after its last tree, it is returned while the
// tree is packed, so that there is room for what is made next.
Memory Grower::memory_after(int tree_index) const {
  const int t = tree_index - inputs_.options.first_tree;
  const bool more_trees = t < inputs_.options.n_trees - inputs_.n_workers;
  return more_trees && has_many_nodes() ? Memory::kept : Memory::returned;
}

void Grower::start_tree(int tree_index) {
  // In the memory of the tree before. Jobs of it that come too late hold it, and read none of this.
  auto next = std::make_shared<GrowingTree>();
  if (growing_) next->take_memory(*growing_);
  growing_ = std::move(next);
  Rng bag_stream(tree_seed(inputs_.options.seed, tree_index, Stream::bag));
  draw_bag(inputs_.options, inputs_.rows, bag_stream, shared_loop(worker_, growing_), bag_);
  Rng rotation_stream(tree_seed(inputs_.options.seed, tree_index, Stream::rotation));
  if (auto rotation = inputs_.sampler.draw_rotation(rotation_stream, StopCheck(inputs_.stop)))
    growing_->tree().rotation = std::move(*rotation);
  rotate_data(worker_, growing_);
  list_rows_with(shared_loop(worker_, growing_), bag_.structure, growing_->order);
  make_room();
  weigh_rows(std::move(bag_.structure));
  if (worker_.code_search && growing_->order.size() >= kMinCodedRows)
    growing_->rounded =
        worker_.code_search->round(growing_->samples, growing_->order,
                                   shared_loop(worker_, growing_), growing_->former_rounded.get());
  growing_->former_rounded.reset();
  if (growing_->rounded) growing_->part.n_sums = worker_.summary->n_sums();
  growing_->root_weight = weight_of_bag();
}

// The sum in the order of the rows. That of whole numbers is exact in any order.
double Grower::weight_of_bag() {
  const std::span<const Row> rows = growing_->order;
  const RowSamples& samples = growing_->samples;
  if (samples.unit_weights) return static_cast<double>(rows.size());
  std::vector<double> parts((rows.size() + kBlockRows - 1) / kBlockRows);
  std::atomic<bool> whole{true};
  for_row_blocks(shared_loop(worker_, growing_), rows.size(),
                 [&](std::size_t block, std::size_t begin, std::size_t end) {
                   double sum = 0.0;
                   bool all = true;
                   for (const Row row : rows.subspan(begin, end - begin)) {
                     const double weight = samples.weight_of(row);
                     sum += weight;
                     all = all && weight == std::floor(weight);
                   }
                   parts[block] = sum;
                   if (!all || sum > kExactSum) whole = false;
                 });
  if (whole) return std::accumulate(parts.begin(), parts.end(), 0.0);
  double sum = 0.0;
  for (const Row row : rows) sum += samples.weight_of(row);
  return sum;
}

// Trees differ by little; the first one may become as large as its rows allow. All of them get some
// room to spare, or a bag of a few more rows would take new pages for everything.
void Grower::make_room() {
  const auto plus = [](std::size_t size, std::size_t share) { return size + size / share; };
  constexpr std::size_t kSpare = 16, kLeastSpare = 32;  // a sixteenth, a thirty-second
  const std::size_t width = worker_.summary->value_width();
  Part& part = growing_->part;
  if (last_size_ == 0)
    return reserve_most(part, inputs_.options, plus(growing_->order.size(), kSpare), width);
  if (part.tree.left.capacity() >= plus(last_size_, kLeastSpare)) return;
  part.reserve(plus(last_size_, kSpare), width,
               {plus(last_atoms_.atoms, kSpare), plus(last_atoms_.ints, kSpare),
                plus(last_atoms_.weights, kSpare)});
}

// Weights are made of counts by Grower::weigh_rows.
bool Grower::weights_are_counts(const PageVector<std::int32_t>& counts) const {
  const GrowOptions& options = inputs_.options;
  const RowNumbers<double>& weight = inputs_.rows.row_weight;
  if (options.balanced_subsample) return false;
  if (options.bootstrap && weight.same_for_all()) return weight[0] == 1.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double once = options.bootstrap ? 1.0 : static_cast<double>(counts[i]);
    if (counts[i] > 0 && weight[i] != once) return false;
  }
  return true;
}

// Takes the counts, in the memory of which they may be packed; RowSamples::take_counts returns
// them.
void Grower::weigh_rows(PageVector<std::int32_t> given) {
  const GrowOptions& options = inputs_.options;
  const RowWeights& rows = inputs_.rows;
  RowSamples& samples = growing_->samples;
  samples.count = std::move(given);
  // Searches by codes, of boosting, read weights and counts.
  if (inputs_.target.derivatives == nullptr && weights_are_counts(samples.count) &&
      samples.pack_counts(inputs_.target))
    return;
  const bool ones = !options.bootstrap && !options.balanced_subsample &&
                    rows.row_weight.same_for_all() && rows.row_weight[0] == 1.0 &&
                    growing_->order.size() == rows.n_rows;
  const bool known = ones && samples.ones && samples.weight.size() == rows.n_rows;
  samples.ones = false;        // if the next line fails
  if (!known) fill_weights();  // otherwise those of the tree before
  samples.ones = ones;
  samples.unit_weights = known || samples.unit_weights;
  if (options.balanced_subsample) {
    const std::vector<double> balance = balanced_weights(inputs_.target, samples.weight);
    for (std::size_t i = 0; i < rows.n_rows; ++i) samples.weight[i] *= balance[i];
  }
  if (inputs_.target.labels != nullptr || inputs_.target.values != nullptr)
    samples.pack(inputs_.target);
}

void Grower::fill_weights() {
  const GrowOptions& options = inputs_.options;
  const RowWeights& rows = inputs_.rows;
  RowSamples& samples = growing_->samples;
  const PageVector<std::int32_t>& counts = samples.count;
  samples.weight.resize(rows.n_rows);  // mostly it has this size already
  std::atomic<bool> unit{!options.balanced_subsample};
  // Without bootstrap the row weight holds the multiplicity already.
  for_row_blocks(shared_loop(worker_, growing_), rows.n_rows,
                 [&](std::size_t, std::size_t begin, std::size_t end) {
                   rows.row_weight.with_each([&](const auto& weight) {
                     std::int32_t others = 0;
                     for (std::size_t i = begin; i < end; ++i) {
                       const std::int32_t once = counts[i] > 0 ? 1 : 0;
                       const double own = (options.bootstrap ? counts[i] : once) * weight(i);
                       samples.weight[i] = own;
                       others |= std::int32_t{own != 0.0} & std::int32_t{own != 1.0};
                     }
                     if (others != 0) unit = false;
                   });
                 });
  samples.unit_weights = unit;
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
  join_given(growing_->part, worker_.summary->value_width(), shared_loop(worker_, growing_));
  bag_.structure = growing_->samples.take_counts();
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
  const auto send = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t node = begin; node < end; ++node) {
      if (tree.missing_left[node] != kUndecided) continue;
      const auto left = static_cast<std::size_t>(tree.left[node]);
      tree.missing_left[node] = 2.0 * tree.weight[left] >= tree.weight[node];
    }
  };
  for_row_blocks(shared_loop(worker_, growing_), tree.size(), send);
}

// Honesty [THESIS section 4]: the structure stays, weights and values come from the estimation rows
// alone, at every node. A bag too small to have estimation rows is estimated by what it has.
void Grower::estimate_leaves() {
  list_rows_with(shared_loop(worker_, growing_), bag_.estimation, growing_->order);
  if (growing_->order.empty()) return;
  weigh_rows(std::move(bag_.estimation));
  Tree& tree = growing_->tree();
  std::fill(tree.weight.begin(), tree.weight.end(), 0.0);
  std::fill(tree.value.begin(), tree.value.end(), 0.0);
  route(worker_, growing_,
        [](Worker& worker, GrowingTree& growing, std::size_t node, std::span<const Row> slice) {
          worker.summarise(slice, growing.samples, growing.tree(), node);
        });
  bag_.estimation = growing_->samples.take_counts();
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
// All others are routed. Leaves take the memory of the bag, which nothing else reads then.
void Grower::place_all_rows(FinishedTree& finished, Memory of_tree) {
  const GrowOptions& options = inputs_.options;
  PageVector<std::int32_t>& leaves = growing_->leaf_of_row;
  leaves = inbag_codes(std::move(bag_));
  if (options.keep_bags) finished.inbag = SmallNumbers(leaves);
  const bool are_in_slices = !options.honest && options.ccp_alpha == 0.0;
  if (are_in_slices && growing_->order.size() == leaves.size()) return place_grown_rows(of_tree);
  constexpr std::int32_t kNotPlaced = -1;
  std::fill(leaves.begin(), leaves.end(), kNotPlaced);
  if (are_in_slices) place_grown_rows(of_tree);
  list_rows(
      shared_loop(worker_, growing_), leaves.size(),
      [&](std::size_t i) { return leaves[i] == kNotPlaced; }, growing_->order);
  route_to_leaves(worker_, growing_,
                  [](Worker&, GrowingTree& growing, std::size_t leaf, std::span<const Row> slice) {
                    place_rows(growing, leaf, slice);
                  });
}

void Grower::place_grown_rows(Memory of_tree) {
  constexpr std::size_t kFewNodes = 1024, kNodes = 16;  // of a block
  const std::size_t n = growing_->tree().size(), n_rows = growing_->leaf_of_row.size();
  // Of a leaf those of its rows that are in a range: slices are in the order of the rows.
  const auto place = [&](std::size_t node, Row begin, Row end) {
    if (!growing_->tree().is_leaf(node)) return;
    const std::span<const Row> rows = growing_->rows_in(growing_->part.slices[node]);
    const auto first = std::lower_bound(rows.begin(), rows.end(), begin);
    place_rows(*growing_, node, {first, std::lower_bound(first, rows.end(), end)});
  };
  const BlockLoop loop = shared_loop(worker_, growing_);
  const auto all = static_cast<Row>(n_rows);
  if (n <= kFewNodes) {
    // Rows of a large leaf are everywhere: each worker has a range of rows, or they would write to
    // the same cache lines.
    for_row_blocks(loop, n_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t node = 0; node < n; ++node)
        place(node, static_cast<Row>(begin), static_cast<Row>(end));
    });
  } else {
    loop((n + kNodes - 1) / kNodes, [&](std::size_t block) {
      for (std::size_t node = block * kNodes; node < std::min(n, (block + 1) * kNodes); ++node)
        place(node, 0, all);
    });
  }
  empty(growing_->part.slices, of_tree);
}

}  // namespace mf::train
