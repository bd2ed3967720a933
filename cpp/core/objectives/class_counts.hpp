// Weighted class counts on both sides of a moving split; the common part of Gini and entropy.
#pragma once

#include <algorithm>
#include <vector>

#include "data/samples.hpp"

namespace mf::train {

class ClassCounts {
 public:
  static constexpr bool kAdditive = true;  // a bin of rows can be moved at once

  explicit ClassCounts(const Target& target) : n_outputs_(target.n_outputs) {
    offsets_.push_back(0);
    for (const int k : target.n_classes)
      offsets_.push_back(offsets_.back() + static_cast<std::size_t>(k));
  }

  // In every output all weight is in one class.
  bool pure() const {
    for (std::size_t o = 0; o < n_outputs_; ++o) {
      int present = 0;
      for (std::size_t k = offsets_[o]; k < offsets_[o + 1]; ++k)
        present += total_[k] > 0.0 ? 1 : 0;
      if (present > 1) return false;
    }
    return true;
  }

  double scale() const { return node_->total_weight; }
  double left_weight() const { return left_weight_; }

  std::size_t bin_size() const { return offsets_.back(); }
  void add_to_bin(double* bin, std::size_t i) const {
    for (std::size_t o = 0; o < n_outputs_; ++o) bin[slot(i, o)] += node_->weight[i];
  }

 protected:
  std::size_t slot(std::size_t i, std::size_t output) const {
    return offsets_[output] + static_cast<std::size_t>(node_->labels[i * n_outputs_ + output]);
  }
  void count(const NodeSample& node) {
    node_ = &node;
    node.unpack();
    total_.assign(offsets_.back(), 0.0);
    for (std::size_t i = 0; i < node.size(); ++i) add_to_bin(total_.data(), i);
  }
  void reset_counts() {
    left_.assign(total_.size(), 0.0);
    right_ = total_;
    left_weight_ = 0.0;
    right_weight_ = node_->total_weight;
  }

  std::size_t n_outputs_;
  std::vector<std::size_t> offsets_;  // first class of each output
  const NodeSample* node_ = nullptr;
  std::vector<double> total_, left_, right_;
  double left_weight_ = 0.0, right_weight_ = 0.0;
};

}  // namespace mf::train
