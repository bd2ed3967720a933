#include "boundary/forest.hpp"

#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "boundary/change.hpp"
#include "boundary/learning_order.hpp"

namespace mf::boundary {
namespace {

void require_new_ids(std::span<const std::int64_t> ids, const Points& points) {
  std::unordered_set<std::int64_t> seen;
  for (const std::int64_t id : ids)
    if (!seen.insert(id).second || points.find(id) != kNoSlot)
      throw std::invalid_argument("two points have the id " + std::to_string(id));
}

std::vector<Slot> different_slots_of(std::span<const std::int64_t> ids, const Points& points) {
  if (std::unordered_set<std::int64_t>(ids.begin(), ids.end()).size() < ids.size())
    throw std::invalid_argument("ids must be all different");
  return points.slots_of(ids);
}

}  // namespace

void Forest::learn(const Batch& batch, const CallContext& context) {
  const auto only_one = writers_.write(context.check_interrupt);
  if (batch.ids != nullptr) require_new_ids({batch.ids, batch.n}, state_.points());
  Change change(state_, mutex_, context);
  change.read(batch);
  change.learn(in_order(batch.n), false);
  change.commit();
}

Forest::Passes Forest::learn_in_passes(const Batch& batch, std::size_t max_passes,
                                       const CallContext& context) {
  const auto only_one = writers_.write(context.check_interrupt);
  Change change(state_, mutex_, context);
  Passes passes;
  change.read(batch);
  change.learn(in_order(batch.n), false);
  for (passes.n = 1; passes.n < max_passes && !passes.converged; ++passes.n) {
    context.check_interrupt();
    passes.converged = change.learn(pass_order(options().seed, passes.n, batch.n), true) == 0;
  }
  change.commit();
  return passes;
}

void Forest::remove(std::span<const std::int64_t> ids, const CallContext& context) {
  if (ids.empty()) return;
  const auto only_one = writers_.write(context.check_interrupt);
  Change change(state_, mutex_, context);
  change.remove(different_slots_of(ids, state_.points()), context);
  change.commit();
}

void Forest::replace(const Batch& batch, const CallContext& stored, const CallContext& context) {
  if (batch.n == 0) return;
  const auto only_one = writers_.write(context.check_interrupt);
  Change change(state_, mutex_, context);
  change.remove(different_slots_of({batch.ids, batch.n}, state_.points()), stored);
  change.read(batch);
  change.learn(in_order(batch.n), false);
  change.commit();
}

void Forest::restore(Record record, std::uint8_t* rows, const InterruptFunction& check_interrupt) {
  boundary::restore(state_, std::move(record), rows, check_interrupt);
}

}  // namespace mf::boundary
