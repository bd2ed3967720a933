// The top principal components of the node's own data.
#pragma once

#include <algorithm>
#include <cmath>

#include "samplers/mean_difference.hpp"

namespace mf {

// Orthogonal iteration on the node's weighted covariance, never formed: one step multiplies
// all directions by the centred data twice, O(rows · features · components). Missing values count
// as the feature's mean. Large nodes are represented by max_rows of their rows, drawn at random.
class PrincipalAxesSampler final : public Sampler {
 public:
  // n_components 0: as many as there are candidates.
  PrincipalAxesSampler(int n_features, int n_components, int max_rows)
      : n_features_(static_cast<std::size_t>(n_features)),
        n_components_(n_components),
        max_rows_(static_cast<std::size_t>(max_rows)) {}

  void check(const Geometry& geometry) const override {
    require_features(static_cast<std::int64_t>(n_features_), geometry);
  }

  bool reads_node() const override { return true; }

  void draw(DrawContext& context, AtomList& out) const override {
    if (context.node == nullptr || context.attempt > 0) return;
    std::vector<double> data;
    const std::size_t rows = centred_rows(context, data);
    if (rows < 2) return;
    const std::size_t wanted = n_components_ > 0 ? static_cast<std::size_t>(n_components_)
                                                 : static_cast<std::size_t>(context.n_candidates);
    const std::size_t kept = std::min({wanted, n_features_, rows - 1});
    const std::size_t n_directions = std::min({kept + kOversample, n_features_, rows - 1});
    std::vector<double> q(n_directions * n_features_);
    for (std::size_t k = 0; k < n_directions; ++k) {
      context.check_stop();
      for (std::size_t j = 0; j < n_features_; ++j) q[k * n_features_ + j] = context.rng.normal();
    }
    const std::size_t n_independent = iterate(data, rows, n_directions, q, context.check_stop);
    for (std::size_t k = 0; k < std::min(kept, n_independent); ++k) {
      std::vector<double> axis(q.begin() + static_cast<std::ptrdiff_t>(k * n_features_),
                               q.begin() + static_cast<std::ptrdiff_t>((k + 1) * n_features_));
      // The sign is free; the largest entry is made positive.
      const auto largest = std::max_element(
          axis.begin(), axis.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
      if (*largest < 0.0)
        for (double& x : axis) x = -x;
      push_dense(axis, out);
    }
  }

 private:
  static constexpr std::size_t kOversample = 4;
  static constexpr int kMaxSteps = 60;
  static constexpr double kTolerance = 1e-6;

  // Centred rows times sqrt(weight); returns how many.
  std::size_t centred_rows(DrawContext& context, std::vector<double>& data) const {
    const NodeData& node = *context.node;
    std::vector<std::uint64_t> chosen(node.rows.size());
    if (node.rows.size() > max_rows_) {
      context.distinct.draw(context.rng, node.rows.size(), max_rows_, chosen);
      std::sort(chosen.begin(), chosen.end());
    } else {
      for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i;
    }
    const std::size_t rows = chosen.size(), p = n_features_;
    data.resize(rows * p);
    std::vector<float> example(p);
    std::vector<double> mean(p, 0.0), seen(p, 0.0);
    for (std::size_t i = 0; i < rows; ++i) {
      context.check_stop();
      node.read_row(node.rows[chosen[i]], example.data());
      const double w = node.sample->weight[chosen[i]];
      for (std::size_t j = 0; j < p; ++j) {
        data[i * p + j] = static_cast<double>(example[j]);
        if (std::isnan(example[j])) continue;
        mean[j] += w * static_cast<double>(example[j]);
        seen[j] += w;
      }
    }
    for (std::size_t j = 0; j < p; ++j) mean[j] = seen[j] > 0.0 ? mean[j] / seen[j] : 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      const double root = std::sqrt(node.sample->weight[chosen[i]]);
      for (std::size_t j = 0; j < p; ++j) {
        double& x = data[i * p + j];
        x = std::isnan(x) ? 0.0 : root * (x - mean[j]);
      }
    }
    return rows;
  }

  // Adds (x · q_k) x to each next_k.
  static void add_products(const double* x, const double* q, std::size_t count, std::size_t p,
                           double* next) {
    for (std::size_t k = 0; k < count; ++k) {
      double dot = 0.0;
      for (std::size_t j = 0; j < p; ++j) dot += x[j] * q[k * p + j];
      if (dot == 0.0) continue;
      for (std::size_t j = 0; j < p; ++j) next[k * p + j] += dot * x[j];
    }
  }

  // Subtracts from v its projections on the first `count` directions of q.
  static void remove_directions(const double* q, std::size_t count, std::size_t p, double* v) {
    for (std::size_t b = 0; b < count; ++b) {
      double dot = 0.0;
      for (std::size_t j = 0; j < p; ++j) dot += v[j] * q[b * p + j];
      for (std::size_t j = 0; j < p; ++j) v[j] -= dot * q[b * p + j];
    }
  }

  // q holds n_directions directions of length p; returns how many have positive variance, ordered
  // by it.
  std::size_t iterate(const std::vector<double>& data, std::size_t rows, std::size_t n_directions,
                      std::vector<double>& q, const StopCheck& check_stop) const {
    const std::size_t p = n_features_;
    std::vector<double> next(q.size()), scores(n_directions);
    std::vector<double> before;
    std::size_t n_independent = orthonormalise(q, n_directions, scores, check_stop);
    for (int step = 0; step < kMaxSteps; ++step) {
      std::fill(next.begin(), next.end(), 0.0);
      for (std::size_t i = 0; i < rows; ++i) {
        check_stop();
        add_products(&data[i * p], q.data(), n_independent, p, next.data());
      }
      q.swap(next);
      n_independent = orthonormalise(q, n_independent, scores, check_stop);
      bool converged = before.size() == n_independent;
      for (std::size_t k = 0; converged && k < n_independent; ++k)
        converged = std::abs(scores[k] - before[k]) <= kTolerance * kTolerance * scores[0];
      if (converged) break;
      before.assign(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(n_independent));
    }
    return n_independent;
  }

  // Gram-Schmidt in order; scores are the lengths left over, directions without length are dropped.
  std::size_t orthonormalise(std::vector<double>& q, std::size_t count, std::vector<double>& scores,
                             const StopCheck& check_stop) const {
    const std::size_t p = n_features_;
    double largest = 0.0;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < count; ++k) {
      check_stop();
      double* v = &q[kept * p];
      if (kept != k) std::copy(&q[k * p], &q[k * p] + p, v);
      for (int pass = 0; pass < 2; ++pass) remove_directions(q.data(), kept, p, v);
      double norm = 0.0;
      for (std::size_t j = 0; j < p; ++j) norm += v[j] * v[j];
      norm = std::sqrt(norm);
      largest = std::max(largest, norm);
      if (norm <= 1e-12 * largest || norm == 0.0) continue;
      for (std::size_t j = 0; j < p; ++j) v[j] /= norm;
      scores[kept++] = norm;
    }
    return kept;
  }

  std::size_t n_features_;
  int n_components_;
  std::size_t max_rows_;
};

}  // namespace mf
