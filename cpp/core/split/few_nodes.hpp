// Searching the nodes of a subtree of few rows, whose candidates are single features of floats.
// Most nodes of a tree are of this kind, and what a general node costs whatever its size (a sample
// gathered row by row, a column for each candidate, calls) would be most of their time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "data/samples.hpp"
#include "samplers/sampler.hpp"
#include "split/finder.hpp"
#include "split/kernels/kernels.hpp"
#include "split/project.hpp"

namespace mf::train {

// The rows of a node, by their numbers 0, 1, ... at the root of the subtree. Partitions keep the
// order of rows, so that a set tells all: nothing is moved while the subtree is grown.
using RowSet = std::uint64_t;

inline RowSet first_rows(std::size_t n) { return ~RowSet{0} >> (FewRows::kMost - n); }

class FewNodes {
 public:
  // What stop rules ask of a node.
  struct Opened {
    double weight = 0.0;
    std::int64_t count = 0;
    bool pure = false;
  };

  virtual ~FewNodes() = default;
  // Takes over the rows of a subtree, at which the projector is; false if it cannot search them.
  virtual bool start(Projector& projector, std::span<const Row> rows, const RowSamples& samples,
                     double min_child_weight) = 0;
  // Writes the value of a node, which has a row at least.
  virtual Opened open(RowSet rows, double* value) = 0;
  // The same of a single row, which is not searched; returns its weight.
  virtual double open_row(std::size_t number, double* value) = 0;
  // The split of the node that was opened last, which is not pure: what SplitFinder finds, column
  // after column, bit for bit. `left` of it is a RowSet. The draw has been started.
  virtual FewCut search(DrawContext& draw, const Sampler& sampler, AtomList& candidates) = 0;
};

// A criterion holds the rows of the subtree and of the node at hand:
//   take(rows, samples, min_child_weight)  all rows of the subtree; false if it cannot
//   add(number, i)                         row `number` of the subtree is row i of the node
//   open(rows, n, value)                   after all n are added: what FewNodes::open returns
//   open_row(number, value)                what FewNodes::open_row returns
//   start_search(n)                        the rules of a split of the node
//   score(left, n)                         of a set of rows on the left, of at most four rows
//   cut(kernels, few, candidates, rules)   all candidates of a node of more rows
template <class Criterion>
class FewNodesOf final : public FewNodes {
 public:
  FewNodesOf(Criterion criterion, bool draws_thresholds)
      : criterion_(std::move(criterion)), draws_thresholds_(draws_thresholds) {}

  bool start(Projector& projector, std::span<const Row> rows, const RowSamples& samples,
             double min_child_weight) override {
    projector_ = &projector;
    const auto block = projector.few_rows();
    if (!block || !criterion_.take(rows, samples, min_child_weight)) return false;
    if (!draws_thresholds_ && block->ranks == nullptr) return false;
    node_ = *block;
    std::copy_n(block->at, rows.size(), places_.begin());
    node_.at = at_.data();
    kernels_ = &kernels();
    return true;
  }

  Opened open(RowSet rows, double* value) override {
    rows_ = rows;
    std::size_t n = 0;
    for (RowSet rest = rows; rest != 0; rest &= rest - 1) {
      const std::size_t number = lowest_bit(rest);
      at_[n] = places_[number];
      criterion_.add(number, n++);
    }
    node_.n = n;
    return criterion_.open(rows, n, value);
  }

  double open_row(std::size_t number, double* value) override {
    return criterion_.open_row(number, value);
  }

  FewCut search(DrawContext& draw, const Sampler& sampler, AtomList& candidates) override {
    rules_ = criterion_.start_search(node_.n);
    FewCut cut = draws_thresholds_ ? search_drawn(draw) : search_ranks(draw, sampler, candidates);
    cut.left = spread(cut.left);
    return cut;
  }

 private:
  FewCut search_drawn(DrawContext& draw) {
    const auto d = std::min(node_.n_features, static_cast<std::size_t>(draw.n_candidates));
    draw.order.start(static_cast<std::uint32_t>(node_.n_features));
    if (node_.n <= kMostOneByOne) return draw_one_by_one(draw, d);
    features_.resize(std::max(features_.size(), d));
    uniform_.resize(features_.size());
    for (std::size_t c = 0; c < d; ++c) {
      features_[c] = static_cast<std::int32_t>(draw.order.next(draw.rng));
      uniform_[c] = draw.rng.uniform();
    }
    return search_all({features_.data(), d, uniform_.data()});
  }

  // Candidates are drawn until one is perfect: of two rows the first that varies. The same as
  // draw_few() of split/kernels/few.inc.
  FewCut draw_one_by_one(DrawContext& draw, std::size_t d) {
    FewCut best;
    double score_to_beat = kNoSplitYet;
    for (std::size_t c = 0; c < d; ++c) {
      const std::size_t feature = draw.order.next(draw.rng);
      const float* const column = node_.columns + feature * node_.stride;
      std::array<Key, kMostOneByOne> keys;
      KeyRange range;
      for (std::size_t i = 0; i < node_.n; ++i) {
        keys[i] = key_of(column[at_[i]]);
        range.min = std::min(range.min, keys[i]);
        range.max = std::max(range.max, keys[i]);
      }
      if (range.max == kMissing) return {.some_missing = true};
      if (range.min == range.max) {
        draw.rng.uniform();
        continue;
      }
      best.some_varied = true;
      const Key last = draw_threshold(range, draw.rng);
      std::uint64_t left = 0;
      for (std::size_t i = 0; i < node_.n; ++i) left |= std::uint64_t{keys[i] <= last} << i;
      const double score = criterion_.score(left, node_.n);
      if (!(score > score_to_beat + rules_.tolerance)) continue;
      take(feature, last, last, left, score, best);
      if (score >= rules_.perfect_score) break;
      score_to_beat = rules_.node_score + best.gain;
    }
    return best;
  }

  FewCut search_ranks(DrawContext& draw, const Sampler& sampler, AtomList& candidates) {
    sampler.redraw(draw, candidates);
    for (const std::int32_t feature : candidates.ints)
      if (node_.known[feature] == 0) projector_->know_ranks(static_cast<std::size_t>(feature));
    if (node_.n == 2)
      if (const auto cut = rank_two(candidates.ints)) return *cut;
    return search_all({candidates.ints.data(), candidates.ints.size(), nullptr});
  }

  // The first candidate that varies divides two rows, and others could only tie; none if rounding
  // decides between them.
  std::optional<FewCut> rank_two(std::span<const std::int32_t> features) const {
    FewCut cut;
    for (const std::int32_t f : features) {
      const auto feature = static_cast<std::size_t>(f);
      const Rank* const ranks = node_.ranks + feature * node_.stride;
      const Key* const keys = node_.keys + feature * node_.stride;
      const Rank first = ranks[at_[0]], second = ranks[at_[1]];
      const Key low = keys[std::min(first, second)], high = keys[std::max(first, second)];
      if (high == kMissing) return FewCut{.some_missing = true};
      if (low == high) continue;
      cut.some_varied = true;
      const std::uint64_t left = first < second ? 1 : 2;
      const double score = criterion_.score(left, 2);
      if (!(score > kNoSplitYet)) return cut;
      if (score < rules_.perfect_score) return std::nullopt;
      take(feature, low, high, left, score, cut);
      break;
    }
    return cut;
  }

  void take(std::size_t feature, Key last_left, Key first_right, std::uint64_t left, double score,
            FewCut& best) const {
    best.found = true;
    best.feature = feature;
    best.last_left = last_left;
    best.first_right = first_right;
    best.left = left;
    best.gain = gain_of(score, rules_.node_score, rules_.tolerance);
  }

  FewCut search_all(const FewCandidates& candidates) {
    const std::size_t n_whole =
        (node_.n + FewRows::kAtOnce - 1) / FewRows::kAtOnce * FewRows::kAtOnce;
    for (std::size_t i = node_.n; i < n_whole; ++i) at_[i] = at_[node_.n - 1];
    return criterion_.cut(*kernels_, node_, candidates, rules_);
  }

  // The rows of the node in a set of their places in the node.
  RowSet spread(std::uint64_t places) const {
    RowSet chosen = 0;
    for (RowSet rest = rows_; places != 0; rest &= rest - 1, places >>= 1)
      chosen |= rest & (~rest + 1) & (~(places & 1) + 1);
    return chosen;
  }

  // Larger nodes draw all candidates first: one of them is seldom perfect.
  static constexpr std::size_t kMostOneByOne = 4;

  Criterion criterion_;
  const bool draws_thresholds_;  // otherwise all are tried, by ranks
  Projector* projector_ = nullptr;
  const Kernels* kernels_ = nullptr;
  std::array<Row, FewRows::kMost> places_{};  // in the block, of all rows of the subtree

  // The node.
  RowSet rows_ = 0;
  FewRows node_;
  std::array<Row, FewRows::kMost> at_{};
  FewRules rules_;
  std::vector<std::int32_t> features_;  // of candidates that are drawn with thresholds
  std::vector<double> uniform_;
};

}  // namespace mf::train
