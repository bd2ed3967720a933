// Gini impurity: I = sum_k p_k (1 - p_k), averaged over outputs.
//
// W I(S) - W_L I(S_L) - W_R I(S_R) is largest where Q = sum_k L_k^2 / W_L + sum_k R_k^2 / W_R is,
// and Q is updated in O(1) per row. With whole weights everything here is exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "split/criteria/class_counts.hpp"

namespace mf {

class Gini : public ClassCounts {
 public:
  explicit Gini(const Response& response) : ClassCounts(response) {}

  void start(const NodeSample& node) {
    count(node);
    exact_ = node.total_weight < kLargestExact && std::all_of(
                                                      node.weight.begin(), node.weight.end(),
                                                      [](double w) { return w == std::floor(w); });
    total_squares_.assign(n_outputs_, 0.0);
    for (std::size_t o = 0; o < n_outputs_; ++o)
      for (std::size_t k = offsets_[o]; k < offsets_[o + 1]; ++k)
        total_squares_[o] += total_[k] * total_[k];
  }

  void reset() {
    reset_counts();
    left_squares_.assign(n_outputs_, 0.0);
    right_squares_ = total_squares_;
  }

  void move_left(std::size_t i) {
    const double w = node_->weight[i];
    for (std::size_t o = 0; o < n_outputs_; ++o) move_class(o, slot(i, o), w);
    shift(w);
  }

  void move_bin_left(const double* bin) {
    double w = 0.0;
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      w = 0.0;
      for (std::size_t k = offsets_[o]; k < offsets_[o + 1]; ++k) {
        if (bin[k] == 0.0) continue;
        move_class(o, k, bin[k]);
        w += bin[k];
      }
    }
    shift(w);
  }

  double score() const {
    if (exact_)
      return mean_of(left_squares_) / left_weight_ + mean_of(right_squares_) / right_weight_;
    return squares_of(left_) / left_weight_ + squares_of(right_) / right_weight_;
  }
  double node_score() const { return mean_of(total_squares_) / node_->total_weight; }
  // Both children pure: no other split can be better.
  bool perfect(double score) const { return score >= node_->total_weight; }

 private:
  void move_class(std::size_t o, std::size_t k, double w) {
    left_squares_[o] += w * (2.0 * left_[k] + w);
    left_[k] += w;
    right_squares_[o] -= w * (2.0 * right_[k] - w);
    right_[k] -= w;
  }
  void shift(double w) {
    left_weight_ += w;
    right_weight_ -= w;
  }
  // Both are averages over outputs.
  double mean_of(const std::vector<double>& squares) const {
    if (n_outputs_ == 1) return squares[0];
    double sum = 0.0;
    for (const double s : squares) sum += s;
    return sum / static_cast<double>(n_outputs_);
  }
  double squares_of(const std::vector<double>& counts) const {
    double sum = 0.0;
    for (const double c : counts) sum += c * c;
    return sum / static_cast<double>(n_outputs_);
  }

  static constexpr double kLargestExact = 0x1.0p26;  // squares of sums stay below 2^53

  bool exact_ = true;
  std::vector<double> total_squares_, left_squares_, right_squares_;  // per output
};

}  // namespace mf
