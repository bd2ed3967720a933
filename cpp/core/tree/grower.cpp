#include "tree/grower.hpp"

#include <algorithm>

#include "tree/prune.hpp"
#include "tree/route.hpp"

namespace mf {
namespace {

// Draws after the first one, when every candidate of a node was constant.
constexpr int kRedraws = 10;

enum Side : std::uint64_t { kLeftSide = 0, kRightSide = 1 };

// class weight = n / (classes present × count of the class), the product over outputs, as in
// scikit-learn's "balanced_subsample".
std::vector<double> balanced_weights(const Response& response,
                                     const std::vector<std::int32_t>& counts) {
  std::vector<double> weights(counts.size(), 1.0);
  for (std::size_t o = 0; o < response.n_outputs; ++o) {
    std::vector<double> of_class(static_cast<std::size_t>(response.n_classes[o]), 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      of_class[static_cast<std::size_t>(response.labels[i * response.n_outputs + o])] += counts[i];
      total += counts[i];
    }
    const auto present = static_cast<double>(
        std::count_if(of_class.begin(), of_class.end(), [](double c) { return c > 0.0; }));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double count =
          of_class[static_cast<std::size_t>(response.labels[i * response.n_outputs + o])];
      if (count > 0.0) weights[i] *= total / (present * count);
    }
  }
  return weights;
}

std::vector<Row> rows_with(const std::vector<std::int32_t>& counts) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) rows.push_back(static_cast<Row>(i));
  return rows;
}

}  // namespace

Grower::Grower(const GrowInputs& inputs, std::unique_ptr<Projector> projector)
    : inputs_(inputs),
      projector_(std::move(projector)),
      finder_(make_split_finder(inputs.options.criterion, inputs.response,
                                {inputs.options.min_samples_leaf, inputs.options.min_balance},
                                inputs.options.splitter)),
      summary_(make_leaf_summary(inputs.options.criterion, inputs.response)) {}

Tree Grower::grow(int tree_index) {
  start_tree(tree_index);
  Node root;
  root.index = tree_.add_leaf(summary_->block_size());
  root.end = order_.size();
  root.seed = root_seed_;
  if (inputs_.options.max_leaf_nodes > 0)
    grow_best_first(std::move(root));
  else
    grow_depth_first(std::move(root));
  send_unseen_missing();
  if (inputs_.options.honest) estimate_leaves();
  prune_cost_complexity(tree_, inputs_.options.ccp_alpha);
  compact(tree_, summary_->block_size());
  if (inputs_.options.keep_samples) record_samples();
  if (inputs_.response.is_classification()) {  // half the memory, and ample for shares
    tree_.shares.assign(tree_.value.begin(), tree_.value.end());
    tree_.value = {};
  }
  tree_.shrink();
  return std::move(tree_);
}

void Grower::start_tree(int tree_index) {
  const auto seed_of = [&](Stream stream) {
    return tree_seed(inputs_.options.seed, tree_index, stream);
  };
  root_seed_ = seed_of(Stream::root);
  tree_ = Tree{};
  Rng bag_stream(seed_of(Stream::bag));
  bag_ = draw_bag(inputs_.options, inputs_.rows, bag_stream);
  Rng rotation_stream(seed_of(Stream::rotation));
  if (auto rotation = inputs_.sampler.draw_rotation(rotation_stream))
    tree_.rotation = std::move(*rotation);
  projector_->start_tree(tree_.rotation, inputs_.stop);
  block_begin_ = block_end_ = 0;
  leaf_of_row_.assign(inputs_.rows.n_rows, 0);
  saw_none_missing_.clear();
  weigh_rows(bag_.structure);
  order_ = rows_with(bag_.structure);
  root_weight_ = 0.0;
  for (const Row row : order_) root_weight_ += samples_.weight[static_cast<std::size_t>(row)];
}

void Grower::weigh_rows(const std::vector<std::int32_t>& counts) {
  const GrowOptions& options = inputs_.options;
  const RowWeights& rows = inputs_.rows;
  samples_.count = counts;
  samples_.weight.resize(rows.n_rows);
  // Without bootstrap the row weight holds the multiplicity already.
  for (std::size_t i = 0; i < rows.n_rows; ++i)
    samples_.weight[i] = options.bootstrap ? counts[i] * rows.row_weight[i]
                                           : (counts[i] > 0 ? rows.row_weight[i] : 0.0);
  if (options.balanced_subsample) {
    const std::vector<double> balance = balanced_weights(inputs_.response, counts);
    for (std::size_t i = 0; i < rows.n_rows; ++i) samples_.weight[i] *= balance[i];
  }
  samples_.find_whole();
}

// A node is opened when its turn comes, so that a whole subtree is grown while its rows are in
// cache.
void Grower::grow_depth_first(Node root) {
  std::vector<Node> stack;
  stack.push_back(std::move(root));
  while (!stack.empty()) {
    Node node = std::move(stack.back());
    stack.pop_back();
    enter_block(node);
    open(node);
    if (!node.split) continue;
    auto [left, right] = split(node, candidates_[node.candidate]);
    stack.push_back(std::move(right));
    stack.push_back(std::move(left));
  }
}

// Nodes are opened when they come into being: the one of largest gain is split first.
void Grower::grow_best_first(Node root) {
  auto worse = [](const Node& a, const Node& b) {
    if (a.split->gain != b.split->gain) return a.split->gain < b.split->gain;
    return a.index > b.index;
  };
  std::vector<Node> heap;
  auto push = [&](Node node) {
    open(node);
    if (!node.split) return;
    node.kept.emplace().push(candidates_[node.candidate]);
    heap.push_back(std::move(node));
    std::push_heap(heap.begin(), heap.end(), worse);
  };
  push(std::move(root));
  for (std::int64_t n_leaves = 1; !heap.empty() && n_leaves < inputs_.options.max_leaf_nodes;
       ++n_leaves) {
    std::pop_heap(heap.begin(), heap.end(), worse);
    const Node node = std::move(heap.back());
    heap.pop_back();
    projector_->start_node(rows_of(node));
    auto [left, right] = split(node, (*node.kept)[0]);
    push(std::move(left));
    push(std::move(right));
  }
  for (const Node& node : heap)  // those that may not be split any more
    place_rows(node.index, rows_of(node));
}

// The first node of a path that fits into a block brings its subtree into one.
void Grower::enter_block(const Node& node) {
  if (node.begin >= block_begin_ && node.end <= block_end_) return;
  const bool fits = node.size() <= projector_->max_block_rows();
  block_begin_ = node.begin;
  block_end_ = fits ? node.end : node.begin;
  projector_->start_subtree(fits ? rows_of(node) : std::span<const Row>{});
}

// Fills in what a node says and looks for its split.
void Grower::open(Node& node) {
  if (inputs_.stop) throw Stopped{};
  if (node.size() == 0) return;  // an empty bag
  summarise_node(static_cast<std::size_t>(node.index), rows_of(node));
  if (may_split(node)) search(node);
  if (!node.split) place_rows(node.index, rows_of(node));
}

void Grower::summarise_node(std::size_t node, std::span<const Row> rows) {
  sample_.gather(inputs_.response, rows, samples_);
  tree_.weight[node] = sample_.total_weight;
  summary_->summarise(sample_, &tree_.value[node * summary_->block_size()]);
}

// Stop rules that need no search. The finder is left at this node.
bool Grower::may_split(const Node& node) const {
  const GrowOptions& options = inputs_.options;
  if (options.max_depth >= 0 && node.depth >= options.max_depth) return false;
  if (sample_.total_count < options.min_samples_split) return false;
  if (sample_.total_count / 2 < options.min_samples_leaf || node.size() < 2) return false;
  finder_->start_node(sample_);
  return !finder_->pure();
}

void Grower::search(Node& node) {
  NodeData data;
  DrawContext context{Rng(node.seed)};
  context.n_candidates = inputs_.options.n_candidates;
  if (inputs_.sampler.reads_node()) {
    data.rows = rows_of(node);
    data.sample = &sample_;
    data.response = &inputs_.response;
    data.read_row = [this](Row row, float* out) { projector_->read_row(row, out); };
    context.node = &data;
  }
  projector_->start_node(rows_of(node));
  bool some_varied = false;
  for (context.attempt = 0; context.attempt <= kRedraws && !some_varied; ++context.attempt) {
    candidates_.clear();
    inputs_.sampler.draw(context, candidates_);
    some_varied = try_candidates(node, context.attempt > 0, context.rng);
  }
  if (node.split && node.split->gain / root_weight_ < inputs_.options.min_impurity_decrease)
    node.split.reset();
}

// Keeps the best split of the candidates, first best on ties; returns whether one was not constant.
bool Grower::try_candidates(Node& node, bool first_only, Rng& rng) {
  bool some_varied = false;
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    if (inputs_.stop) throw Stopped{};  // a large node takes long
    const Column column = projector_->project(candidates_[c]);
    if (column.constant()) continue;
    some_varied = true;
    const auto found = finder_->find(column, node.split ? node.split->gain : 0.0, rng);
    if (found) {
      node.split = found;
      node.candidate = c;
      node.saw_missing = column.range.n_missing > 0;
      if (found->perfect) break;  // lossless: later candidates can only tie
    }
    if (first_only) break;
  }
  return some_varied;
}

// Partitions the rows of the node that the projector is at, and adds its children to the tree.
std::pair<Grower::Node, Grower::Node> Grower::split(const Node& node, const Atom& atom) {
  const auto rows = std::span(order_).subspan(node.begin, node.size());
  const Column column = projector_->project(atom);
  const std::size_t n_left =
      stable_partition(rows, column, node.split->last_left, node.split->missing_left, spill_);

  const auto at = static_cast<std::size_t>(node.index);
  tree_.kind[at] = static_cast<std::uint8_t>(NodeKind::numeric);
  tree_.left[at] = static_cast<std::int32_t>(tree_.size());
  tree_.threshold[at] = node.split->threshold;
  tree_.missing_left[at] = node.split->missing_left;
  if (!node.saw_missing) saw_none_missing_.push_back(node.index);
  tree_.gain[at] = node.split->gain / root_weight_;
  tree_.atom[at] = static_cast<std::int32_t>(tree_.atoms.size());
  tree_.atoms.push(atom);

  Node left, right;
  left.index = tree_.add_leaf(summary_->block_size());
  right.index = tree_.add_leaf(summary_->block_size());
  left.begin = node.begin;
  left.end = right.begin = node.begin + n_left;
  right.end = node.end;
  left.depth = right.depth = node.depth + 1;
  left.seed = combine_seeds(node.seed, kLeftSide);
  right.seed = combine_seeds(node.seed, kRightSide);
  return {std::move(left), std::move(right)};
}

// Where a split saw nothing missing, missing values go to the heavier child.
void Grower::send_unseen_missing() {
  for (const std::int32_t node : saw_none_missing_) {
    const auto at = static_cast<std::size_t>(node);
    const auto left = static_cast<std::size_t>(tree_.left[at]);
    tree_.missing_left[at] = 2.0 * tree_.weight[left] >= tree_.weight[at];
  }
}

// Honesty [THESIS section 4]: the structure stays, weights and values come from the estimation rows
// alone, at every node. A bag too small to have estimation rows is estimated by what it has.
void Grower::estimate_leaves() {
  std::vector<Row> rows = rows_with(bag_.estimation);
  if (rows.empty()) return;
  weigh_rows(bag_.estimation);
  std::fill(tree_.weight.begin(), tree_.weight.end(), 0.0);
  std::fill(tree_.value.begin(), tree_.value.end(), 0.0);
  route(tree_, *projector_, rows,
        [this](std::size_t node, std::span<const Row> slice) { summarise_node(node, slice); });
  fill_empty_leaves();
}

void Grower::fill_empty_leaves() {
  const std::size_t block = summary_->block_size();
  switch (inputs_.options.empty_leaf) {
    case EmptyLeaf::ignore:
      return;  // weight 0 tells the predictor to leave the tree out
    case EmptyLeaf::prune:
      prune_empty_leaves(tree_);
      return;
    case EmptyLeaf::uniform:
    case EmptyLeaf::empirical:
      break;
  }
  std::vector<double> fill(tree_.value.begin(),
                           tree_.value.begin() + static_cast<std::ptrdiff_t>(block));
  if (inputs_.options.empty_leaf == EmptyLeaf::uniform) {
    fill.clear();
    for (const int k : inputs_.response.n_classes)
      fill.insert(fill.end(), static_cast<std::size_t>(k), 1.0 / k);
  }
  for (std::size_t node = 0; node < tree_.size(); ++node)
    if (tree_.weight[node] == 0.0)
      std::copy(fill.begin(), fill.end(),
                tree_.value.begin() + static_cast<std::ptrdiff_t>(node * block));
}

// Growing has placed the rows that grew the tree, unless leaves were joined since; the rest is
// routed.
void Grower::record_samples() {
  const GrowOptions& options = inputs_.options;
  const std::size_t n = inputs_.rows.n_rows;
  const bool placed = !options.honest && options.ccp_alpha == 0.0;
  if (!placed) leaf_of_row_.assign(n, 0);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < n; ++i)
    if (!placed || bag_.structure[i] == 0) rows.push_back(static_cast<Row>(i));
  route(tree_, *projector_, rows, [this](std::size_t node, std::span<const Row> slice) {
    if (tree_.is_leaf(node)) place_rows(static_cast<std::int32_t>(node), slice);
  });
  tree_.leaf_of_row = SmallNumbers(std::move(leaf_of_row_));
  std::vector<std::int32_t> inbag = options.honest ? bag_.estimation : bag_.structure;
  if (options.honest)
    for (std::size_t i = 0; i < n; ++i)
      if (bag_.structure[i] > 0) inbag[i] = -1;
  tree_.inbag = SmallNumbers(std::move(inbag));
}

void Grower::place_rows(std::int32_t leaf, std::span<const Row> rows) {
  for (const Row row : rows) leaf_of_row_[static_cast<std::size_t>(row)] = leaf;
}

}  // namespace mf
