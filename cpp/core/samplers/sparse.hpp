// Sparse random projections: Forest-RC, RerF and SPORF. All take factors of their weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "samplers/sampler.hpp"

namespace mf {

// Factors of the weights, one per feature, or none at all: weights relative to the spread of each
// column make a sum the same whatever units its columns have.
class FeatureFactors {
 public:
  FeatureFactors() = default;
  explicit FeatureFactors(std::vector<float> factors) : factors_(std::move(factors)) {}

  // Closes the atom whose features and weights have been pushed. A single nonzero gets weight +1:
  // neither its sign nor its size can matter to a split.
  void close_column(AtomList& out) const {
    const std::size_t first = out.int_offsets.back(), n_nonzeros = out.ints.size() - first;
    if (n_nonzeros == 1) {
      out.weights.back() = 1.0F;
    } else if (!factors_.empty()) {
      float* weights = out.weights.data() + out.weight_offsets.back();
      for (std::size_t i = 0; i < n_nonzeros; ++i)
        weights[i] *= factors_[static_cast<std::size_t>(out.ints[first + i])];
    }
    out.close(AtomKind::sparse);
  }

 private:
  std::vector<float> factors_;  // positive; empty: weights stay as they are
};

// Forest-RC: each candidate has L distinct coordinates with weights uniform on [-1, 1] [RERF
// section 2].
class ForestRcSampler final : public Sampler {
 public:
  ForestRcSampler(int n_features, int n_nonzeros, FeatureFactors factors)
      : n_features_(n_features), n_nonzeros_(n_nonzeros), factors_(std::move(factors)) {}

  void check(const Geometry& geometry) const override {
    require_features(n_features_, geometry);
    require(n_nonzeros_ >= 1, "n_nonzeros must be at least 1, got " + std::to_string(n_nonzeros_));
  }

  void draw(DrawContext& context, AtomList& out) const override {
    const auto p = static_cast<std::uint64_t>(n_features_);
    const auto nonzeros = std::min(p, static_cast<std::uint64_t>(n_nonzeros_));
    for (int c = 0; c < context.n_candidates; ++c) {
      context.distinct.draw(context.rng, p, nonzeros, context.cells, context.check_stop);
      std::sort(context.cells.begin(), context.cells.end());
      for (const std::uint64_t feature : context.cells) {
        out.ints.push_back(static_cast<std::int32_t>(feature));
        out.weights.push_back(static_cast<float>(2.0 * context.rng.uniform() - 1.0));
      }
      factors_.close_column(out);
    }
  }

 private:
  int n_features_, n_nonzeros_;
  FeatureFactors factors_;
};

// Nonzeros thrown on the p × d grid without replacement, each +1 or -1 with probability 1/2; empty
// columns are dropped. Only the nonzeros are ever touched.
class SparseGrid {
 public:
  // Keeps at most max_columns non-empty columns, the first ones.
  static void draw(DrawContext& context, int n_features, std::uint64_t n_columns,
                   std::uint64_t n_nonzeros, int max_columns, const FeatureFactors& factors,
                   AtomList& out) {
    const auto p = static_cast<std::uint64_t>(n_features);
    const std::uint64_t n_cells = p * n_columns;
    context.distinct.draw(context.rng, n_cells, std::min(n_nonzeros, n_cells), context.cells,
                          context.check_stop);
    // Cell = column * p + feature: sorting groups the columns and orders their features.
    sort_distinct(context.cells.begin(), context.cells.end(), context.check_stop);
    int kept = 0;
    for (std::size_t i = 0; i < context.cells.size() && kept < max_columns; ++kept) {
      context.check_stop();
      const std::uint64_t column = context.cells[i] / p;
      for (; i < context.cells.size() && context.cells[i] / p == column; ++i) {
        out.ints.push_back(static_cast<std::int32_t>(context.cells[i] % p));
        out.weights.push_back(context.rng.coin() ? 1.0F : -1.0F);
      }
      factors.close_column(out);
    }
  }
};

// RerF: "paper" throws d nonzeros on p × d [RERF section 3]; "2016" is what the authors ran: a
// wider grid makes up for the 1/e of columns that stay empty.
class RerfSampler final : public Sampler {
 public:
  RerfSampler(int n_features, bool compensate, FeatureFactors factors)
      : n_features_(n_features), compensate_(compensate), factors_(std::move(factors)) {}

  void check(const Geometry& geometry) const override { require_features(n_features_, geometry); }

  void draw(DrawContext& context, AtomList& out) const override {
    const int d = context.n_candidates;
    const auto columns = static_cast<std::uint64_t>(
        compensate_ ? std::llround(d / (1.0 - std::exp(-1.0))) : std::int64_t{d});
    SparseGrid::draw(context, n_features_, columns, columns, d, factors_, out);
  }

 private:
  int n_features_;
  bool compensate_;
  FeatureFactors factors_;
};

// SPORF with a fixed number of nonzeros, max(1, round(rate * d)).
class SporfSampler final : public Sampler {
 public:
  SporfSampler(int n_features, double rate, FeatureFactors factors)
      : n_features_(n_features), rate_(rate), factors_(std::move(factors)) {}

  void check(const Geometry& geometry) const override { require_features(n_features_, geometry); }

  void draw(DrawContext& context, AtomList& out) const override {
    const int d = context.n_candidates;
    // No more than there are cells: a larger double may not fit an integer.
    const double cells = static_cast<double>(n_features_) * d;
    const auto nonzeros = static_cast<std::uint64_t>(std::clamp(std::round(rate_ * d), 1.0, cells));
    SparseGrid::draw(context, n_features_, static_cast<std::uint64_t>(d), nonzeros, d, factors_,
                     out);
  }

 private:
  int n_features_;
  double rate_;
  FeatureFactors factors_;
};

// SPORF with Poisson many nonzeros per candidate, at most p; all are redrawn if every one is empty
// [MORF section 2.3]. If redrawing would take too long, one candidate gets one nonzero, which is
// the limit for small rates. A rate far above p fills every candidate.
class SporfPoissonSampler final : public Sampler {
 public:
  SporfPoissonSampler(int n_features, double rate, FeatureFactors factors)
      : n_features_(n_features),
        rate_(std::min(rate, 2.0 * n_features + 30.0)),
        factors_(std::move(factors)) {}

  void check(const Geometry& geometry) const override { require_features(n_features_, geometry); }

  void draw(DrawContext& context, AtomList& out) const override {
    const std::size_t before = out.size();
    for (int attempt = 0; attempt < kRedraws && out.size() == before; ++attempt)
      for (int c = 0; c < context.n_candidates; ++c) draw_column(context, out);
    if (out.size() == before) out.push_axis(context.rng.between(0, n_features_ - 1));
  }

 private:
  static constexpr int kRedraws = 100;

  void draw_column(DrawContext& context, AtomList& out) const {
    context.check_stop();
    const int nonzeros = std::min(n_features_, context.rng.poisson(rate_));
    if (nonzeros == 0) return;
    context.distinct.draw(context.rng, static_cast<std::uint64_t>(n_features_),
                          static_cast<std::uint64_t>(nonzeros), context.cells);
    std::sort(context.cells.begin(), context.cells.end());
    for (const std::uint64_t feature : context.cells) {
      out.ints.push_back(static_cast<std::int32_t>(feature));
      out.weights.push_back(context.rng.coin() ? 1.0F : -1.0F);
    }
    factors_.close_column(out);
  }

  int n_features_;
  double rate_;
  FeatureFactors factors_;
};

}  // namespace mf
