#include "boundary/record.hpp"

#include <span>
#include <utility>

#include "boundary/check_record.hpp"

namespace mf::boundary {

Record record_of(const State& state) {
  Record record;
  const Points& points = state.points();
  const std::size_t n_outputs = state.options.n_outputs;
  std::vector<std::int32_t> number(points.n_slots(), -1);
  for (const Slot slot : points.in_order()) {
    number[slot] = static_cast<std::int32_t>(record.ids.size());
    record.ids.push_back(points.id(slot));
    record.arrivals.push_back(points.arrival(slot));
    if (state.options.task == Task::classify)
      record.classes.push_back(state.examples.class_of(slot));
    const double* values = state.examples.values_of(slot);
    record.values.insert(record.values.end(), values, values + n_outputs);
  }
  for (const Tree& tree : state.trees.all) {
    tree.visit([&](Slot slot, std::size_t n_children) {
      record.node_slot.push_back(number[slot]);
      record.node_children.push_back(static_cast<std::int32_t>(n_children));
    });
    record.tree_offsets.push_back(static_cast<std::int64_t>(record.node_slot.size()));
  }
  for (const Slot slot : state.trees.starts) record.starts.push_back(number[slot]);
  record.starting = state.trees.starting;
  record.n_seen = state.n_seen;
  return record;
}

void restore(State& state, Record record, std::uint8_t* rows,
             const InterruptFunction& check_interrupt) {
  check_record(record, state.options, check_interrupt);
  const std::size_t n_trees = record.tree_offsets.size() - 1;
  Trees trees;
  for (std::size_t t = 0; t < n_trees; ++t) {
    check_interrupt();
    const auto begin = static_cast<std::size_t>(record.tree_offsets[t]);
    const std::size_t size = static_cast<std::size_t>(record.tree_offsets[t + 1]) - begin;
    const auto slots = std::span<const std::int32_t>(record.node_slot).subspan(begin, size);
    const auto children = std::span<const std::int32_t>(record.node_children).subspan(begin, size);
    trees.all.push_back(empty_tree(state.options));
    trees.all.back().rebuild({slots.begin(), slots.end()}, {children.begin(), children.end()});
  }
  trees.starts.assign(record.starts.begin(), record.starts.end());
  trees.starting = record.starting;
  state.examples.adopt(rows, std::move(record.ids), std::move(record.arrivals),
                       std::move(record.classes), std::move(record.values));
  state.trees = std::move(trees);
  state.n_seen = record.n_seen;
}

}  // namespace mf::boundary
