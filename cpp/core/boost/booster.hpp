// Boosting: one tree per round, for all scores, grown on the derivatives of a loss.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/huge_pages.hpp"
#include "boost/loss.hpp"
#include "train/trainer.hpp"

namespace mf::boost {

struct BoostOptions {
  std::shared_ptr<const Loss> loss;
  double learning_rate = 0.1;
  double l2 = 1.0;
  // Of each round: rows, candidates, limits of a tree, seed; first_tree is the number of trees that
  // are there already.
  train::GrowOptions grow;
};

// Mean losses of the rows that are learned, and of those that are held out.
struct MeanLosses {
  double training = 0.0;
  double validation = 0.0;  // NaN if no row is held out
};

class Booster {
 public:
  // `weights.row_weight` are those of the rows that are learned, 0 for all others;
  // `held_out_weight` those of rows that are only measured. The trainer and all arrays must outlive
  // the booster. `sums` are the sums of the values of trees that are there already, n × n_scores.
  Booster(train::Trainer& trainer, const Target& target, const train::RowWeights& weights,
          const RowNumbers<double>& held_out_weight, std::vector<double> start,
          std::span<const double> sums, const BoostOptions& options);

  Booster(const Booster&) = delete;  // the target of a round points into it
  Booster& operator=(const Booster&) = delete;

  std::size_t n_scores() const { return derivatives_.n_scores; }
  const MeanLosses& losses() const { return losses_; }

  // Grows one tree and adds its values to the scores of all rows. If it throws, the booster must
  // not be used again.
  void grow_tree(const train::Progress& progress);

  // Takes out the first trees that were grown.
  std::vector<train::FinishedTree> take_trees(std::size_t n);

 private:
  // Losses and derivatives of all rows at the scores that they have when `add` has been called for
  // the rows.
  void evaluate(const BlockLoop& loop,
                const std::function<void(std::size_t begin, std::size_t end)>& add);
  // Returns sums of losses.
  MeanLosses evaluate_chunk(std::size_t begin, std::size_t end);
  void fill_searched(std::size_t begin, std::size_t end);
  void draw_combinations();
  // Adds the values of a tree to the scores, and evaluates.
  void add_values(const train::FinishedTree& tree, const BlockLoop& loop);
  std::size_t n_chunks() const;

  train::Trainer& trainer_;
  const Target target_;  // labels or numbers
  const train::RowWeights weights_;
  const RowNumbers<double> held_out_weight_;
  const std::vector<double> start_;
  BoostOptions options_;
  double training_weight_ = 0.0, validation_weight_ = 0.0;

  // A score is the start plus the sum over trees, added up in their order, as in prediction.
  UnwrittenVector<double> sums_;     // n × n_scores
  UnwrittenVector<float> rows_;      // n × (n_scores + n_hessians)
  std::vector<float> searched_;      // n × (n_searched + 1), empty if these are rows_
  std::vector<float> combinations_;  // n_scores × n_searched, or empty
  std::vector<double> residuals_;    // n × n_scores: for medians, and for samplers that read them
  Derivatives derivatives_;
  Target round_target_;
  MeanLosses losses_;
  std::vector<train::FinishedTree> trees_;
};

}  // namespace mf::boost
