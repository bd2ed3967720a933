// Finding the best threshold of a projected column.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "data/samples.hpp"
#include "split/kernels/kernels.hpp"
#include "split/keys.hpp"

namespace mf::train {

// How thresholds are searched: all of them; all where that is cheap and bins in large nodes; bins
// wherever there are more values than bins; one uniform threshold per candidate (Extra-Trees).
enum class SplitterKind : std::uint8_t { exact, automatic, histogram, random };

// "automatic" sorts float columns, and others that cannot be counted, up to this many rows.
constexpr std::size_t kSortedRows = 512;

// Scores that differ by less than this share of the criterion's scale differ by rounding only. They
// are ties, and the first one wins, whatever the order of summation. Sums over n rows are off by
// about sqrt(n) 2^-53 of their size, which is 1e-12 for 10^8 rows.
constexpr double kScoreNoise = 1e-12;

// The gain to beat of a node that has no split yet. A split without gain is accepted, as in
// scikit-learn: in an exclusive or neither feature alone has a gain, but both together explain
// everything.
constexpr double kNoSplitYet = -std::numeric_limits<double>::infinity();

struct SplitRules {
  std::int64_t min_samples_leaf = 1;
  double min_balance = 0.0;  // each child holds at least this share of the node's rows

  std::int64_t min_child(std::int64_t node_count) const;
};

// Lowers a share by a rounding error: 0.07 * 100 is a little more than 7.
inline double up_to_rounding(double share) { return share * (1.0 - 1e-12); }

struct Split {
  double threshold = 0.0;  // left iff value <= threshold
  Key last_left = 0;       // the same rule on keys
  bool missing_left = false;
  double gain = 0.0;          // W I(S) - W_L I(S_L) - W_R I(S_R)
  bool perfect = false;       // nothing can beat it
  std::size_t candidate = 0;  // whose column it cuts
  bool saw_missing = false;   // whether the column has missing values
  // Where the column has codes, the threshold is left to find_threshold(): reading the values of
  // codes takes long enough to do it for the best candidate only.
  const CodeValues* codes = nullptr;
  Key first_right = 0;

  void find_threshold();
};

// Per-thread search. Virtual once per candidate; the scan inside is compiled per criterion.
class SplitFinder {
 public:
  virtual ~SplitFinder() = default;
  virtual void start_node(const NodeSample& node) = 0;
  virtual bool pure() const = 0;
  // W I(S) of the node; gains are differences of it.
  virtual double node_loss() const = 0;
  // The first best split with a gain above `gain_to_beat`, if there is one; any gain that is not
  // negative, if that is kNoSplitYet.
  std::optional<Split> find(const Column& column, double gain_to_beat, Rng& rng) {
    start_column(column);
    return decide(gain_to_beat, rng);
  }
  // The parts of find(). What takes long depends on the column alone, so that several threads can
  // start the columns of a large node, each with a finder of its own, while decisions are made in
  // the order of the candidates. A column that was started must be decided.
  virtual void start_column(const Column& column) = 0;
  // Does the slow part of the decision before the gain to beat is known, if there is one. Never
  // changes the decision.
  virtual void anticipate() {}
  virtual std::optional<Split> decide(double gain_to_beat, Rng& rng) = 0;

  // Whether it can search columns of ranks, and does so sooner than columns of keys.
  virtual bool takes_ranks() const { return false; }

  // Some finders search several columns at once: they collect columns until they are full or there
  // are no more, and then find the first best split of all collected.
  virtual bool searches_together() const { return false; }
  virtual bool full() const { return false; }
  virtual void keep(std::size_t /*candidate*/, const Column& /*column*/, Rng& /*rng*/) {}
  virtual std::optional<Split> find_kept(double /*gain_to_beat*/) { return std::nullopt; }
};

// Halfway between two neighbouring values; the lower one if halfway rounds to the upper or
// overflows, or if both are the same.
double midpoint(const KeyRange& range, Key below, Key above);
double midpoint(float below, float above);

// The last key on the left of a threshold that is uniform between the smallest and the largest
// value.
Key draw_threshold(const KeyRange& range, Rng& rng);

// The gain of a split; none, if it is rounding noise.
inline double gain_of(double score, double node_score, double tolerance) {
  return score > node_score + tolerance ? score - node_score : 0.0;
}

}  // namespace mf::train
