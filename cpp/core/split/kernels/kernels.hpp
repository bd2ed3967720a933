// Hot loops that are compiled once per instruction set and chosen when the program runs.
//
// They see plain arrays only. Every variant computes the same integers, so a forest does not depend
// on the machine; tests run each variant that the machine supports against the baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/keys.hpp"

namespace mf::train {

// Where the best cut of some bins or rows lies; found is false if none beats the score to beat.
struct BinCut {
  bool found = false;
  std::uint32_t last_left = 0;    // last occupied bin on the left, or key
  std::uint32_t first_right = 0;  // first occupied bin on the right, or key
  double score = 0.0;             // -W_L I(L) - W_R I(R), see objectives/gini.cpp
};

// What a cut must satisfy to count.
struct CutRules {
  double score_to_beat = 0.0;
  double tolerance = 0.0;  // scores closer than this are ties, and the lowest cut wins
  std::uint32_t min_child = 1;
};

// The rows of a node as sets of bits, 64 rows to a word: plane b of class c holds the rows of the
// class whose weight has bit b. Only classes that are present have planes.
struct ClassPlanes {
  static constexpr std::size_t kWordRows = 64;

  std::size_t n_rows = 0, n_classes = 0, n_bits = 0;
  std::vector<std::uint64_t> words;   // word × class × bit
  std::vector<std::uint32_t> totals;  // weight of each class

  std::size_t per_word() const { return n_classes * n_bits; }
};

// What a cut between bins of gradients must satisfy, and what its score is made of. Sums are whole
// numbers: gradients and hessians in the units of the node, counts as they are.
struct GradientRules {
  double score_to_beat = 0.0;
  double tolerance = 0.0;
  double min_child = 1.0;       // rows on each side
  double l2 = 0.0;              // in the unit of hessians
  double score_unit = 1.0;      // of squared gradients divided by hessians
  std::size_t n_gradients = 0;  // lanes before those of the hessian and of the count
};

// Sums of sizes of whole numbers.
struct PairUnits {
  std::uint32_t gradient = 0, hessian = 0;
};

// At most 2^16 rows of a node, by the codes of some features.
struct CodedRows {
  const std::int32_t* rows;
  std::size_t n;
  const std::uint8_t* codes;  // of all rows and features, `width` apart
  std::size_t width;
  const std::uint32_t* features;  // n_features of them; null if they are the first ones
  std::size_t n_features;
  const std::int16_t* derivatives;  // of all rows, `stride` apart
  std::size_t stride;               // 2, 4, 8, 16 or 32
};

// The rows of a node, or sums of them in bins, in a search by squared error. A row has `stride`
// lanes: for each output its weight times the response minus the node's mean, zeros, and in the
// last lane its weight. stride is 2 for one output, otherwise a multiple of 4.
struct ResponseRows {
  const double* lanes = nullptr;
  std::size_t n = 0;
  std::size_t stride = 2;
};

// The cuts of a column, from the left to the right, one behind each group of rows of the same key.
struct CutSums {
  double* squares = nullptr;  // of the sums of the outputs on the left, added up
  double* weight = nullptr;   // on the left
  // Place of the last row on the left, in the order of the column. Not filled in where every row is
  // a group of its own.
  std::uint32_t* end = nullptr;
  double* wide = nullptr;  // scratch: a row
};

// The numbers of some rows added up, and how many rows these are.
struct SideSum {
  double sum = 0.0;
  std::size_t count = 0;
};

// Rows in the order of their ranks.
struct RankOrder {
  static constexpr std::size_t kWords = 64;  // of 64 ranks each

  std::uint16_t* position = nullptr;  // of the row that comes r-th; below 4096
  std::uint64_t* marks = nullptr;     // scratch: kWords zeros, which are zeros again afterwards
  std::uint16_t* slot = nullptr;      // scratch, for each rank of the block
};

// A node of few rows, which lie in a block of floats.
struct FewRows {
  static constexpr std::size_t kMost = 64;
  static constexpr std::size_t kAtOnce = 8;

  const float* columns = nullptr;  // of the block
  std::size_t stride = 0;          // from one column to the next
  std::size_t n_features = 0;
  // Places in a column, repeated up to a multiple of kAtOnce.
  const std::int32_t* at = nullptr;
  std::size_t n = 0;  // at least 2
  // The same columns as ranks, with the keys of each in ascending order, if they are asked for.
  const Rank* ranks = nullptr;
  const Key* keys = nullptr;
  const std::uint8_t* has_ties = nullptr;  // per column: equal or missing keys
  const std::uint8_t* known = nullptr;     // per column: the ranks are there, or 0
};

// Its candidates.
struct FewCandidates {
  const std::int32_t* features = nullptr;
  std::size_t n = 0;
  const double* uniform = nullptr;  // where thresholds are drawn: one for each
};

// A split must have a score above that of the best so far by more than the tolerance.
struct FewRules {
  double node_score = 0.0;  // of the node as it is
  double tolerance = 0.0;
  double perfect_score = 0.0;  // no candidate has a better one
};

struct FewSums {
  const double* centred = nullptr;  // times the weight
  const double* weight = nullptr;   // null where all are 1
  double total = 0.0;               // weight
  double least = 0.0;               // of a child
};

// The rows of a node as sets of bits: plane b of class c, words[c * n_bits + b], holds the rows of
// the class whose weight has bit b.
struct FewPlanes {
  const std::uint64_t* words = nullptr;
  const std::uint32_t* totals = nullptr;  // weight of each class
  std::size_t n_classes = 0, n_bits = 0;
  std::uint32_t weight = 0;
  std::uint32_t min_child = 1;
};

// The first best split of all candidates.
struct FewCut {
  bool some_missing = false;  // and nothing was searched
  bool some_varied = false;
  bool found = false;
  std::size_t feature = 0;
  Key last_left = 0, first_right = 0;
  std::uint64_t left = 0;  // the rows that go left
  double gain = 0.0;
};

// From one to kMost columns of floats, and their weights.
struct FloatTerms {
  static constexpr std::size_t kMost = 4;

  std::size_t n = 0;
  const float* columns[kMost] = {};
  double weights[kMost] = {};
};

struct Kernels {
  // Values to keys in place, widening the range; for floats also counts the missing ones.
  void (*integer_keys)(Key* values, std::size_t n, KeyRange& range);
  void (*float_keys)(Key* values, std::size_t n, KeyRange& range);
  // keys[i] = key of values[at[i]]
  void (*gather_float_keys)(const float* values, const std::int32_t* at, std::size_t n, Key* keys,
                            KeyRange& range);
  // keys[i] = key of the sum of the terms at at[i], in double, rounded to float
  void (*sum_float_keys)(const FloatTerms& terms, const std::int32_t* at, std::size_t n, Key* keys,
                         KeyRange& range);
  KeyRange (*byte_range)(const std::uint8_t* bytes, std::size_t n);
  KeyRange (*code_range)(const std::uint16_t* codes, std::size_t n);  // as if none were missing

  // bin[i] = (keys[i] - min) >> shift
  void (*bin_by_shift)(const Key* keys, std::size_t n, Key min, int shift, std::uint8_t* bin);
  void (*bin_codes)(const std::uint16_t* codes, std::size_t n, Key min, int shift,
                    std::uint8_t* bin);
  // bin[i] = (value of keys[i] - low) * scale, rounded down; it must be below 256.
  void (*bin_by_width)(const Key* keys, std::size_t n, float low, float scale, std::uint8_t* bin);
  // The largest key in bins up to last_left, and the smallest in the others.
  void (*keys_around)(const Key* keys, const std::uint8_t* bin, std::size_t n,
                      std::uint8_t last_left, Key* below, Key* above);
  // bin[i] = how many of at most kMostEdges edges, which ascend, lie below keys[i]
  static constexpr std::size_t kMostEdges = 63;
  void (*bin_by_edges)(const Key* keys, std::size_t n, const Key* edges, std::size_t n_edges,
                       std::uint8_t* bin);

  // counts[bin * stride + place] += weight, occupied[bin] = 1; a row is weight << 8 | place.
  void (*count)(const std::uint8_t* bin, const std::uint32_t* rows, std::size_t n,
                std::uint32_t* counts, std::size_t stride, std::uint8_t* occupied);
  // The same in 16 bits; rows of the common bin are not counted: its weights are the totals minus
  // those of the others.
  void (*count_narrow)(const std::uint8_t* bin, const std::uint32_t* rows, std::size_t n,
                       std::uint16_t* counts, std::size_t stride, std::uint8_t* occupied,
                       std::size_t n_bins, std::uint8_t common, const std::uint32_t* totals);
  // The best cut between occupied bins by the Gini score; counts and marks are zero afterwards.
  // stride is 8, 16 or 32, for narrow counts, whose weight is below 2^15, 8 or 16.
  BinCut (*cut_bins)(std::uint32_t* counts, std::uint8_t* occupied, std::size_t n_bins,
                     std::size_t stride, const std::uint32_t* totals, std::uint32_t weight,
                     const CutRules& rules);
  BinCut (*cut_narrow)(std::uint16_t* counts, std::uint8_t* occupied, std::size_t n_bins,
                       std::size_t stride, const std::uint32_t* totals, std::uint32_t weight,
                       const CutRules& rules);

  // Nodes of two classes that weigh less than 2^15. A row is a pair: its weight, and above 16 bits
  // its weight in the second class. `total` is the sum of all pairs. Scores are those of the other
  // searches, bit for bit.
  // counts[bin] += pair
  void (*count_pairs)(const std::uint8_t* bin, const std::uint32_t* pairs, std::size_t n,
                      std::uint32_t* counts);
  // The best cut between occupied bins; counts are zero afterwards.
  BinCut (*cut_pairs)(std::uint32_t* counts, std::size_t n_bins, std::uint32_t total,
                      const CutRules& rules);
  // The best cut between distinct keys (or codes) of at most 64 rows.
  BinCut (*cut_small_pairs)(const Key* keys, const std::uint32_t* pairs, std::size_t n,
                            std::uint32_t total, const CutRules& rules);
  BinCut (*cut_small_pair_codes)(const std::uint16_t* codes, const std::uint32_t* pairs,
                                 std::size_t n, std::uint32_t total, const CutRules& rules);
  BinCut (*cut_small_pair_bytes)(const std::uint8_t* bytes, const std::uint32_t* pairs,
                                 std::size_t n, std::uint32_t total, const CutRules& rules);
  // The sum of the pairs of keys (or bytes) up to `last`.
  std::uint32_t (*sum_pairs)(const Key* keys, const std::uint32_t* pairs, std::size_t n, Key last);
  std::uint32_t (*sum_byte_pairs)(const std::uint8_t* bytes, const std::uint32_t* pairs,
                                  std::size_t n, std::uint8_t last);

  // The best cut between different keys of sorted rows: key << 32 | weight << 8 | place.
  BinCut (*cut_sorted)(const std::uint64_t* rows, std::size_t n, std::size_t n_places,
                       const std::uint32_t* totals, std::uint32_t weight, const CutRules& rules);

  // The best cut between distinct keys (or bytes) of a node of at most 64 rows by the Gini score.
  BinCut (*cut_small)(const Key* keys, const ClassPlanes& node, std::uint32_t weight,
                      const CutRules& rules);
  BinCut (*cut_small_bytes)(const std::uint8_t* bytes, const ClassPlanes& node,
                            std::uint32_t weight, const CutRules& rules);
  // The planes of rows that count once each: 1 << 8 | place of the class. Only whole words are
  // filled; returns the number of rows in them.
  std::size_t (*fill_planes)(const std::uint32_t* rows, std::size_t n, ClassPlanes& out);
  // left[c] = weight of class c among the keys (or bytes) up to `last`.
  void (*weigh_keys)(const Key* keys, const ClassPlanes& node, Key last, std::uint32_t* left);
  void (*weigh_bytes)(const std::uint8_t* bytes, const ClassPlanes& node, std::uint8_t last,
                      std::uint32_t* left);

  // The searched derivatives of some rows of width `width`, times their weights. Returns the
  // largest size of a gradient, which are all columns but the last, and sets that of a hessian.
  float (*gather_gradients)(const float* searched, std::size_t width, const std::int32_t* rows,
                            const double* weight, std::size_t n, float* out,
                            float* largest_hessian);
  // Rows of `stride` lanes: gradients and the hessian rounded to whole numbers, the count, zeros.
  // The sizes of all are below 2^15. Adds them to the totals.
  void (*quantise_gradients)(const float* in, std::size_t width, const std::int32_t* count,
                             std::size_t n, float gradient_scale, float hessian_scale,
                             std::size_t stride, std::int16_t* out, double* totals);
  // The largest size of a gradient, which are the first of n pairs, and that of a hessian, which
  // are the second, times the weights of the rows, which are all 1 if there are none.
  float (*largest_pair)(const float* pairs, const double* weight, std::size_t n,
                        float* largest_hessian);
  // The same pairs, times scales, rounded to whole numbers below 2^15 in size, hessians to at least
  // 1. Returns sums of these of at most 2^16 pairs, which are below 2^31.
  PairUnits (*round_pairs)(const float* pairs, const double* weight, std::size_t n,
                           float gradient_scale, float hessian_scale, std::int16_t* out);
  // sums[bin] += row, lane by lane, for rows below 2^16: sums stay below 2^31. stride is 4, 8, 16
  // or 32.
  void (*add_gradients)(const std::uint8_t* bin, const std::int16_t* rows, std::size_t n,
                        std::size_t stride, std::int32_t* sums);
  // sums[feature][code] += the derivatives of the row, lane by lane: features × 256 × stride. Where
  // stride is 2, both lanes are one number of 64 bits, first × 2^32 + second; the second must not
  // be negative.
  void (*add_codes)(const CodedRows& node, std::int32_t* sums);
  // The best cut between occupied bins by the second-order score, with `left` on the left of all
  // bins. Sums are exact: below 2^53. Where stride is 2, the hessian stands for the count, too.
  BinCut (*cut_gradients)(const double* sums, std::size_t n_bins, std::size_t stride,
                          const double* left, const double* totals, const GradientRules& rules);

  // Orders at most 4096 rows by their ranks. Numbers behind the ranks are read and ignored, up to a
  // multiple of kRanksAtOnce.
  static constexpr std::size_t kRanksAtOnce = 32;
  void (*order_ranks)(const Rank* ranks, std::size_t n, RankOrder& out);
  // Sums over rows in the order of their ranks, one cut behind each row. Where ranks may have equal
  // keys, tied_keys are the keys by rank, otherwise null; the weight of a cut between equal keys
  // is 0.
  void (*sum_ranked)(const ResponseRows& rows, const Rank* ranks, const RankOrder& order,
                     const Key* tied_keys, CutSums& cuts);
  // The same in the order of sorted rows, key << 32 | position, one cut behind each group of equal
  // keys. Returns the number of groups.
  std::size_t (*sum_sorted)(const ResponseRows& rows, const std::uint64_t* sorted, CutSums& cuts);
  // sums[bin] += row, lane by lane and in the order of the rows; then the same over bins.
  void (*add_responses)(const ResponseRows& rows, const std::uint8_t* bin, double* sums);
  std::size_t (*sum_bins)(const ResponseRows& bins, CutSums& cuts);
  // scores[c] = squares[c] weight / (left (weight - left)), or minus infinity where a side weighs
  // less than `least`. Returns the largest. All arrays have room for a multiple of kScoresAtOnce.
  static constexpr std::size_t kScoresAtOnce = 8;
  double (*score_cuts)(const double* squares, double* left, std::size_t n, double weight,
                       double least, double* scores);
  // Over the keys that are at most `last`.
  SideSum (*sum_left)(const Key* keys, std::size_t n, Key last, const double* numbers);
  // The sum of the rows whose keys are at most `last`, or of all others.
  void (*sum_side_rows)(const ResponseRows& rows, const Key* keys, Key last, double* sums);

  // One threshold for each candidate, by squared error of one output, and by the Gini score.
  FewCut (*draw_few_responses)(const FewRows& node, const FewCandidates& candidates,
                               const FewRules& rules, const FewSums& rows);
  FewCut (*draw_few_classes)(const FewRows& node, const FewCandidates& candidates,
                             const FewRules& rules, const FewPlanes& planes);
  // Every threshold of each candidate, by ranks and squared error of one output.
  FewCut (*cut_few_ranks)(const FewRows& node, const FewCandidates& candidates,
                          const FewRules& rules, const ResponseRows& rows, double total,
                          double least);

  // The sum of n numbers, a multiple of 16.
  double (*sum_row)(const float* row, std::size_t n);
  // Of at most kRowsAtOnce rows of n numbers, a multiple of 16, for each of several orders: the sum
  // of the numbers whose position in the order is before that of the row itself, which is
  // positions[first + row]. Positions of one order are n apart from those of the next, sums as far
  // as sums_stride says.
  static constexpr std::size_t kRowsAtOnce = 4;
  void (*lower_sums)(const float* rows, std::size_t n_rows, std::size_t n, std::size_t first,
                     const std::int32_t* positions, std::size_t n_orders, double* sums,
                     std::size_t sums_stride);
  // The same for all rows of a small node and one order: lower[i] = sum of rows[j][i] over the rows
  // j before i. The sums over all rows are left in `sums`; rows are `stride` numbers apart, a
  // multiple of 16.
  void (*walk_sums)(const float* rows, std::size_t n, std::size_t stride,
                    const std::uint32_t* order, double* sums, double* lower);
  // loss[k] = left_pairs[k] / (2 left_weight[k]) + right_pairs[k] / (2 (weight - left_weight[k])).
  void (*pair_losses)(const double* left_pairs, const double* right_pairs,
                      const double* left_weight, double weight, std::size_t n, double* loss);
  // How many of at most kMostCounted keys are smaller than each of them.
  static constexpr std::size_t kMostCounted = 128;
  void (*count_smaller)(const Key* keys, std::size_t n, std::uint32_t* smaller);
  // Moves rows whose keys are at most `last` before all others, in the order in which they are;
  // returns their number. `right` is scratch for n rows.
  std::size_t (*partition_keys)(std::int32_t* rows, const Key* keys, std::size_t n, Key last,
                                std::int32_t* right);
};

// The variant in use.
const Kernels& kernels();

}  // namespace mf::train
