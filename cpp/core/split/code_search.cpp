#include "split/code_search.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "split/gradient_finder.hpp"

namespace mf::train {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{1} << 22;

}  // namespace

CodeSearch::CodeSearch(const Derivatives& derivatives, double l2, const SplitRules& rules)
    : derivatives_(derivatives), l2_(l2), rules_(rules) {}

std::shared_ptr<RoundedRows> CodeSearch::round(const RowSamples& samples, std::span<const Row> rows,
                                               const BlockLoop& loop, RoundedRows* former) const {
  const bool needs_counts = rules_.min_samples_leaf > 1 || rules_.min_balance > 0.0;
  return round_rows(derivatives_, l2_, needs_counts, samples, rows, loop, former);
}

void CodeSearch::start_tree(const CodeRows* codes, const RoundedRows* rounded) {
  codes_ = codes;
  rounded_ = rounded;
  if (rounded_ == nullptr) return;
  cut_rules_ = rounded_->rules;
  nothing_.assign(rounded_->lanes, 0.0);
}

bool CodeSearch::keeps_sums() const {
  return codes_->n_features() * CodeRows::kCodes * rounded_->lanes * sizeof(double) <= kKeptBytes;
}

// All sums are whole numbers, and exact: blocks may be added up in any order.
void CodeSearch::add_up(std::span<const Row> rows, std::span<const std::uint32_t> features,
                        const BlockLoop& loop, CodeSums& out) const {
  const std::size_t n_features = features.empty() ? codes_->n_features() : features.size();
  const std::size_t n_bins = n_features * CodeRows::kCodes;
  out.assign(n_bins * rounded_->lanes, 0.0);
  std::mutex adding;
  for_row_blocks(loop, rows.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<std::int32_t> part(n_bins * rounded_->stride);
    kernels().add_codes({rows.data() + begin, end - begin, codes_->codes(), codes_->width(),
                         features.data(), n_features, rounded_->rows.data(), rounded_->stride},
                        part.data());
    const std::lock_guard lock(adding);
    add_part(part, out);
  });
}

void CodeSearch::add_part(const std::vector<std::int32_t>& part, CodeSums& out) const {
  if (rounded_->stride > 2) {
    for (std::size_t s = 0; s < out.size(); ++s) out[s] += static_cast<double>(part[s]);
    return;
  }
  double* to = out.data();
  for (std::size_t s = 0; s < part.size(); s += 2, to += 2) {
    std::int64_t both;
    std::memcpy(&both, &part[s], sizeof both);
    const std::int64_t second = both & 0xffffffff;
    to[0] += static_cast<double>((both - second) / (std::int64_t{1} << 32));
    to[1] += static_cast<double>(second);
  }
}

std::int64_t CodeSearch::count(std::span<const Row> rows, const RowSamples& samples) const {
  if (rounded_->unit_counts) return static_cast<std::int64_t>(rows.size());
  std::int64_t total = 0;
  for (const Row row : rows) total += samples.count[static_cast<std::size_t>(row)];
  return total;
}

void CodeSearch::subtract(CodeSums& from, const CodeSums& part) {
  for (std::size_t s = 0; s < from.size(); ++s) from[s] -= part[s];
}

bool CodeSearch::pure(std::span<const Row> rows) const {
  const std::size_t width = derivatives_.searched_width(), stride = rounded_->stride;
  const std::int16_t* const first = &rounded_->rows[static_cast<std::size_t>(rows[0]) * stride];
  return std::all_of(rows.begin(), rows.end(), [&](Row row) {
    return std::equal(first, first + width,
                      &rounded_->rows[static_cast<std::size_t>(row) * stride]);
  });
}

void CodeSearch::start_node(const CodeSums& sums, std::size_t n_rows) {
  sums_ = &sums;
  const std::size_t stride = rounded_->lanes, n_gradients = cut_rules_.n_gradients;
  totals_.assign(stride, 0.0);
  for (std::size_t b = 0; b < CodeRows::kCodes; ++b)
    for (std::size_t k = 0; k < stride; ++k) totals_[k] += sums[b * stride + k];
  cut_rules_.min_child = static_cast<double>(
      rules_.min_child(static_cast<std::int64_t>(totals_[rounded_->count_lane()])));
  double squares = 0.0;
  for (std::size_t k = 0; k < n_gradients; ++k) squares += totals_[k] * totals_[k];
  const double divisor = totals_[n_gradients] + cut_rules_.l2;
  node_score_ = divisor > 0.0 ? cut_rules_.score_unit * (squares / divisor) : 0.0;
  const double reach = static_cast<double>(n_rows) * GradientFinder::kLargest;
  cut_rules_.tolerance =
      divisor > 0.0 ? kScoreNoise * cut_rules_.score_unit * (reach * reach / divisor) : 0.0;
}

std::optional<Split> CodeSearch::find(std::size_t place, std::size_t feature, double gain_to_beat,
                                      bool& varied) {
  const std::size_t stride = rounded_->lanes, count = rounded_->count_lane();
  const double* const sums = sums_of(place);
  std::size_t n_codes = 0;
  for (std::size_t b = 0; b < CodeRows::kCodes && n_codes < 2; ++b)
    n_codes += sums[b * stride + count] > 0.0 ? 1 : 0;
  varied = n_codes > 1;
  if (!varied) return std::nullopt;
  std::optional<Split> best;
  // A split that is worse than none is none, but one without gain may lead to others.
  cut_rules_.score_to_beat =
      std::max(node_score_ + gain_to_beat, node_score_ - 2.0 * cut_rules_.tolerance);
  try_cuts(sums, feature, false, best);
  const std::size_t missing = codes_->missing(feature);
  const bool saw_missing = missing < CodeRows::kCodes && sums[missing * stride + count] > 0.0;
  if (saw_missing) try_cuts(sums, feature, true, best);
  if (best) best->saw_missing = saw_missing;
  return best;
}

void CodeSearch::try_cuts(const double* sums, std::size_t feature, bool missing_left,
                          std::optional<Split>& best) {
  const std::size_t stride = rounded_->lanes, n_bins = codes_->missing(feature);
  const double* left = missing_left ? sums + n_bins * stride : nothing_.data();
  const BinCut cut =
      kernels().cut_gradients(sums, n_bins, stride, left, totals_.data(), cut_rules_);
  if (!cut.found) return;
  cut_rules_.score_to_beat = cut.score;
  const double gain = gain_of(cut.score, node_score_, cut_rules_.tolerance);
  if (cut.first_right == n_bins)  // all values go left, missing ones right
    best =
        Split{std::numeric_limits<double>::infinity(), static_cast<Key>(n_bins - 1), false, gain};
  else
    best = Split{threshold(feature, cut), cut.last_left, missing_left, gain};
}

double CodeSearch::threshold(std::size_t feature, const BinCut& cut) const {
  KeyRange range;
  range.integer = codes_->whole();
  if (range.integer)
    return midpoint(range, key_of(static_cast<std::int32_t>(cut.last_left)),
                    key_of(static_cast<std::int32_t>(cut.first_right)));
  const CodeValues& values = codes_->values(feature);
  return midpoint(range, key_of(values.below(cut.last_left)),
                  key_of(values.above(cut.first_right)));
}

}  // namespace mf::train
