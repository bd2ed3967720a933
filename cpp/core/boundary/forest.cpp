#include "boundary/forest.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "boundary/batch_walk.hpp"
#include "boundary/change.hpp"
#include "boundary/check_record.hpp"
#include "boundary/top_k.hpp"
#include "random/rng.hpp"
#include "threads/parallel.hpp"

namespace mf::boundary {
namespace {

// Sets of at most this many points are measured one by one: the walks would measure more. So is
// everything if more neighbours are wanted than walks are likely to meet.
constexpr std::size_t kScanned = 1024, kMostWalked = 1024;

// Queries that pass through a tree together, if there are so many; few share distances instead.
constexpr std::size_t kBlock = 2048, kFewQueries = 16;

// About what a walk through a small tree costs, in distances.
constexpr std::size_t kWalk = 16;

std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

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

// body(distances of query q, q, lookout) for single queries, trees sharing distances.
template <class Body>
void for_queries(std::size_t n, std::size_t n_slots, const Tools& tools, const Body& body) {
  struct Reader {
    std::unique_ptr<MovableRuler> ruler;
    SharedDistances distances;
  };
  parallel_blocks(
      n, tools.n_threads, [&] { return Reader{tools.make_ruler(), {}}; },
      [&](Reader& reader, std::size_t q, Lookout& lookout) {
        reader.ruler->to_row(q);
        reader.distances.start(*reader.ruler, n_slots);
        body(reader.distances, q, lookout);
      },
      tools.watch);
}

// Blocks of queries that walk through one tree after the other together: measured(query, slot,
// rank) for all that is measured, and arrive(query, tree, end of its walk).
template <class Measured, class Arrive>
void for_blocks(std::size_t n, const std::vector<Tree>& trees, const Tools& tools,
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
      [&](Walker& walker, std::size_t block, Lookout& lookout) {
        const std::size_t begin = block * size;
        walker.queries.resize(std::min(n, begin + size) - begin);
        std::iota(walker.queries.begin(), walker.queries.end(), begin);
        for (std::size_t t = 0; t < trees.size(); ++t) {
          walker.walk.run(
              trees[t], *walker.ruler, walker.queries, lookout, [](std::size_t, const WalkStep&) {},
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

}  // namespace

// ------------------------------------------------------------------- learning

std::vector<std::size_t> Forest::start_order(std::uint64_t seed, std::size_t tree, std::size_t m) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < m; ++i)
    if (i != tree) order.push_back(i);
  Rng rng(combine_seeds(tree_seed(seed, static_cast<int>(tree), Stream::start), m));
  shuffle(rng, order);
  return order;
}

std::vector<std::size_t> Forest::pass_order(std::uint64_t seed, std::size_t pass, std::size_t n) {
  std::vector<std::size_t> order = in_order(n);
  Rng rng(tree_seed(seed, static_cast<int>(pass), Stream::pass));
  shuffle(rng, order);
  return order;
}

bool Forest::alike(Slot a, Slot b) const {
  switch (options_.task) {
    case Task::retrieve:
      return false;
    case Task::classify:
      return classes_[a] == classes_[b];
    case Task::regress:
      return norm_of_difference(values_of(a), values_of(b), options_.n_outputs) <=
             options_.tolerance;
  }
  return false;
}

Slot Forest::store(const Batch& batch, std::size_t row, std::int64_t arrival) {
  const std::int64_t id = batch.ids == nullptr ? arrival : batch.ids[row];
  const std::uint8_t* bytes =
      batch.rows == nullptr ? nullptr : batch.rows + row * points_.row_bytes();
  const std::size_t n_slots = points_.n_slots() + 1, k = options_.n_outputs;
  const bool classifies = options_.task == Task::classify;
  // what may fail comes first
  if (classifies && classes_.size() < n_slots) classes_.resize(n_slots);
  if (values_.size() < n_slots * k) values_.resize(n_slots * k);
  const Slot slot = points_.add(bytes, id, arrival);
  if (classifies) classes_[slot] = batch.classes[row];
  std::copy_n(batch.values + row * k, k, values_.begin() + static_cast<std::ptrdiff_t>(slot * k));
  return slot;
}

std::vector<Slot> Forest::slots_of(std::span<const std::int64_t> ids) const {
  std::vector<Slot> slots;
  for (const std::int64_t id : ids) {
    slots.push_back(points_.find(id));
    if (slots.back() == kNoSlot) throw UnknownId(id);
  }
  return slots;
}

std::vector<Slot> Forest::slots_of(const PointFilter& filter) const {
  if (!filter.may_be_gone) return slots_of(std::span(filter.ids));
  std::vector<Slot> slots;
  for (const std::int64_t id : filter.ids)
    if (const Slot slot = points_.find(id); slot != kNoSlot) slots.push_back(slot);
  return slots;
}

std::vector<Slot> Forest::different_slots_of(std::span<const std::int64_t> ids) const {
  if (std::unordered_set<std::int64_t>(ids.begin(), ids.end()).size() < ids.size())
    throw std::invalid_argument("ids must be all different");
  return slots_of(ids);
}

void Forest::learn(const Batch& batch, const Tools& tools) {
  const auto only_one = writers_.write(tools.watch);
  if (batch.ids != nullptr) {
    std::unordered_set<std::int64_t> ids;
    for (std::size_t i = 0; i < batch.n; ++i)
      if (!ids.insert(batch.ids[i]).second || points_.find(batch.ids[i]) != kNoSlot)
        throw std::invalid_argument("two points have the id " + std::to_string(batch.ids[i]));
  }
  Change change(*this, tools);
  change.read(batch);
  change.show(in_order(batch.n), false);
  change.keep();
}

Forest::Passes Forest::learn_in_passes(const Batch& batch, std::size_t max_passes,
                                       const Tools& tools) {
  const auto only_one = writers_.write(tools.watch);
  Change change(*this, tools);
  Passes passes;
  change.read(batch);
  change.show(in_order(batch.n), false);
  for (passes.n = 1; passes.n < max_passes && !passes.settled; ++passes.n) {
    tools.watch();
    passes.settled = change.show(pass_order(options_.seed, passes.n, batch.n), true) == 0;
  }
  change.keep();
  return passes;
}

void Forest::remove(std::span<const std::int64_t> ids, const Tools& tools) {
  if (ids.empty()) return;
  const auto only_one = writers_.write(tools.watch);
  Change change(*this, tools);
  change.remove(different_slots_of(ids), tools);
  change.keep();
}

void Forest::replace(const Batch& batch, const Tools& stored, const Tools& tools) {
  if (batch.n == 0) return;
  const auto only_one = writers_.write(tools.watch);
  Change change(*this, tools);
  change.remove(different_slots_of({batch.ids, batch.n}), stored);
  change.read(batch);
  change.show(in_order(batch.n), false);
  change.keep();
}

std::uint64_t Forest::removal_seed(std::size_t tree, Slot first) const {
  return combine_seeds(tree_seed(options_.seed, static_cast<int>(tree), Stream::start),
                       static_cast<std::uint64_t>(points_.arrival(first)));
}

// Trees of the first m examples: each is the root of one and is followed by the others in an order
// of that tree. `ranks` are those between the first of them, as far as they are known.
Forest::Trees Forest::start_trees(std::vector<Slot> starts, std::vector<std::vector<double>> ranks,
                                  const Tools& tools) const {
  complete_ranks(starts, ranks, tools);
  const std::size_t m = starts.size();
  Trees started;
  started.trees.assign(m, new_tree());
  TableRuler ruler(starts, ranks);
  SharedDistances distances;
  Lookout lookout(tools.watch);
  for (std::size_t t = 0; t < m; ++t) {
    Tree& tree = started.trees[t];
    tree.set_root(starts[t]);
    for (const std::size_t i : start_order(options_.seed, t, m)) {
      ruler.to(i);
      distances.start(ruler, points_.n_slots());
      const Tree::Arrival end = tree.walk(distances);
      if (!alike(end.slot, starts[i])) tree.add(end.place, starts[i]);
      lookout.worked(kWalk);
    }
  }
  started.starting = m < options_.n_trees;
  if (!started.starting) return started;
  started.starts = std::move(starts);
  started.start_ranks = std::move(ranks);
  return started;
}

void Forest::complete_ranks(std::span<const Slot> starts, std::vector<std::vector<double>>& ranks,
                            const Tools& tools) const {
  const std::size_t known = ranks.size(), m = starts.size();
  ranks.resize(m);
  const auto ruler = tools.make_ruler();
  Lookout lookout(tools.watch);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t first = i < known ? known : 0;
    ranks[i].resize(m);
    if (first == m) continue;
    ruler->to_point(starts[i]);
    ruler->measure(starts.subspan(first), ranks[i].data() + first);
    lookout.worked();
  }
}

// ------------------------------------------------------------------- queries

void Forest::walk(std::size_t n_queries, const Tools& tools,
                  const std::function<void(const WalkEnds&)>& read) const {
  const auto lock = mutex_.read(tools.watch);
  const std::vector<Tree>& trees = grown_.trees;
  const std::size_t n_trees = trees.size();
  WalkEnds ends;
  ends.n_trees = n_trees;
  ends.slots.resize(n_queries * n_trees);
  ends.ranks.resize(n_queries * n_trees);
  auto enter = [&](std::size_t q, std::size_t t, const Tree::Arrival& end) {
    ends.slots[q * n_trees + t] = end.slot;
    ends.ranks[q * n_trees + t] = end.rank;
  };
  if (n_queries < kFewQueries || tools.measures_elsewhere())
    for_queries(n_queries, points_.n_slots(), tools,
                [&](SharedDistances& distances, std::size_t q, Lookout& lookout) {
                  for (std::size_t t = 0; t < n_trees; ++t) {
                    enter(q, t, trees[t].walk(distances));
                    lookout.worked(kWalk);
                  }
                });
  else
    for_blocks(n_queries, trees, tools, [](std::size_t, Slot, double) {}, enter);
  read(ends);
}

void Forest::nearest(std::size_t n_queries, std::size_t k, const PointFilter* among,
                     const Tools& tools,
                     const std::function<void(const NearestPoints&)>& read) const {
  const auto lock = mutex_.read(tools.watch);
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
    for_blocks(n_queries, grown_.trees, tools, meet,
               [](std::size_t, std::size_t, const Tree::Arrival&) {});
  auto answer = [&](SharedDistances& distances, std::size_t q, Lookout& lookout) {
    if (walks && !together) {
      for (const Tree& tree : grown_.trees) {
        tree.walk(distances);
        lookout.worked(kWalk);
      }
      for (const Slot slot : distances.measured()) meet(q, slot, distances.known_rank(slot));
    }
    if (!nearest[q].full()) {  // the walks met too few
      std::call_once(listed, list_all);
      for (const Slot slot : candidates) {
        meet(q, slot, distances.rank(slot));
        lookout.worked(1);
      }
    }
    for (std::size_t i = 0; i < found.k; ++i) {
      found.slots[q * found.k + i] = nearest[q].nearest()[i].slot;
      found.ranks[q * found.k + i] = nearest[q].nearest()[i].rank;
    }
  };
  for_queries(n_queries, points_.n_slots(), tools, answer);
  read(found);
}

std::size_t Forest::bytes() const {
  std::size_t bytes = points_.bytes() + classes_.capacity() * sizeof(std::int32_t) +
                      values_.capacity() * sizeof(double);
  for (const Tree& tree : grown_.trees) bytes += sizeof tree + tree.bytes();
  return bytes;
}

// ------------------------------------------------------------------- storing

Record Forest::record() const {
  Record record;
  const std::vector<Slot> order = points_.in_order();
  std::vector<std::int32_t> number(points_.n_slots(), -1);
  for (const Slot slot : order) {
    number[slot] = static_cast<std::int32_t>(record.ids.size());
    record.ids.push_back(points_.id(slot));
    record.arrivals.push_back(points_.arrival(slot));
    if (options_.task == Task::classify) record.classes.push_back(classes_[slot]);
    const double* values = values_.data() + slot * options_.n_outputs;
    record.values.insert(record.values.end(), values, values + options_.n_outputs);
  }
  for (const Tree& tree : grown_.trees) {
    tree.visit([&](Slot slot, std::size_t n_children) {
      record.node_slot.push_back(number[slot]);
      record.node_children.push_back(static_cast<std::int32_t>(n_children));
    });
    record.tree_offsets.push_back(static_cast<std::int64_t>(record.node_slot.size()));
  }
  for (const Slot slot : grown_.starts) record.starts.push_back(number[slot]);
  record.starting = grown_.starting;
  record.n_seen = n_seen_;
  return record;
}

void Forest::restore(Record record, std::uint8_t* rows, const Tools& tools) {
  check_record(record, options_, tools.watch);
  const std::size_t n_trees = record.tree_offsets.size() - 1;
  Trees grown;
  for (std::size_t t = 0; t < n_trees; ++t) {
    tools.watch();
    const auto begin = static_cast<std::size_t>(record.tree_offsets[t]);
    const std::size_t size = static_cast<std::size_t>(record.tree_offsets[t + 1]) - begin;
    const auto slots = std::span<const std::int32_t>(record.node_slot).subspan(begin, size);
    const auto children = std::span<const std::int32_t>(record.node_children).subspan(begin, size);
    grown.trees.push_back(new_tree());
    grown.trees.back().rebuild({slots.begin(), slots.end()}, {children.begin(), children.end()});
  }
  grown.starts.assign(record.starts.begin(), record.starts.end());
  grown.starting = record.starting;
  points_.adopt(rows, std::move(record.ids), std::move(record.arrivals));
  classes_ = std::move(record.classes);
  values_ = std::move(record.values);
  grown_ = std::move(grown);
  n_seen_ = record.n_seen;
}

}  // namespace mf::boundary
