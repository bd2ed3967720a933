// The second-order score of boosting (algorithms of gradient boosted trees: Friedman 2001; Chen and
// Guestrin 2016): sum_k G_k^2 / (H + l2) of both sides, with G the sums of the gradients and H that
// of all hessians. A moved row costs one addition per gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "data/samples.hpp"
#include "data/target.hpp"

namespace mf::train {

class SecondOrder {
 public:
  static constexpr bool kAdditive = true;

  SecondOrder(const Derivatives& derivatives, double l2)
      : derivatives_(&derivatives), n_gradients_(derivatives.n_searched), l2_(l2) {}

  void start(const NodeSample& node) {
    node_ = &node;
    const std::size_t width = n_gradients_ + 1, m = node.rows.size();
    rows_.resize(m * width);
    total_.assign(width, 0.0);
    std::vector<double> sizes(width, 0.0);
    bool equal = true;
    for (std::size_t i = 0; i < m; ++i) {
      const float* from = derivatives_->searched + static_cast<std::size_t>(node.rows[i]) * width;
      for (std::size_t k = 0; k < width; ++k) {
        const double value = node.weight[i] * static_cast<double>(from[k]);
        rows_[i * width + k] = value;
        total_[k] += value;
        sizes[k] += std::abs(value);
        equal = equal && value == rows_[k];
      }
    }
    double squares = 0.0;
    for (std::size_t k = 0; k < n_gradients_; ++k) squares += sizes[k] * sizes[k];
    const double divisor = total_[n_gradients_] + l2_;
    scale_ = divisor > 0.0 ? squares / divisor : 0.0;
    pure_ = equal || squares == 0.0;
  }

  bool pure() const { return pure_; }
  double scale() const { return scale_; }
  double loss() const { return -node_score(); }
  double left_weight() const { return left_weight_; }

  void reset() {
    left_.assign(n_gradients_ + 1, 0.0);
    left_weight_ = 0.0;
  }

  void move_left(std::size_t i) {
    left_weight_ += node_->weight[i];
    add(&rows_[i * (n_gradients_ + 1)]);
  }

  std::size_t bin_size() const { return n_gradients_ + 2; }
  void add_to_bin(double* bin, std::size_t i) const {
    const double* row = &rows_[i * (n_gradients_ + 1)];
    for (std::size_t k = 0; k <= n_gradients_; ++k) bin[k] += row[k];
    bin[n_gradients_ + 1] += node_->weight[i];
  }
  void move_bin_left(const double* bin) {
    left_weight_ += bin[n_gradients_ + 1];
    add(bin);
  }

  double score() const {
    const double left = left_[n_gradients_] + l2_;
    const double right = total_[n_gradients_] - left_[n_gradients_] + l2_;
    if (!(left > 0.0) || !(right > 0.0)) return -std::numeric_limits<double>::infinity();
    double left_squares = 0.0, right_squares = 0.0;
    for (std::size_t k = 0; k < n_gradients_; ++k) {
      const double rest = total_[k] - left_[k];
      left_squares += left_[k] * left_[k];
      right_squares += rest * rest;
    }
    return left_squares / left + right_squares / right;
  }
  double node_score() const {
    double squares = 0.0;
    for (std::size_t k = 0; k < n_gradients_; ++k) squares += total_[k] * total_[k];
    const double divisor = total_[n_gradients_] + l2_;
    return divisor > 0.0 ? squares / divisor : 0.0;
  }
  bool perfect(double) const { return false; }

 private:
  void add(const double* row) {
    for (std::size_t k = 0; k <= n_gradients_; ++k) left_[k] += row[k];
  }

  const Derivatives* derivatives_;
  std::size_t n_gradients_;
  double l2_;
  const NodeSample* node_ = nullptr;
  std::vector<double> rows_;          // gradients and the hessian of each row
  std::vector<double> total_, left_;  // gradients, hessian
  double left_weight_ = 0.0;
  double scale_ = 0.0;
  bool pure_ = false;
};

}  // namespace mf::train
