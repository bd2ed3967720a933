#include "boundary/forest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "boundary/learning.hpp"
#include "boundary/top_k.hpp"
#include "boundary/tree_learner.hpp"
#include "random/rng.hpp"
#include "threads/parallel.hpp"

namespace mf {
namespace {

// Sets of at most this many points are measured one by one: the walks would measure more. So is
// everything if more neighbours are wanted than walks are likely to meet.
constexpr std::size_t kScanned = 1024, kMostWalked = 1024;

// Queries that pass through a tree together, if there are so many; few share distances instead.
constexpr std::size_t kBlock = 2048, kFewQueries = 16;

// Reads ranks between the first examples from a table.
class TableRuler final : public Ruler {
 public:
  TableRuler(const std::vector<Slot>& slots, const std::vector<std::vector<double>>& ranks)
      : ranks_(ranks) {
    for (std::size_t i = 0; i < slots.size(); ++i) index_[slots[i]] = i;
  }
  void to(std::size_t query) { query_ = query; }
  void measure(std::span<const Slot> slots, double* ranks) override {
    for (std::size_t i = 0; i < slots.size(); ++i) ranks[i] = ranks_[query_][index_.at(slots[i])];
  }

 private:
  std::unordered_map<Slot, std::size_t> index_;
  const std::vector<std::vector<double>>& ranks_;
  std::size_t query_ = 0;
};

// body(distances of query q, q) for single queries, trees sharing distances.
template <class Body>
void for_queries(std::size_t n, std::size_t n_slots, const BoundaryTools& tools, const Body& body) {
  struct Reader {
    std::unique_ptr<MovableRuler> ruler;
    SharedDistances distances;
  };
  parallel_blocks(
      n, tools.n_threads, [&] { return Reader{tools.make_ruler(), {}}; },
      [&](Reader& reader, std::size_t q) {
        reader.ruler->to_row(q);
        reader.distances.start(*reader.ruler, n_slots);
        body(reader.distances, q);
      },
      tools.watch);
}

// Blocks of queries that walk through one tree after the other together: measured(query, slot,
// rank) for all that is measured, and arrive(query, tree, end of its walk).
template <class Measured, class Arrive>
void for_blocks(std::size_t n, const std::vector<BoundaryTree>& trees, const BoundaryTools& tools,
                const Measured& measured, const Arrive& arrive) {
  const std::size_t n_threads = static_cast<std::size_t>(std::max(1, tools.n_threads));
  const std::size_t share = (n + n_threads - 1) / n_threads;
  const std::size_t size = std::min(kBlock, std::max<std::size_t>(1, share));
  struct Walker {
    std::unique_ptr<MovableRuler> ruler;
    BatchWalk walk;
    std::vector<std::size_t> queries;
  };
  parallel_blocks(
      (n + size - 1) / size, tools.n_threads, [&] { return Walker{tools.make_ruler(), {}, {}}; },
      [&](Walker& walker, std::size_t block) {
        const std::size_t begin = block * size;
        walker.queries.resize(std::min(n, begin + size) - begin);
        std::iota(walker.queries.begin(), walker.queries.end(), begin);
        for (std::size_t t = 0; t < trees.size(); ++t) {
          walker.walk.run(
              trees[t], *walker.ruler, walker.queries, [](std::size_t, const WalkStep&) {},
              [&](std::size_t i, Slot slot, double rank) { measured(begin + i, slot, rank); });
          for (std::size_t i = 0; i < walker.queries.size(); ++i)
            arrive(begin + i, t, walker.walk.end(i));
        }
      },
      tools.watch);
}

// The Euclidean norm, also where squares overflow or vanish.
double norm_of_difference(const double* a, const double* b, std::size_t n) {
  double squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  if (squares >= 0x1p-900 && squares <= 0x1p1000) return std::sqrt(squares);
  double norm = 0.0;
  for (std::size_t i = 0; i < n; ++i) norm = std::hypot(norm, a[i] - b[i]);
  return norm;
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

}  // namespace

// ------------------------------------------------------------------- learning

std::vector<std::size_t> BoundaryForest::start_order(std::uint64_t seed, std::size_t tree,
                                                     std::size_t m) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < m; ++i)
    if (i != tree) order.push_back(i);
  Rng rng(combine_seeds(tree_seed(seed, static_cast<int>(tree), Stream::start), m));
  shuffle(rng, order);
  return order;
}

std::vector<std::size_t> BoundaryForest::pass_order(std::uint64_t seed, std::size_t pass,
                                                    std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(tree_seed(seed, static_cast<int>(pass), Stream::pass));
  shuffle(rng, order);
  return order;
}

bool BoundaryForest::alike(Slot a, Slot b) const {
  switch (options_.task) {
    case BoundaryTask::retrieve:
      return false;
    case BoundaryTask::classify:
      return classes_[a] == classes_[b];
    case BoundaryTask::regress:
      return norm_of_difference(values_of(a), values_of(b), options_.n_outputs) <=
             options_.tolerance;
  }
  return false;
}

Slot BoundaryForest::store(const BoundaryBatch& batch, std::size_t row, std::int64_t arrival) {
  const std::int64_t id = batch.ids == nullptr ? arrival : batch.ids[row];
  const std::uint8_t* bytes =
      batch.rows == nullptr ? nullptr : batch.rows + row * points_.row_bytes();
  const Slot slot = points_.add(bytes, id, arrival);
  if (options_.task == BoundaryTask::classify) {
    classes_.resize(points_.n_slots());
    classes_[slot] = batch.classes[row];
  }
  const std::size_t k = options_.n_outputs;
  values_.resize(points_.n_slots() * k);
  std::copy_n(batch.values + row * k, k, values_.begin() + static_cast<std::ptrdiff_t>(slot * k));
  return slot;
}

std::vector<Slot> BoundaryForest::slots_of(std::span<const std::int64_t> ids) const {
  std::vector<Slot> slots;
  for (const std::int64_t id : ids) {
    slots.push_back(points_.find(id));
    if (slots.back() == kNoSlot) throw UnknownId(id);
  }
  return slots;
}

void BoundaryForest::learn(const BoundaryBatch& batch, const BoundaryTools& tools) {
  const std::lock_guard only_one(writers_);
  if (batch.ids != nullptr) {
    std::unordered_set<std::int64_t> ids;
    for (std::size_t i = 0; i < batch.n; ++i)
      if (!ids.insert(batch.ids[i]).second || points_.find(batch.ids[i]) != kNoSlot)
        throw std::invalid_argument("two points have the id " + std::to_string(batch.ids[i]));
  }
  Learning learning(*this, batch, tools);
  std::vector<std::size_t> order(batch.n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  try {
    learning.show(order, false);
  } catch (...) {
    learning.undo();
    throw;
  }
}

BoundaryForest::Passes BoundaryForest::learn_in_passes(const BoundaryBatch& batch,
                                                       std::size_t max_passes,
                                                       const BoundaryTools& tools) {
  const std::lock_guard only_one(writers_);
  Learning learning(*this, batch, tools);
  Passes passes;
  try {
    std::vector<std::size_t> order(batch.n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    learning.show(order, false);
    for (passes.n = 1; passes.n < max_passes && !passes.settled; ++passes.n) {
      tools.watch();
      passes.settled = learning.show(pass_order(options_.seed, passes.n, batch.n), true) == 0;
    }
  } catch (...) {
    learning.undo();
    throw;
  }
  return passes;
}

// Trees of the first m examples: each is the root of one and is followed by the others in an order
// of that tree.
void BoundaryForest::build_start(const BoundaryTools& tools) {
  measure_starts(tools);
  const std::size_t m = starts_.size();
  trees_.assign(m, new_tree());
  TableRuler ruler(starts_, start_ranks_);
  SharedDistances distances;
  for (std::size_t t = 0; t < m; ++t) {
    trees_[t].set_root(starts_[t]);
    for (const std::size_t i : start_order(options_.seed, t, m)) {
      ruler.to(i);
      distances.start(ruler, points_.n_slots());
      const BoundaryTree::Arrival end = trees_[t].walk(distances);
      if (!alike(end.slot, starts_[i])) trees_[t].add(end.place, starts_[i]);
    }
  }
  if (m < options_.n_trees) return;
  starting_ = false;
  starts_.clear();
  start_ranks_.clear();
}

// Completes the table of ranks between the first examples.
void BoundaryForest::measure_starts(const BoundaryTools& tools) {
  const std::size_t known = start_ranks_.size(), m = starts_.size();
  std::vector<std::vector<double>> ranks = start_ranks_;
  ranks.resize(m);
  const auto ruler = tools.make_ruler();
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t first = i < known ? known : 0;
    ranks[i].resize(m);
    if (first == m) continue;
    ruler->to_point(starts_[i]);
    ruler->measure(std::span(starts_).subspan(first), ranks[i].data() + first);
  }
  start_ranks_ = std::move(ranks);
}

void BoundaryForest::remove(std::span<const std::int64_t> ids, const BoundaryTools& tools) {
  const std::lock_guard only_one(writers_);
  const auto lock = mutex_.write();
  const std::vector<Slot> slots = slots_of(ids);
  const bool all = slots.size() == points_.n_stored();
  std::vector<BoundaryTree> trees =
      tools.measures_elsewhere() ? trees_ : std::vector<BoundaryTree>{};
  std::vector<Slot> starts = starts_;
  try {
    if (all) {
      trees_.clear();
      starts_.clear();
      start_ranks_.clear();
      starting_ = true;
    } else if (starting_) {
      std::erase_if(starts_, [&](Slot slot) {
        return std::find(slots.begin(), slots.end(), slot) != slots.end();
      });
      start_ranks_.clear();
      build_start(tools);
    } else {
      parallel_for(trees_.size(), slots.size() < 8 ? 1 : tools.n_threads,
                   [&](std::size_t t) { remove_from(t, slots, tools); });
    }
  } catch (...) {  // only rulers throw, and then there is a copy
    trees_ = std::move(trees);
    starts_ = std::move(starts);
    start_ranks_.clear();
    throw;
  }
  for (const Slot slot : slots) {
    points_.release(slot);
    if (tools.drop) tools.drop(slot);
  }
}

void BoundaryForest::remove_from(std::size_t t, std::span<const Slot> slots,
                                 const BoundaryTools& tools) {
  BoundaryTree& tree = trees_[t];
  const auto ruler = tools.make_ruler();
  DirectDistances distances;
  distances.start(*ruler);
  BoundaryTree::Removal removal{std::vector<bool>(points_.n_slots()), {}};
  for (const Slot slot : slots) removal.leaving[slot] = true;
  for (const Slot slot : slots)
    tree.remove(slot, removal, [&](Slot from) -> DirectDistances& {
      ruler->to_point(from);
      return distances;
    });
  // An order of each tree's own: trees that learned the same points alike would become alike.
  std::vector<Slot>& loose = removal.loose;
  std::sort(loose.begin(), loose.end(),
            [this](Slot a, Slot b) { return points_.arrival(a) < points_.arrival(b); });
  Rng rng(combine_seeds(tree_seed(options_.seed, static_cast<int>(t), Stream::start),
                        static_cast<std::uint64_t>(points_.arrival(slots[0]))));
  shuffle(rng, loose);
  std::size_t begin = 0;
  if (tree.empty() && !loose.empty()) tree.set_root(loose[begin++]);
  TreeLearner learner(tools.make_ruler());
  for (std::size_t n = 0; begin < loose.size(); begin += n) {
    n = std::min(std::clamp(tree.size() / 4, kFewQueries, kBlock), loose.size() - begin);
    const std::vector<std::size_t> rows(loose.begin() + static_cast<std::ptrdiff_t>(begin),
                                        loose.begin() + static_cast<std::ptrdiff_t>(begin + n));
    learner.show(
        tree, rows, [](std::size_t) { return [](Slot, double) {}; },
        [&](std::size_t i, const BoundaryTree::Arrival& end) {
          tree.add(end.place, static_cast<Slot>(rows[i]));
        });
  }
}

// ------------------------------------------------------------------- queries

void BoundaryForest::walk(std::size_t n_queries, const BoundaryTools& tools,
                          const std::function<void(const WalkEnds&)>& read) const {
  const auto lock = mutex_.read();
  const std::size_t n_trees = trees_.size();
  WalkEnds ends;
  ends.n_trees = n_trees;
  ends.slots.resize(n_queries * n_trees);
  ends.ranks.resize(n_queries * n_trees);
  auto enter = [&](std::size_t q, std::size_t t, const BoundaryTree::Arrival& end) {
    ends.slots[q * n_trees + t] = end.slot;
    ends.ranks[q * n_trees + t] = end.rank;
  };
  if (n_queries < kFewQueries || tools.measures_elsewhere())
    for_queries(n_queries, points_.n_slots(), tools,
                [&](SharedDistances& distances, std::size_t q) {
                  for (std::size_t t = 0; t < n_trees; ++t) enter(q, t, trees_[t].walk(distances));
                });
  else
    for_blocks(n_queries, trees_, tools, [](std::size_t, Slot, double) {}, enter);
  read(ends);
}

BoundaryForest::Effort BoundaryForest::effort(std::size_t n_queries,
                                              const BoundaryTools& tools) const {
  const auto lock = mutex_.read();
  Effort effort;
  effort.n_compared.resize(n_queries);
  effort.n_measured.resize(n_queries);
  for_queries(n_queries, points_.n_slots(), tools, [&](SharedDistances& distances, std::size_t q) {
    for (const BoundaryTree& tree : trees_) tree.walk(distances);
    effort.n_compared[q] = static_cast<std::int64_t>(distances.n_asked());
    effort.n_measured[q] = static_cast<std::int64_t>(distances.measured().size());
  });
  return effort;
}

void BoundaryForest::nearest(std::size_t n_queries, std::size_t k,
                             const std::vector<std::int64_t>* among, const BoundaryTools& tools,
                             const std::function<void(const NearestPoints&)>& read) const {
  const auto lock = mutex_.read();
  std::vector<Slot> candidates;  // of a scan
  std::vector<bool> allowed;     // empty: all
  if (among != nullptr) {
    candidates = slots_of(*among);
    allowed.resize(points_.n_slots());
    for (const Slot slot : candidates) allowed[slot] = true;
  }
  const std::size_t n_candidates = among == nullptr ? points_.n_stored() : candidates.size();
  std::once_flag listed;
  auto list_all = [&] {
    if (among == nullptr) candidates = points_.in_order();
  };
  NearestPoints found;
  found.k = std::min(k, n_candidates);
  found.slots.resize(n_queries * found.k);
  found.ranks.resize(n_queries * found.k);

  std::vector<TopK> nearest(n_queries);
  for (TopK& query : nearest) query.start(found.k);
  auto meet = [&](std::size_t q, Slot slot, double rank) {
    if (allowed.empty() || allowed[slot]) nearest[q].meet(slot, rank, points_);
  };
  const bool walks = n_candidates > kScanned && found.k <= kMostWalked;
  const bool together = walks && n_queries >= kFewQueries && !tools.measures_elsewhere();
  if (together)
    for_blocks(n_queries, trees_, tools, meet,
               [](std::size_t, std::size_t, const BoundaryTree::Arrival&) {});
  for_queries(n_queries, points_.n_slots(), tools, [&](SharedDistances& distances, std::size_t q) {
    if (walks && !together) {
      for (const BoundaryTree& tree : trees_) tree.walk(distances);
      for (const Slot slot : distances.measured()) meet(q, slot, distances.known_rank(slot));
    }
    if (!nearest[q].full()) {  // the walks met too few
      std::call_once(listed, list_all);
      for (const Slot slot : candidates) meet(q, slot, distances.rank(slot));
    }
    for (std::size_t i = 0; i < found.k; ++i) {
      found.slots[q * found.k + i] = nearest[q].nearest()[i].slot;
      found.ranks[q * found.k + i] = nearest[q].nearest()[i].rank;
    }
  });
  read(found);
}

std::size_t BoundaryForest::bytes() const {
  std::size_t bytes = points_.bytes() + classes_.capacity() * sizeof(std::int32_t) +
                      values_.capacity() * sizeof(double);
  for (const BoundaryTree& tree : trees_) bytes += sizeof tree + tree.bytes();
  return bytes;
}

// ------------------------------------------------------------------- storing

BoundaryRecord BoundaryForest::record() const {
  BoundaryRecord record;
  const std::vector<Slot> order = points_.in_order();
  std::vector<std::int32_t> number(points_.n_slots(), -1);
  for (const Slot slot : order) {
    number[slot] = static_cast<std::int32_t>(record.ids.size());
    record.ids.push_back(points_.id(slot));
    record.arrivals.push_back(points_.arrival(slot));
    if (options_.task == BoundaryTask::classify) record.classes.push_back(classes_[slot]);
    const double* values = values_.data() + slot * options_.n_outputs;
    record.values.insert(record.values.end(), values, values + options_.n_outputs);
  }
  for (const BoundaryTree& tree : trees_) {
    tree.visit([&](Slot slot, std::size_t n_children) {
      record.node_slot.push_back(number[slot]);
      record.node_children.push_back(static_cast<std::int32_t>(n_children));
    });
    record.tree_offsets.push_back(static_cast<std::int64_t>(record.node_slot.size()));
  }
  for (const Slot slot : starts_) record.starts.push_back(number[slot]);
  record.starting = starting_;
  record.n_seen = n_seen_;
  return record;
}

namespace {

// Whether a tree in preorder is one tree, all of whose numbers are of points.
bool is_whole(std::span<const std::int32_t> slots, std::span<const std::int32_t> n_children,
              std::size_t n_points, std::size_t max_children) {
  std::int64_t missing = 1;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (missing <= 0 || slots[i] < 0 || static_cast<std::size_t>(slots[i]) >= n_points)
      return false;
    if (n_children[i] < 0 || static_cast<std::size_t>(n_children[i]) > max_children) return false;
    missing += n_children[i] - 1;
  }
  return missing == 0;
}

bool all_different(std::span<const std::int32_t> slots, std::size_t n_points) {
  std::vector<bool> seen(n_points);
  for (const std::int32_t slot : slots) {
    if (seen[static_cast<std::size_t>(slot)]) return false;
    seen[static_cast<std::size_t>(slot)] = true;
  }
  return slots.size() == n_points;
}

}  // namespace

void BoundaryForest::restore(BoundaryRecord record, std::uint8_t* rows) {
  const std::size_t n = record.ids.size();
  const bool retrieves = options_.task == BoundaryTask::retrieve;
  require(record.arrivals.size() == n, "arrivals do not fit the points");
  require(!retrieves ||
              std::unordered_set<std::int64_t>(record.ids.begin(), record.ids.end()).size() == n,
          "two points have the same id");
  require(std::is_sorted(record.arrivals.begin(), record.arrivals.end()) &&
              (n == 0 || (record.arrivals.front() >= 0 && record.arrivals.back() < record.n_seen)),
          "arrivals are out of order");
  require(record.classes.size() == (options_.task == BoundaryTask::classify ? n : 0),
          "classes do not fit the points");
  require(record.values.size() == n * options_.n_outputs, "values do not fit the points");
  require(record.node_slot.size() == record.node_children.size() && !record.tree_offsets.empty() &&
              record.tree_offsets.front() == 0 &&
              record.tree_offsets.back() == static_cast<std::int64_t>(record.node_slot.size()) &&
              std::is_sorted(record.tree_offsets.begin(), record.tree_offsets.end()),
          "nodes do not fit the trees");
  const std::size_t n_trees = record.tree_offsets.size() - 1;
  require(record.starting ? n_trees == record.starts.size() && n_trees < options_.n_trees
                          : record.starts.empty() && n_trees == options_.n_trees,
          "there are too few or too many trees");
  for (const std::int32_t slot : record.starts)
    require(slot >= 0 && static_cast<std::size_t>(slot) < n, "a first example is none");

  std::vector<BoundaryTree> trees;
  for (std::size_t t = 0; t < n_trees; ++t) {
    const auto begin = static_cast<std::size_t>(record.tree_offsets[t]);
    const std::size_t size = static_cast<std::size_t>(record.tree_offsets[t + 1]) - begin;
    const auto slots = std::span<const std::int32_t>(record.node_slot).subspan(begin, size);
    const auto children = std::span<const std::int32_t>(record.node_children).subspan(begin, size);
    require(is_whole(slots, children, n, options_.max_children), "a tree is not whole");
    require(!retrieves || all_different(slots, n), "a tree does not hold every point once");
    trees.push_back(new_tree());
    trees.back().rebuild({slots.begin(), slots.end()}, {children.begin(), children.end()});
  }
  points_.adopt(rows, std::move(record.ids), std::move(record.arrivals));
  classes_ = std::move(record.classes);
  values_ = std::move(record.values);
  trees_ = std::move(trees);
  starts_.assign(record.starts.begin(), record.starts.end());
  starting_ = record.starting;
  n_seen_ = record.n_seen;
}

}  // namespace mf
