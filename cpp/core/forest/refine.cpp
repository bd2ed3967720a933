#include "forest/refine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/rng.hpp"
#include "base/softmax.hpp"

namespace mf::train {
namespace {

// Rows in the order of a pass. A row whose weight w, in units of the mean weight, is above 1 is
// visited ceil(w) times, each time with the same part of its weight: no step is larger than those
// of rows of weight 1. Together there are at most two visits for each row.
struct Visits {
  std::vector<std::int32_t> rows;
  std::vector<double> weight;  // of each visit of a row
};

Visits visits_of(std::span<const double> weight) {
  double sum = 0.0;
  std::size_t n_present = 0;
  for (const double w : weight) {
    sum += w;
    n_present += w > 0.0 ? 1 : 0;
  }
  const double mean = sum / static_cast<double>(n_present);
  Visits visits;
  visits.weight.resize(weight.size());
  for (std::size_t i = 0; i < weight.size(); ++i) {
    if (!(weight[i] > 0.0)) continue;
    const double share = weight[i] / mean, n = std::ceil(share);
    visits.weight[i] = share / n;
    visits.rows.insert(visits.rows.end(), static_cast<std::size_t>(n),
                       static_cast<std::int32_t>(i));
  }
  return visits;
}

class Refiner {
 public:
  Refiner(const RefineInputs& inputs, const RefineOptions& options)
      : inputs_(inputs),
        options_(options),
        n_trees_(inputs.n_trees()),
        width_(std::accumulate(inputs.n_classes.begin(), inputs.n_classes.end(), std::size_t{0})),
        values_(inputs.left.size() * width_, 0.0),
        scores_(width_),
        leaves_(n_trees_) {}

  std::vector<double> run(const InterruptFunction& check_interrupt) {
    InterruptCheck interrupts(check_interrupt);
    gather_leaves(interrupts);
    Visits visits = visits_of(inputs_.weight);
    const double total =
        static_cast<double>(visits.rows.size()) * static_cast<double>(options_.n_passes);
    Rng rng(combine_seeds(options_.seed, static_cast<std::uint64_t>(Stream::refinement)));
    double done = 0.0;
    for (int pass = 0; pass < options_.n_passes; ++pass) {
      shuffle(rng, visits.rows);
      for (const std::int32_t row : visits.rows) {
        const auto i = static_cast<std::size_t>(row);
        visit(i, options_.step * (1.0 - done / total) * visits.weight[i]);
        done += 1.0;
        interrupts.poll_after(n_trees_ * (1 + width_ / 16));
      }
    }
    round_values();
    fill_inner_nodes();
    return std::move(values_);
  }

 private:
  // The leaves of a row side by side.
  void gather_leaves(InterruptCheck& interrupts) {
    constexpr std::size_t kRows = 4096;  // whose leaves stay in the cache
    const std::size_t n_rows = inputs_.n_rows();
    leaves_of_rows_.resize(n_rows * n_trees_);
    for (std::size_t begin = 0; begin < n_rows; begin += kRows) {
      const std::size_t end = std::min(n_rows, begin + kRows);
      for (std::size_t t = 0; t < n_trees_; ++t)
        for (std::size_t i = begin; i < end; ++i)
          leaves_of_rows_[i * n_trees_ + t] = inputs_.leaf_of_row[t * n_rows + i];
      interrupts.poll();
    }
  }

  void visit(std::size_t row, double step) {
    std::fill(scores_.begin(), scores_.end(), 0.0);
    for (std::size_t t = 0; t < n_trees_; ++t) {
      const auto node =
          static_cast<std::size_t>(inputs_.tree_offsets[t] + leaves_of_rows_[row * n_trees_ + t]);
      leaves_[t] = &values_[node * width_];
      for (std::size_t k = 0; k < width_; ++k) scores_[k] += leaves_[t][k];
    }
    gradient(row);
    // Every leaf takes an equal part of the step.
    const double part = step / static_cast<double>(n_trees_);
    for (double& score : scores_) score *= part;
    const double kept = 1.0 - step * options_.l2;
    for (double* leaf : leaves_)
      for (std::size_t k = 0; k < width_; ++k) leaf[k] = leaf[k] * kept + scores_[k];
  }

  // From scores to minus the gradient of the loss by them.
  void gradient(std::size_t row) {
    const std::size_t n_outputs = inputs_.n_classes.size();
    double* score = scores_.data();
    for (std::size_t o = 0; o < n_outputs; ++o) {
      const auto n = static_cast<std::size_t>(inputs_.n_classes[o]);
      softmax(score, n);
      for (std::size_t k = 0; k < n; ++k) score[k] = -score[k];
      score[inputs_.labels[row * n_outputs + o]] += 1.0;
      score += n;
    }
  }

  void round_values() {
    for (double& value : values_) value = static_cast<double>(static_cast<float>(value));
  }

  // Children have larger numbers than their parents.
  void fill_inner_nodes() {
    for (std::size_t t = 0; t < n_trees_; ++t) {
      const auto root = static_cast<std::size_t>(inputs_.tree_offsets[t]);
      for (auto node = static_cast<std::size_t>(inputs_.tree_offsets[t + 1]); node-- > root;) {
        if (inputs_.left[node] == 0) continue;
        const std::size_t left = root + static_cast<std::size_t>(inputs_.left[node]);
        fill_from_children(node, left);
      }
    }
  }

  void fill_from_children(std::size_t node, std::size_t left) {
    const double a = inputs_.node_weight[left], b = inputs_.node_weight[left + 1];
    const double share = a + b > 0.0 ? a / (a + b) : 0.5;
    for (std::size_t k = 0; k < width_; ++k) {
      const double mean =
          share * values_[left * width_ + k] + (1.0 - share) * values_[(left + 1) * width_ + k];
      values_[node * width_ + k] = static_cast<double>(static_cast<float>(mean));
    }
  }

  const RefineInputs inputs_;
  const RefineOptions options_;
  const std::size_t n_trees_, width_;
  std::vector<double> values_;                // nodes × width
  std::vector<std::int32_t> leaves_of_rows_;  // rows × trees
  std::vector<double> scores_;                // of the row that is visited, then its gradient
  std::vector<double*> leaves_;               // values of the leaves of that row
};

}  // namespace

std::vector<double> refine(const RefineInputs& inputs, const RefineOptions& options,
                           const InterruptFunction& check_interrupt) {
  return Refiner(inputs, options).run(check_interrupt);
}

}  // namespace mf::train
