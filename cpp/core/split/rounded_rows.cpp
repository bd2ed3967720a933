#include "split/rounded_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "split/gradient_finder.hpp"

namespace mf::train {
namespace {

// A row has at least so many units on average, so that rounding is small against sums.
constexpr double kFewestUnits = 8.0;

// The largest sizes of some rows.
struct Largest {
  float gradient = 0.0F, hessian = 0.0F;
  std::int32_t count = 0;

  void join(const Largest& other) {
    gradient = std::max(gradient, other.gradient);
    hessian = std::max(hessian, other.hessian);
    count = std::max(count, other.count);
  }
};

struct Scales {
  float gradient, hessian;

  bool are_in_range() const {
    const auto is_in_range = [](float scale) {
      return scale > 0.0F && scale < GradientFinder::kMostScale;
    };
    return is_in_range(gradient) && is_in_range(hessian);
  }
};

// Sums of the sizes of whole numbers: of fewer than 2^31 rows, at most 30 × 2^15 each.
struct Units {
  std::int64_t gradient = 0, hessian = 0;
};

// Some rows of a tree, which ascend.
class RowBlock {
 public:
  RowBlock(const Derivatives& derivatives, const RowSamples& samples, std::span<const Row> rows)
      : derivatives_(derivatives), samples_(samples), rows_(rows) {}

  Largest largest(bool pairs) const {
    Largest found = pairs ? largest_pairs() : largest_lanes();
    for (const Row row : rows_) found.count = std::max(found.count, samples_.count[at(row)]);
    return found;
  }
  // Of pairs, if these have no more than two lanes.
  Units round(const Scales& scales, RoundedRows& to) const {
    return to.stride == 2 ? round_pairs(scales, to.rows.data()) : round_lanes(scales, to);
  }

 private:
  static constexpr std::size_t kGathered = 256;

  static std::size_t at(Row row) { return static_cast<std::size_t>(row); }

  float weight(Row row) const { return static_cast<float>(samples_.weight[at(row)]); }

  Largest largest_lanes() const {
    const std::size_t width = derivatives_.searched_width(), n = derivatives_.n_searched;
    Largest found;
    for (const Row row : rows_) {
      const float* from = derivatives_.searched + at(row) * width;
      const float own = weight(row);
      for (std::size_t k = 0; k < n; ++k)
        found.gradient = std::max(found.gradient, std::abs(own * from[k]));
      found.hessian = std::max(found.hessian, std::abs(own * from[n]));
    }
    return found;
  }

  Units round_lanes(const Scales& scales, RoundedRows& rounded) const {
    const std::size_t width = derivatives_.searched_width(), n = derivatives_.n_searched;
    Units units;
    for (const Row row : rows_) {
      const float* from = derivatives_.searched + at(row) * width;
      std::int16_t* to = rounded.rows.data() + at(row) * rounded.stride;
      const float own = weight(row);
      for (std::size_t k = 0; k < n; ++k) {
        to[k] = static_cast<std::int16_t>(std::lrintf(own * from[k] * scales.gradient));
        units.gradient += std::abs(std::int32_t{to[k]});
      }
      // A row that is there has a hessian.
      to[n] = static_cast<std::int16_t>(std::max(1L, std::lrintf(own * from[n] * scales.hessian)));
      to[n + 1] = static_cast<std::int16_t>(samples_.count[at(row)]);
      std::fill(to + n + 2, to + rounded.stride, std::int16_t{0});
      units.hessian += to[n];
    }
    return units;
  }

  Largest largest_pairs() const {
    Largest found;
    with_pairs([&](std::span<const Row>, const float* pairs, const double* weights, std::size_t n) {
      Largest some;
      some.gradient = kernels().largest_pair(pairs, weights, n, &some.hessian);
      found.join(some);
    });
    return found;
  }

  Units round_pairs(const Scales& scales, std::int16_t* out) const {
    Units units;
    with_pairs([&](std::span<const Row> gathered, const float* pairs, const double* weights,
                   std::size_t n) {
      std::int16_t own[2 * kGathered];
      std::int16_t* const to = gathered.empty() ? out + at(rows_[0]) * 2 : own;
      const PairUnits some =
          kernels().round_pairs(pairs, weights, n, scales.gradient, scales.hessian, to);
      units.gradient += some.gradient;
      units.hessian += some.hessian;
      for (std::size_t i = 0; i < gathered.size(); ++i)
        std::memcpy(out + at(gathered[i]) * 2, own + 2 * i, 2 * sizeof *own);
    });
    return units;
  }

  // Calls body(rows that were gathered, their derivatives, their weights or null if all are 1, how
  // many), with no rows if they follow each other and nothing was gathered.
  template <class Body>
  void with_pairs(const Body& body) const {
    const double* const weights = samples_.unit_weights ? nullptr : samples_.weight.data();
    const std::size_t first = at(rows_[0]);
    if (at(rows_.back()) - first + 1 == rows_.size())
      return body({}, derivatives_.searched + first * 2,
                  weights == nullptr ? nullptr : weights + first, rows_.size());
    float pairs[2 * kGathered];
    double own[kGathered];
    for (std::size_t begin = 0; begin < rows_.size(); begin += kGathered) {
      const auto some = rows_.subspan(begin, std::min(kGathered, rows_.size() - begin));
      for (std::size_t i = 0; i < some.size(); ++i)
        std::memcpy(pairs + 2 * i, derivatives_.searched + at(some[i]) * 2, 2 * sizeof *pairs);
      if (weights != nullptr)
        for (std::size_t i = 0; i < some.size(); ++i) own[i] = weights[at(some[i])];
      body(some, pairs, weights == nullptr ? nullptr : own, some.size());
    }
  }

  const Derivatives& derivatives_;
  const RowSamples& samples_;
  const std::span<const Row> rows_;  // at least one
};

}  // namespace

std::shared_ptr<RoundedRows> round_rows(const Derivatives& derivatives, double l2,
                                        bool needs_counts, const RowSamples& samples,
                                        std::span<const Row> rows, const BlockLoop& loop,
                                        RoundedRows* former) {
  const std::size_t n_gradients = derivatives.n_searched;
  const bool pairs = n_gradients == 1 && !needs_counts;
  auto rounded = std::make_shared<RoundedRows>();
  rounded->lanes = rounded->stride = pairs ? 2 : GradientFinder::lanes_for(n_gradients);
  std::mutex joining;  // of what all blocks have together: maxima, and sums of whole numbers
  Largest largest;
  for_row_blocks(loop, rows.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    const Largest found =
        RowBlock(derivatives, samples, rows.subspan(begin, end - begin)).largest(pairs);
    const std::lock_guard lock(joining);
    largest.join(found);
  });
  const Scales scales{GradientFinder::scale_for(largest.gradient),
                      GradientFinder::scale_for(largest.hessian)};
  if (largest.count > GradientFinder::kLargest || !scales.are_in_range()) return nullptr;
  rounded->unit_counts = largest.count == 1;
  if (former != nullptr) rounded->rows = std::move(former->rows);
  rounded->rows.resize(samples.count.size() * rounded->stride);
  Units units;
  for_row_blocks(loop, rows.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    const Units found =
        RowBlock(derivatives, samples, rows.subspan(begin, end - begin)).round(scales, *rounded);
    const std::lock_guard lock(joining);
    units.gradient += found.gradient;
    units.hessian += found.hessian;
  });
  const double fewest = kFewestUnits * static_cast<double>(rows.size());
  if (static_cast<double>(units.gradient) < fewest * static_cast<double>(n_gradients) ||
      static_cast<double>(units.hessian) < fewest)
    return nullptr;
  const auto gradient = static_cast<double>(scales.gradient);
  const auto hessian = static_cast<double>(scales.hessian);
  rounded->rules.n_gradients = n_gradients;
  rounded->rules.l2 = l2 * hessian;
  rounded->rules.score_unit = hessian / gradient / gradient;
  return rounded;
}

}  // namespace mf::train
