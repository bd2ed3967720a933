#include "boost/booster.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "split/gradient_finder.hpp"

namespace mf::boost {
namespace {

// Rows that are worked on together. Losses are added up within chunks first, so that they do not
// depend on the number of threads.
constexpr std::size_t kChunk = 2048;

// With more scores than the fast search has room for, splits are searched by so many random
// combinations of their gradients: the expected square of a combination is the sum of all squares.
constexpr std::size_t kCombinations = 14;

// Seeds of what is drawn per round by the booster itself.
constexpr std::uint64_t kCombinationStream = 0x626f6f7374ULL;

// The same numbers, as one if they are all the same: every round reads them several times.
template <class T>
RowNumbers<T> as_one(const RowNumbers<T>& numbers, std::size_t n_rows) {
  if (numbers.same_for_all()) return numbers;
  for (std::size_t i = 1; i < n_rows; ++i)
    if (numbers[i] != numbers[0]) return numbers;
  return numbers.first_for_all();
}

train::RowWeights as_one(train::RowWeights weights) {
  weights.draw_weight = as_one(weights.draw_weight, weights.n_rows);
  weights.row_weight = as_one(weights.row_weight, weights.n_rows);
  weights.row_count = as_one(weights.row_count, weights.n_rows);
  return weights;
}

}  // namespace

Booster::Booster(train::Trainer& trainer, const Target& target, const train::RowWeights& weights,
                 const RowNumbers<double>& held_out_weight, std::vector<double> start,
                 std::span<const double> sums, const BoostOptions& options)
    : trainer_(trainer),
      target_(target),
      weights_(as_one(weights)),
      held_out_weight_(held_out_weight),
      start_(std::move(start)),
      options_(options) {
  const Loss& loss = *options_.loss;
  derivatives_.n_scores = loss.n_scores(target_);
  derivatives_.n_hessians = loss.n_hessians(target_);
  derivatives_.factors = loss.factors(target_);
  const bool combines = derivatives_.n_scores > train::GradientFinder::kMaxGradients;
  derivatives_.n_searched = combines ? kCombinations : derivatives_.n_scores;
  if (combines) combinations_.resize(derivatives_.n_scores * kCombinations);
  const std::size_t n = target_.n_rows;
  sums_.resize(n * n_scores());
  rows_.resize(n * derivatives_.width());
  // The derivatives of one score are searched as they are.
  const bool same = !combines && derivatives_.n_scores == 1;
  if (!same) searched_.resize(n * derivatives_.searched_width());
  if (loss.fits_medians() || trainer_.sampler().reads_node()) residuals_.resize(n * n_scores());
  derivatives_.rows = rows_.data();
  derivatives_.searched = same ? rows_.data() : searched_.data();
  round_target_.n_rows = n;
  round_target_.n_outputs = n_scores();
  round_target_.values = residuals_.empty() ? nullptr : residuals_.data();
  round_target_.derivatives = &derivatives_;
  training_weight_ = sum_of(weights_.row_weight, n);
  validation_weight_ = sum_of(held_out_weight_, n);
  options_.grow.n_trees = 1;
  options_.grow.keep_samples = true;
  options_.grow.keep_bags = false;
  options_.grow.objective =
      train::find_objective(loss.fits_medians() ? "second_order_median" : "second_order",
                            {{"l2", options_.l2},
                             {"learning_rate", options_.learning_rate},
                             {"max_step", loss.max_step()}});
  if (n >= train::kMinCodedRows && trainer_.sampler().only_features() &&
      options_.grow.objective->code_search(round_target_, {}, options_.grow.splitter))
    trainer_.search_codes();
  const BlockLoop loop = [&](std::size_t n_blocks, const auto& body) {
    parallel_for(n_blocks, trainer_.n_threads(), body);
  };
  evaluate(loop, [&](std::size_t begin, std::size_t end) {
    begin *= n_scores(), end *= n_scores();
    if (sums.empty())
      std::fill(&sums_[begin], &sums_[end - 1] + 1, 0.0);
    else
      std::copy_n(&sums[begin], end - begin, &sums_[begin]);
  });
}

void Booster::grow_tree(const train::Progress& progress) {
  // The derivatives that it was grown on are then no longer read.
  const auto after_tree = [&](const train::FinishedTree& tree, const BlockLoop& loop) {
    ++options_.grow.first_tree;
    add_values(tree, loop);
  };
  std::vector<train::FinishedTree> grown =
      trainer_.grow(round_target_, weights_, options_.grow, progress, after_tree);
  train::FinishedTree& tree = grown.front();
  tree.forget_leaves();
  trees_.push_back(std::move(tree));
}

std::vector<train::FinishedTree> Booster::take_trees(std::size_t n) {
  trees_.resize(std::min(n, trees_.size()));
  return std::exchange(trees_, {});
}

void Booster::add_values(const train::FinishedTree& tree, const BlockLoop& loop) {
  const std::size_t width = n_scores();
  tree.visit_leaves([&](const auto& leaves) {
    evaluate(loop, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const double* value = &tree.value[static_cast<std::size_t>(leaves[i]) * width];
        for (std::size_t k = 0; k < width; ++k) sums_[i * width + k] += value[k];
      }
    });
  });
}

void Booster::evaluate(const BlockLoop& loop,
                       const std::function<void(std::size_t begin, std::size_t end)>& add) {
  if (!combinations_.empty()) draw_combinations();
  std::vector<MeanLosses> parts(n_chunks());
  loop(n_chunks(), [&](std::size_t chunk) {
    const std::size_t begin = chunk * kChunk, end = std::min(target_.n_rows, begin + kChunk);
    add(begin, end);
    parts[chunk] = evaluate_chunk(begin, end);
    if (!searched_.empty()) fill_searched(begin, end);
  });
  losses_ = {};
  for (const MeanLosses& part : parts) {
    losses_.training += part.training;
    losses_.validation += part.validation;
  }
  losses_.training /= training_weight_;
  losses_.validation = validation_weight_ > 0.0 ? losses_.validation / validation_weight_
                                                : std::numeric_limits<double>::quiet_NaN();
}

MeanLosses Booster::evaluate_chunk(std::size_t begin, std::size_t end) {
  const std::size_t width = n_scores();
  const auto scores = std::make_unique_for_overwrite<double[]>((end - begin) * width);
  const auto loss = std::make_unique_for_overwrite<double[]>(end - begin);
  const double* const added = &sums_[begin * width];
  const double start = start_[0];
  if (width == 1)  // a loop that compilers vectorise
    for (std::size_t i = 0; i < end - begin; ++i) scores[i] = start + added[i];
  else
    for (std::size_t i = 0; i < end - begin; ++i)
      for (std::size_t k = 0; k < width; ++k)
        scores[i * width + k] = start_[k] + added[i * width + k];
  MeanLosses sums;
  options_.loss->evaluate({target_, begin, end, scores.get()}, loss.get(),
                          &rows_[begin * derivatives_.width()]);
  weights_.row_weight.with_each([&](const auto& weight) {
    for (std::size_t i = begin; i < end; ++i) sums.training += weight(i) * loss[i - begin];
  });
  if (validation_weight_ > 0.0)
    for (std::size_t i = begin; i < end; ++i)
      sums.validation += held_out_weight_[i] * loss[i - begin];
  if (residuals_.empty()) return sums;
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t k = 0; k < width; ++k)
      residuals_[i * width + k] =
          options_.loss->fits_medians()
              ? target_.values[i * width + k] - scores[(i - begin) * width + k]
              : static_cast<double>(rows_[i * derivatives_.width() + k]);
  return sums;
}

void Booster::fill_searched(std::size_t begin, std::size_t end) {
  const std::size_t n = derivatives_.n_scores, n_searched = derivatives_.n_searched;
  const float same = derivatives_.n_hessians == 1 ? static_cast<float>(n) : 1.0F;
  for (std::size_t i = begin; i < end; ++i) {
    const float* from = &rows_[i * derivatives_.width()];
    float* to = &searched_[i * derivatives_.searched_width()];
    if (combinations_.empty()) {
      std::copy(from, from + n, to);
    } else {
      std::fill(to, to + n_searched, 0.0F);
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n_searched; ++j)
          to[j] += from[k] * combinations_[k * n_searched + j];
    }
    float hessian = 0.0F;
    for (std::size_t k = 0; k < derivatives_.n_hessians; ++k) hessian += from[n + k];
    to[n_searched] = same * hessian;
  }
}

// Signs, each with the same chance, divided by the root of the number of combinations.
void Booster::draw_combinations() {
  Rng rng(combine_seeds(combine_seeds(options_.grow.seed, kCombinationStream),
                        static_cast<std::uint64_t>(options_.grow.first_tree)));
  const float size = 1.0F / std::sqrt(static_cast<float>(kCombinations));
  for (float& entry : combinations_) entry = (rng.bits() >> 63) != 0 ? size : -size;
}

std::size_t Booster::n_chunks() const { return (target_.n_rows + kChunk - 1) / kChunk; }

}  // namespace mf::boost
