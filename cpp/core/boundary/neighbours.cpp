#include "boundary/neighbours.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>

#include "boundary/best_first.hpp"
#include "boundary/query_walks.hpp"
#include "boundary/top_k.hpp"

namespace mf::boundary {
namespace {

// Forests that learn labels: sets of at most kScanned points are measured one by one, as walks
// would measure more. So are all points if more than kMostWalked neighbours are wanted, as walks
// would measure too few.
constexpr std::size_t kScanned = 1024, kMostWalked = 1024;

// The points that may be found: those of a filter, or all that are stored.
class Candidates {
 public:
  Candidates(const Points& points, const PointFilter* among)
      : points_(points), all_(among == nullptr) {
    if (all_) return;
    if (among->may_be_gone) {
      for (const std::int64_t id : among->ids)
        if (const Slot slot = points.find(id); slot != kNoSlot) slots_.push_back(slot);
    } else {
      slots_ = points.slots_of(among->ids);
    }
    allowed_.resize(points.n_slots());
    for (const Slot slot : slots_) allowed_[slot] = true;
  }

  std::size_t size() const { return all_ ? points_.n_stored() : slots_.size(); }
  bool contain(Slot slot) const { return all_ || allowed_[slot]; }
  // In order of arrival, or of the filter; listed at the first call.
  const std::vector<Slot>& slots() {
    std::call_once(listed_, [this] {
      if (all_) slots_ = points_.in_order();
    });
    return slots_;
  }

 private:
  const Points& points_;
  const bool all_;
  std::vector<Slot> slots_;
  std::vector<bool> allowed_;
  std::once_flag listed_;
};

class Search {
 public:
  Search(const State& state, std::size_t n_queries, std::size_t k, std::size_t effort,
         const PointFilter* among)
      : state_(state),
        candidates_(state.points(), among),
        k_(std::min(k, candidates_.size())),
        effort_(effort),
        nearest_(n_queries) {
    for (TopK& query : nearest_) query.start(k_);
  }

  Neighbours run(const CallContext& context) {
    const std::size_t n_queries = nearest_.size();
    // Trees for retrieval hold all points and find the place of each.
    const bool index = state_.options.task == Task::retrieve;
    const bool all =
        index ? candidates_.size() <= effort_ : candidates_.size() <= kScanned || k_ > kMostWalked;
    const bool together = !all && !index && walk_together(n_queries, context);
    if (together)
      walk_in_batches(
          state_, n_queries, context,
          [this](std::size_t q, Slot slot, double proxy) { add(q, slot, proxy); },
          [](std::size_t, std::size_t, const Tree::Arrival&) {});
    walk_one_by_one(state_, n_queries, context,
                    [&](SharedDistances& distances, std::size_t q, InterruptCheck& interrupts) {
                      if (!all && index) search_best_first(state_, effort_, distances, interrupts);
                      if (!all && !index && !together) walk(distances, interrupts);
                      for (const Slot slot : distances.measured())
                        add(q, slot, distances.known_proxy(slot));
                      if (!nearest_[q].full()) scan(distances, q, interrupts);
                    });
    return found(*context.make_computer(state_.points()));
  }

 private:
  void walk(SharedDistances& distances, InterruptCheck& interrupts) const {
    for (const Tree& tree : state_.trees.all) {
      tree.walk(distances);
      interrupts.poll_after(kWalk);
    }
  }
  void scan(SharedDistances& distances, std::size_t q, InterruptCheck& interrupts) {
    constexpr std::size_t kBatch = 64;  // points that are measured together
    std::array<double, kBatch> proxies;
    const std::span<const Slot> slots = candidates_.slots();
    for (std::size_t begin = 0; begin < slots.size(); begin += kBatch) {
      const auto some = slots.subspan(begin, std::min(kBatch, slots.size() - begin));
      distances.proxies(some.size(), [&](std::size_t i) { return some[i]; }, proxies.data());
      for (std::size_t i = 0; i < some.size(); ++i) add(q, some[i], proxies[i]);
      interrupts.poll_after(some.size());
    }
  }
  void add(std::size_t q, Slot slot, double proxy) {
    if (candidates_.contain(slot)) nearest_[q].add(slot, proxy, state_.points());
  }
  Neighbours found(const DistanceComputer& computer) const {
    Neighbours found{k_, {}, {}};
    found.ids.reserve(nearest_.size() * k_);
    found.distances.reserve(nearest_.size() * k_);
    for (const TopK& query : nearest_)
      for (const TopK::Entry& entry : query.nearest()) {
        found.ids.push_back(state_.points().id(entry.slot));
        found.distances.push_back(computer.distance(entry.proxy));
      }
    return found;
  }

  const State& state_;
  Candidates candidates_;
  const std::size_t k_, effort_;
  std::vector<TopK> nearest_;  // per query
};

}  // namespace

Neighbours nearest(const State& state, std::size_t n_queries, std::size_t k, std::size_t effort,
                   const PointFilter* among, const CallContext& context) {
  return Search(state, n_queries, k, effort, among).run(context);
}

}  // namespace mf::boundary
