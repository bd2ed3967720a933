// Walks of several rows through packed trees at once, so that their cache misses overlap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/inlining.hpp"
#include "base/prefetch.hpp"
#include "predict/form_tables.hpp"
#include "predict/packed_forest.hpp"

namespace mf::predict {

// Takes every pair of a row and a tree, row by row, and finds its leaf. A lane that has reached a
// leaf takes the next pair at once; a lane without a next pair stays at a node that leads to itself
// until all lanes are done.
template <class Form>
class Lanes {
 public:
  using Node = typename Form::Node;
  using Entry = typename Form::Entry;

  // leaves: rows × trees. Prefetches the trees that come next.
  static void run(const PackedForest<Form>& forest, std::size_t first_tree, std::size_t n_trees,
                  const FormTables<Form>& tables, std::int32_t* leaves) {
    Lanes(forest, first_tree, n_trees, tables, leaves).walk(std::make_index_sequence<kLanes>{});
  }

 private:
  // Enough to hide the second-level cache; their nodes and rows have to fit into registers.
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kCacheLine = 64;
  static constexpr std::size_t kRowsToPrefetch = 64;  // fewer rows do not visit most nodes

  struct Lane {
    const Node* node;
    const Entry* row;
  };

  Lanes(const PackedForest<Form>& forest, std::size_t first_tree, std::size_t n_trees,
        const FormTables<Form>& tables, std::int32_t* leaves)
      : forest_(forest),
        first_tree_(first_tree),
        n_trees_(n_trees),
        roots_(forest.roots() + first_tree),
        tables_(tables),
        rows_(tables.rows()),
        leaves_(leaves),
        next_place_(leaves) {
    const std::size_t end = first_tree + n_trees;
    const auto upcoming = forest.nodes(end, std::min(end + n_trees, forest.n_trees()));
    if (rows_.size() < kRowsToPrefetch) return;
    upcoming_ = reinterpret_cast<const char*>(upcoming.data());
    lines_per_row_ = upcoming.size_bytes() / kCacheLine / rows_.size() + 1;
    end_ = upcoming_ + upcoming.size_bytes();
  }

  template <std::size_t... kLane>
  void walk(std::index_sequence<kLane...>) {
    std::array<Lane, kLanes> lanes{first(kLane)...};
    while (n_resting_ < kLanes) (step(lanes[kLane], kLane), ...);
  }

  MF_INLINE void step(Lane& lane, std::size_t l) {
    const Node& node = *lane.node;
    const Reference r = node.child[Form::side(node, lane.row)];
    if (r >= 0) [[likely]]
      lane.node = at(lane.node, r);
    else
      lane = arrive(l, r);
  }

  static const Node* at(const Node* from, Reference r) {
    return reinterpret_cast<const Node*>(reinterpret_cast<const char*>(from) + r);
  }

  MF_NOINLINE Lane first(std::size_t l) { return start(l); }

  // Called when a lane reaches a leaf or a long node. Neither this nor its rare parts are inlined,
  // to leave registers for the steps in between.
  MF_NOINLINE Lane arrive(std::size_t l, Reference r) {
    if (!names_leaf(r)) [[unlikely]]
      return pass_long_nodes(l, r);
    *place_[l] = index_of(r);
    return start(l);
  }

  MF_NOINLINE Lane pass_long_nodes(std::size_t l, Reference r) {
    const auto pair = static_cast<std::size_t>(place_[l] - leaves_);
    const std::size_t row = pair / n_trees_, tree = first_tree_ + pair % n_trees_;
    r = forest_.template pass_long_nodes<typename FormTables<Form>::ForLongNodes>(r, tree, tables_,
                                                                                  row);
    if (r >= 0) return {at(forest_.roots()[tree], r), rows_[row]};
    *place_[l] = index_of(r);
    return start(l);
  }

  // Gives the lane the next pair.
  MF_INLINE Lane start(std::size_t l) {
    if (next_row_ == rows_.size()) [[unlikely]] {
      ++n_resting_;
      return {&rest_, rows_[0]};
    }
    const Lane lane{roots_[next_tree_], rows_[next_row_]};
    place_[l] = next_place_++;
    if (++next_tree_ == n_trees_) {
      next_tree_ = 0;
      ++next_row_;
      fetch_ahead();
    }
    return lane;
  }

  MF_NOINLINE void fetch_ahead() {
    for (std::size_t i = 0; i < lines_per_row_ && upcoming_ < end_; ++i, upcoming_ += kCacheLine)
      prefetch(upcoming_);
  }

  const PackedForest<Form>& forest_;
  const std::size_t first_tree_, n_trees_;
  const Node* const* const roots_;
  const FormTables<Form>& tables_;
  const std::span<const Entry* const> rows_;
  std::int32_t* const leaves_;
  std::array<std::int32_t*, kLanes> place_{};  // of the leaf that a lane is looking for
  std::int32_t* next_place_;
  std::size_t next_row_ = 0, next_tree_ = 0;
  std::size_t n_resting_ = 0;
  const char *upcoming_ = nullptr, *end_ = nullptr;
  std::size_t lines_per_row_ = 0;
  const Node rest_{};
};

}  // namespace mf::predict
