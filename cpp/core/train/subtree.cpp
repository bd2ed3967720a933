#include "train/subtree.hpp"

#include <algorithm>
#include <limits>

#include "train/few_subtree.hpp"
#include "train/route.hpp"
#include "train/shared_blocks.hpp"
#include "train/shared_search.hpp"
#include "train/stop_rules.hpp"

namespace mf::train {
namespace {

// Draws after the first one, when every candidate of a node was constant.
constexpr int kNodeRedraws = 10;

constexpr BlockSize kInnerFirst[] = {BlockSize::small, BlockSize::large};

}  // namespace

void SubtreeGrower::grow(Node root) {
  worker_.projector->start_tree(growing_->rotated.get());  // it may have been at another tree
  for (BlockRows& block : worker_.block_rows) block.forget();
  if (worker_.code_search) worker_.code_search->start_tree(inputs_.codes, growing_->rounded.get());
  root.index = part_.add_leaf(worker_.summary->value_width(), root.slice);
  if (inputs_.options.max_leaf_nodes > 0)
    grow_best_first(std::move(root));
  else
    grow_depth_first(std::move(root));
}

// A node is searched when it is taken from the stack, so that a whole subtree is grown while its
// rows are in cache.
void SubtreeGrower::grow_depth_first(Node root) {
  std::vector<Node> stack;
  stack.push_back(std::move(root));
  while (!stack.empty()) {
    if (const Node& next = stack.back(); next.given) {
      part_.given.push_back({next.given, static_cast<std::size_t>(next.index), part_.tree.size(),
                             part_.tree.atoms.size()});
      stack.pop_back();
      continue;
    }
    if (inputs_.jobs.has_idle_worker())
      if (Node* const spare = find_spare(stack)) give(*spare);
    Node node = std::move(stack.back());
    stack.pop_back();
    enter_block(node);
    if (grow_few(node)) continue;
    open(node);
    if (!node.split) continue;
    auto [left, right] = split(node, worker_.candidates[node.split->candidate]);
    stack.push_back(std::move(right));
    stack.push_back(std::move(left));
  }
  leave_blocks(std::nullopt);
}

// Grows the whole subtree of a node of few rows, if it can be grown at once.
bool SubtreeGrower::grow_few(const Node& root) {
  const std::size_t n = root.slice.size();
  if (!worker_.few || n < 2 || n > FewRows::kMost || part_.n_sums > 0) return false;
  if (inputs_.stop) throw Stopped{};
  worker_.projector->start_node(rows_of(root));
  FewSubtree few(worker_, *growing_, samples(), part_);
  if (!few.start(root)) return false;
  while (auto node = few.grow()) {
    open(*node);
    if (!node->split) continue;
    const auto [left, right] = split(*node, worker_.candidates[node->split->candidate]);
    few.resume(left, right);
  }
  return true;
}

// A node is searched when it is added; the one of largest gain is split first. None is given away:
// which nodes are split at all depends on all splits before.
void SubtreeGrower::grow_best_first(Node root) {
  auto worse = [](const Node& a, const Node& b) {
    if (a.split->gain != b.split->gain) return a.split->gain < b.split->gain;
    return a.index > b.index;
  };
  std::vector<Node> heap;
  auto push = [&](Node node) {
    open(node);
    if (!node.split) return;
    const auto kept = std::make_shared<AtomList>();
    kept->push(worker_.candidates[node.split->candidate]);
    node.kept = kept;
    heap.push_back(std::move(node));
    std::push_heap(heap.begin(), heap.end(), worse);
  };
  push(std::move(root));
  for (std::int64_t n_leaves = 1; !heap.empty() && n_leaves < inputs_.options.max_leaf_nodes;
       ++n_leaves) {
    std::pop_heap(heap.begin(), heap.end(), worse);
    const Node node = std::move(heap.back());
    heap.pop_back();
    worker_.projector->start_node(rows_of(node));
    worker_.best_column.reset();  // that of another node
    auto [left, right] = split(node, (*node.kept)[0]);
    push(std::move(left));
    push(std::move(right));
  }
}

// The node stays behind as a leaf until the parts of the tree are joined, and on the stack, without
// rows, until its turn would have come.
void SubtreeGrower::give(Node& node) {
  for (const BlockSize size : kInnerFirst)
    if (block_rows(size).holds(node.slice)) block_rows(size).give(node.slice, growing_->order);
  const auto part = std::make_shared<Part>();
  part->n_sums = part_.n_sums;
  reserve_most(*part, inputs_.options, node.slice.size(), worker_.summary->value_width());
  inputs_.jobs.push(growing_->given, [growing = growing_, part, node](Worker& worker) {
    SubtreeGrower(worker, growing, *part).grow(node);
  });
  node.given = part;
  node.slice = {};
  node.sums.reset();
}

// How often each row of a node may be projected in its subtree.
std::size_t SubtreeGrower::n_projections(const Node& node) const {
  const GrowOptions& options = inputs_.options;
  if (options.max_depth < 0) return std::numeric_limits<std::size_t>::max();
  const auto n_levels = static_cast<std::size_t>(std::max(0, options.max_depth - node.depth));
  return n_levels * static_cast<std::size_t>(options.n_candidates);
}

// The first node of a path that fits into a block of a size is copied to one, for its whole
// subtree.
void SubtreeGrower::enter_block(const Node& node) {
  const auto is_in = [&](const Slice& block) {
    return node.slice.begin >= block.begin && node.slice.end <= block.end;
  };
  if (is_in(blocks_[static_cast<std::size_t>(BlockSize::small)])) return;
  leave_blocks(node.slice);
  for (const BlockSize size : kBlockSizes) {
    Slice& block = blocks_[static_cast<std::size_t>(size)];
    if (is_in(block)) continue;
    const bool fits =
        node.slice.size() <= worker_.projector->max_block_rows(size, n_projections(node));
    block = {node.slice.begin, fits ? node.slice.end : node.slice.begin};
    if (fits)
      copy_block(size, node.slice);
    else
      worker_.projector->start_subtree(size, {});
  }
}

void SubtreeGrower::copy_block(BlockSize size, Slice slice) {
  std::span<const Row> rows = growing_->rows_in(slice);
  if (!gives_places()) return worker_.projector->start_subtree(size, rows);
  const BlockRows& outer = block_rows(BlockSize::large);
  if (outer.holds(slice)) {
    worker_.rows_of_block.resize(rows.size());
    std::transform(rows.begin(), rows.end(), worker_.rows_of_block.begin(),
                   [&](Row place) { return outer.outer()[static_cast<std::size_t>(place)]; });
    rows = worker_.rows_of_block;
  }
  worker_.projector->start_subtree(size, rows, NodeRows::places);
  block_rows(size).enter(slice, growing_->order, samples());
}

// Leaves blocks in which the next node is not; all of them, if there is none.
void SubtreeGrower::leave_blocks(const std::optional<Slice>& next) {
  for (const BlockSize size : kInnerFirst)
    if (!next || !block_rows(size).holds(*next)) block_rows(size).leave(growing_->order);
}

// Only where all that is read of a row lies in the block or in its packed sample.
bool SubtreeGrower::gives_places() const {
  const RowSamples& all = growing_->samples;
  return worker_.few && worker_.projector->takes_places() && !inputs_.sampler.reads_node() &&
         part_.n_sums == 0 && !(all.packed.empty() && all.responses.empty());
}

bool SubtreeGrower::in_places() const {
  return block_rows(BlockSize::small).is_entered() || block_rows(BlockSize::large).is_entered();
}

// Of the rows, or of the places, that are in the order now.
const RowSamples& SubtreeGrower::samples() const {
  for (const BlockSize size : kInnerFirst)
    if (block_rows(size).is_entered()) return block_rows(size).samples();
  return growing_->samples;
}

// Fills in the value of a node and searches its split.
void SubtreeGrower::open(Node& node) {
  if (inputs_.stop) throw Stopped{};
  if (node.slice.size() == 0) return;  // an empty bag
  if (part_.n_sums > 0 && (by_codes(node) || at_max_depth(inputs_.options, node.depth)))
    return open_by_sums(node);
  const auto at = static_cast<std::size_t>(node.index);
  worker_.summarise(rows_of(node), samples(), part_.tree, at);
  if (part_.n_sums > 0) std::copy_n(worker_.summary->sums(), part_.n_sums, part_.sums_of(at));
  if (may_split(node)) search(node);
}

// The same without a sample of the node's rows. If it is split, its value is made of the sums of
// its children.
void SubtreeGrower::open_by_sums(Node& node) {
  worker_.sample.total_count = worker_.code_search->count(rows_of(node), growing_->samples);
  if (may_split(node)) search(node);
  if (node.split) return;
  const auto at = static_cast<std::size_t>(node.index);
  Tree& tree = part_.tree;
  tree.weight[at] = worker_.summary->summarise_rows(
      rows_of(node), growing_->samples, &tree.value[at * worker_.summary->value_width()]);
  std::copy_n(worker_.summary->sums(), part_.n_sums, part_.sums_of(at));
}

// Stop rules that need no search. The finder is left at this node.
bool SubtreeGrower::may_split(const Node& node) const {
  const GrowOptions& options = inputs_.options;
  NodeSample& sample = worker_.sample;
  sample.min_child_weight = options.min_weight_fraction_leaf * growing_->root_weight;
  if (!train::may_split(options, node.depth, node.slice.size(), sample.total_count)) return false;
  if (by_codes(node)) return !worker_.code_search->pure(rows_of(node));
  worker_.finder->start_node(sample);
  return !worker_.finder->pure();
}

void SubtreeGrower::search(Node& node) {
  Projector& projector = *worker_.projector;
  NodeData data;
  DrawContext& context = worker_.draw;
  context.rng = Rng(node.seed);
  context.n_candidates = inputs_.options.n_candidates;
  context.check_stop = StopCheck(inputs_.stop);
  context.node = nullptr;
  if (inputs_.sampler.reads_node()) {
    data.rows = rows_of(node);
    worker_.sample.unpack();
    data.sample = &worker_.sample;
    data.target = &inputs_.target;
    data.read_row = [&projector](Row row, float* out) { projector.read_row(row, out); };
    context.node = &data;
  }
  projector.start_node(rows_of(node));
  worker_.best_column.reset();
  bool some_varied = false;
  for (context.attempt = 0; context.attempt <= kNodeRedraws && !some_varied; ++context.attempt) {
    inputs_.sampler.redraw(context, worker_.candidates);
    some_varied = by_codes(node) ? try_codes(node, context.attempt > 0)
                                 : try_candidates(node, context.attempt > 0);
  }
  if (node.split && node.split->codes != nullptr) node.split->find_threshold();
  if (node.split &&
      node.split->gain / growing_->root_weight < inputs_.options.min_impurity_decrease)
    node.split.reset();
}

// Keeps the best split of the candidates, first best on ties; returns whether one was not constant.
bool SubtreeGrower::try_candidates(Node& node, bool first_only) {
  SplitFinder& finder = *worker_.finder;
  const bool shared = may_share(node) && !first_only && !finder.searches_together() && !in_places();
  bool some_varied = false;
  auto gain_to_beat = [&] { return node.split ? node.split->gain : kNoSplitYet; };
  auto take = [&](std::optional<Split> found) {
    if (found) node.split = found;
  };
  for (std::size_t c = 0; c < worker_.candidates.size(); ++c) {
    if (inputs_.stop) throw Stopped{};  // a large node takes long
    if (shared && c + 1 < worker_.candidates.size() && inputs_.jobs.has_idle_worker())
      return share_candidates(node, c, some_varied);
    if (c + 1 < worker_.candidates.size())
      worker_.projector->fetch_ahead(worker_.candidates[c + 1]);
    const Column column = worker_.projector->project(worker_.candidates[c]);
    if (column.constant()) continue;
    some_varied = true;
    Rng& stream = worker_.draw.threshold_stream(c);
    if (finder.searches_together()) {
      finder.keep(c, column, stream);
      if (finder.full()) take(finder.find_kept(gain_to_beat()));
    } else if (auto found = finder.find(column, gain_to_beat(), stream)) {
      found->candidate = c;
      found->saw_missing = column.range.n_missing > 0;
      take(found);
      worker_.projector->keep_column();
      worker_.best_column = column;
      if (found->perfect) break;  // lossless: later candidates can only tie
    }
    if (first_only) break;
  }
  if (finder.searches_together()) take(finder.find_kept(gain_to_beat()));
  return some_varied;
}

// The same for all candidates from `first` on, with the help of all workers that are idle or become
// idle.
bool SubtreeGrower::share_candidates(Node& node, std::size_t first, bool some_varied) {
  worker_.sample.unpack();  // for all
  const auto search =
      std::make_shared<SharedSearch>(worker_, growing_->rotated.get(), rows_of(node),
                                     SharedSearch::Begun{first, some_varied, node.split});
  try {
    search->work(worker_, [&] {
      if (inputs_.jobs.has_idle_worker())
        inputs_.jobs.push(growing_->given,
                          [growing = growing_, search](Worker& other) { search->help(other); });
    });
  } catch (...) {
    search->fail();
    search->finish();
    throw;
  }
  search->finish();
  if (search->failed()) throw Stopped{};
  node.split = search->best();
  if (node.split && node.split->candidate >= first) worker_.best_column.reset();
  return search->some_varied();
}

// Whether there is enough to do for others at a node.
bool SubtreeGrower::may_share(const Node& node) const {
  return inputs_.n_workers > 1 && node.slice.size() >= kMinSharedRows;
}

// Large nodes are, if their candidates are single features.
bool SubtreeGrower::by_codes(const Node& node) const {
  return growing_->rounded != nullptr && worker_.code_search != nullptr &&
         node.slice.size() >= kMinCodedRows && inputs_.options.min_weight_fraction_leaf == 0.0;
}

// Whether the sums of a node are those for all features, and handed down. Nodes that wait for
// others on a heap would keep too many of them.
bool SubtreeGrower::keeps_sums() const {
  return static_cast<std::size_t>(inputs_.options.n_candidates) >= inputs_.codes->n_features() &&
         inputs_.options.max_leaf_nodes <= 0 && worker_.code_search->keeps_sums();
}

// As try_candidates.
bool SubtreeGrower::try_codes(Node& node, bool first_only) {
  CodeSearch& search = *worker_.code_search;
  const AtomList& candidates = worker_.candidates;
  const auto feature_of = [&](std::size_t c) {
    return static_cast<std::uint32_t>(candidates[c].ints[0]);
  };
  const bool all = keeps_sums();
  if (candidates.size() == 0) return false;
  if (all && !node.sums) {
    node.sums = std::make_shared<CodeSums>();
    search.add_up(rows_of(node), {}, shared_loop(worker_, growing_), *node.sums);
  }
  if (!all) {
    worker_.candidate_features.clear();
    for (std::size_t c = 0; c < candidates.size(); ++c)
      worker_.candidate_features.push_back(feature_of(c));
    search.add_up(rows_of(node), worker_.candidate_features, shared_loop(worker_, growing_),
                  worker_.candidate_sums);
  }
  search.start_node(all ? *node.sums : worker_.candidate_sums, node.slice.size());
  bool some_varied = false;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    bool varied = false;
    auto found = search.find(all ? feature_of(c) : c, feature_of(c),
                             node.split ? node.split->gain : kNoSplitYet, varied);
    some_varied = some_varied || varied;
    if (found) {
      found->candidate = c;
      node.split = found;
    }
    if (varied && first_only) break;
  }
  return some_varied;
}

// The rows of the smaller child are added up, whether it is searched by codes or not; the larger
// has the rest.
void SubtreeGrower::hand_down_sums(const Node& node, Node& left, Node& right) {
  const auto needs = [&](const Node& child) {
    return by_codes(child) && !at_max_depth(inputs_.options, child.depth);
  };
  Node& smaller = left.slice.size() < right.slice.size() ? left : right;
  Node& larger = &smaller == &left ? right : left;
  if (!needs(larger)) return;
  auto part = std::make_shared<CodeSums>();
  worker_.code_search->add_up(rows_of(smaller), {}, shared_loop(worker_, growing_), *part);
  CodeSearch::subtract(*node.sums, *part);
  larger.sums = node.sums;
  if (needs(smaller)) smaller.sums = std::move(part);
}

// Partitions the rows of the node that the projector is at, and adds its children to the tree.
std::pair<SubtreeGrower::Node, SubtreeGrower::Node> SubtreeGrower::split(const Node& node,
                                                                         const Atom& atom) {
  const std::span<Row> rows = rows_of(node);
  const Key last = node.split->last_left;
  const bool missing_left = node.split->missing_left;
  std::size_t n_left = 0;
  if (by_codes(node))
    n_left = stable_partition(rows, *inputs_.codes, static_cast<std::size_t>(atom.ints[0]), last,
                              missing_left, worker_.spill,
                              may_share(node) && inputs_.jobs.has_idle_worker()
                                  ? shared_loop(worker_, growing_)
                                  : BlockLoop());
  else if (worker_.best_column)
    n_left = stable_partition(rows, *worker_.best_column, last, missing_left, worker_.spill);
  else
    n_left =
        stable_partition(rows, worker_.projector->project(atom), last, missing_left, worker_.spill);
  Tree& tree = part_.tree;
  const auto at = static_cast<std::size_t>(node.index);
  tree.make_split(
      at, tree.size(), node.split->threshold,
      node.split->saw_missing ? static_cast<std::uint8_t>(node.split->missing_left) : kUndecided,
      node.split->gain / growing_->root_weight, tree.atoms.size());
  tree.atoms.push(atom);

  const std::size_t middle = node.slice.begin + n_left;
  Node left = add_child(node, {node.slice.begin, middle}, kLeftSide);
  Node right = add_child(node, {middle, node.slice.end}, kRightSide);
  if (node.sums) hand_down_sums(node, left, right);
  return {std::move(left), std::move(right)};
}

SubtreeGrower::Node SubtreeGrower::add_child(const Node& parent, Slice slice, std::uint64_t side) {
  Node child;
  child.index = part_.add_leaf(worker_.summary->value_width(), slice);
  child.slice = slice;
  child.depth = parent.depth + 1;
  child.seed = combine_seeds(parent.seed, side);
  return child;
}

}  // namespace mf::train
