// Squared error: I = variance of the responses, averaged over outputs.
//
// The gain is largest where sum_L^2 / W_L + sum_R^2 / W_R is. Responses are centred on the node's
// mean first, which leaves the gain as it is and saves digits.
#pragma once

#include <utility>
#include <vector>

#include "data/samples.hpp"

namespace mf::train {

class SquaredError {
 public:
  static constexpr bool kAdditive = true;

  // The squares of the outputs are added with signs, if there are any, and divided.
  SquaredError(std::size_t n_outputs, double divisor, std::vector<double> signs)
      : n_outputs_(n_outputs), divisor_(divisor), signs_(std::move(signs)) {}

  void start(const NodeSample& node) {
    node_ = &node;
    const std::size_t m = node.size();
    std::vector<double> mean(n_outputs_, 0.0);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t o = 0; o < n_outputs_; ++o)
        mean[o] += node.weight[i] * node.values[i * n_outputs_ + o];
    for (double& x : mean) x /= node.total_weight;
    weighted_.resize(m * n_outputs_);
    total_.assign(n_outputs_, 0.0);
    pure_ = true;
    squares_ = 0.0;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t o = 0; o < n_outputs_; ++o) {
        const double value = node.values[i * n_outputs_ + o];
        weighted_[i * n_outputs_ + o] = node.weight[i] * (value - mean[o]);
        total_[o] += weighted_[i * n_outputs_ + o];
        squares_ += weighted_[i * n_outputs_ + o] * (value - mean[o]) / divisor_;
        if (value != node.values[o]) pure_ = false;
      }
  }

  bool pure() const { return pure_; }
  double scale() const { return squares_; }
  double loss() const {
    if (signs_.empty()) return squares_;
    double loss = 0.0;
    for (std::size_t i = 0; i < node_->size(); ++i)
      for (std::size_t o = 0; o < n_outputs_; ++o) {
        const double weighted = weighted_[i * n_outputs_ + o];
        loss += signs_[o] * weighted * weighted / node_->weight[i];
      }
    return loss / divisor_;
  }
  double left_weight() const { return left_weight_; }

  void reset() {
    left_.assign(n_outputs_, 0.0);
    right_ = total_;
    left_weight_ = 0.0;
    right_weight_ = node_->total_weight;
  }

  void move_left(std::size_t i) { move(node_->weight[i], &weighted_[i * n_outputs_]); }

  std::size_t bin_size() const { return n_outputs_ + 1; }
  void add_to_bin(double* bin, std::size_t i) const {
    bin[0] += node_->weight[i];
    for (std::size_t o = 0; o < n_outputs_; ++o) bin[1 + o] += weighted_[i * n_outputs_ + o];
  }
  void move_bin_left(const double* bin) { move(bin[0], bin + 1); }

  double score() const { return score_of(left_, left_weight_) + score_of(right_, right_weight_); }
  double node_score() const { return score_of(total_, node_->total_weight); }
  bool perfect(double) const { return false; }

 private:
  void move(double w, const double* sums) {
    left_weight_ += w;
    right_weight_ -= w;
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      left_[o] += sums[o];
      right_[o] -= sums[o];
    }
  }
  double score_of(const std::vector<double>& sums, double weight) const {
    double score = 0.0;
    if (signs_.empty())
      for (const double s : sums) score += s * s;
    else
      for (std::size_t o = 0; o < n_outputs_; ++o) score += signs_[o] * sums[o] * sums[o];
    return score / (weight * divisor_);
  }

  std::size_t n_outputs_;
  double divisor_;
  std::vector<double> signs_;
  const NodeSample* node_ = nullptr;
  std::vector<double> weighted_;  // weight times centred response
  std::vector<double> total_, left_, right_;
  double left_weight_ = 0.0, right_weight_ = 0.0;
  double squares_ = 0.0;  // weighted, of the centred responses
  bool pure_ = false;
};

}  // namespace mf::train
