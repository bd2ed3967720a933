#include "boundary/removal.hpp"

#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "boundary/tree_learner.hpp"

namespace mf::boundary {
namespace {

// Points that are learned again together: few at first, while each of them changes a small tree.
constexpr std::size_t kFewestRelearned = 16, kMostRelearned = 2048;

std::vector<Slot> take_out(Tree& tree, std::span<const Slot> slots, const Points& points,
                           const CallContext& context, InterruptCheck& interrupts) {
  const auto computer = context.make_computer(points);
  DirectDistances distances;
  distances.start(*computer);
  Tree::Removal removal{std::vector<bool>(points.n_slots()), {}};
  for (const Slot slot : slots) removal.leaving[slot] = true;
  for (const Slot slot : slots) {
    tree.remove(slot, removal, [&](Slot from) -> DirectDistances& {
      interrupts.poll();
      computer->set_query_point(from);
      return distances;
    });
    interrupts.poll();
  }
  return std::move(removal.loose);
}

}  // namespace

void remove_from_tree(Tree& tree, std::span<const Slot> slots, const Points& points,
                      std::uint64_t seed, const CallContext& context, InterruptCheck& interrupts) {
  std::vector<Slot> loose = take_out(tree, slots, points, context, interrupts);
  // Each tree has an order of its own: trees that learn the same points in the same order become
  // alike.
  std::sort(loose.begin(), loose.end(),
            [&](Slot a, Slot b) { return points.arrival(a) < points.arrival(b); });
  Rng rng(seed);
  shuffle(rng, loose);
  std::size_t begin = 0;
  if (tree.empty() && !loose.empty()) tree.set_root(loose[begin++]);
  TreeLearner learner(context.make_computer(points));
  for (std::size_t n = 0; begin < loose.size(); begin += n) {
    n = std::min(std::clamp(tree.size() / 4, kFewestRelearned, kMostRelearned),
                 loose.size() - begin);
    const std::vector<std::size_t> rows(loose.begin() + static_cast<std::ptrdiff_t>(begin),
                                        loose.begin() + static_cast<std::ptrdiff_t>(begin + n));
    learner.learn(
        tree, rows, interrupts, [](std::size_t) { return [](Slot, double) {}; },
        [&](std::size_t i, const Tree::Arrival& end) {
          tree.add(end.place, static_cast<Slot>(rows[i]));
        });
  }
}

}  // namespace mf::boundary
