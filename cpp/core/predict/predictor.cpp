#include "predict/predictor.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "base/parallel.hpp"

namespace mf::predict {
namespace {

// Pairs of a row and a tree that are walked before votes are counted, at least.
constexpr std::size_t kPairs = 512;

// Multiplications between two checks for an interrupt: a fraction of a second.
constexpr std::size_t kProductsAtOnce = std::size_t{1} << 27;

struct Range {
  std::size_t begin, size;
};

// Rows of a batch, at most `most`: all threads get equally many batches, and several each, unless
// batches would become too small to pay for loading the trees into the cache.
std::size_t rows_per_batch(std::size_t n_rows, int n_threads, std::size_t most) {
  constexpr std::size_t kBatchesPerThread = 2, kFewRows = 256;
  const auto threads = static_cast<std::size_t>(std::max(1, n_threads));
  std::size_t rows = most;
  if (threads > 1)
    rows = std::min(most, std::max(kFewRows, n_rows / (threads * kBatchesPerThread)));
  const std::size_t n_batches = std::max<std::size_t>(1, (n_rows + rows - 1) / rows);
  const std::size_t even = (n_batches + threads - 1) / threads * threads;
  return std::max<std::size_t>(1, (n_rows + even - 1) / even);
}

}  // namespace

Predictor::Predictor(const FlatForest& forest, const Geometry& geometry, Voting voting)
    : forest_(forest), geometry_(geometry), voting_(std::move(voting)) {
  // Most leaves of a classification tree hold one class; their vote is one number.
  if (forest.shares == nullptr || voting_.n_classes.size() != 1) return;
  pure_class_.assign(forest.n_nodes(), kMixed);
  const std::size_t n_classes = std::min<std::size_t>(forest.value_width, kMixed);
  for (std::size_t node = 0; node < forest.n_nodes(); ++node)
    for (std::size_t k = 0; k < n_classes && forest.is_leaf(node); ++k)
      if (forest.shares[node * forest.value_width + k] == 1.0F)
        pure_class_[node] = static_cast<std::uint8_t>(k);
}

template <class T>
const WalkableForest<T>& Predictor::compiled() const {
  auto& place = [this]() -> Compiled<T>& {
    if constexpr (std::is_same_v<T, float>)
      return floats_;
    else
      return integers_;
  }();
  std::call_once(place.once, [&] { place.forest = compile_forest<T>(forest_, geometry_); });
  return *place.forest;
}

// visit(rows, trees, leaves of these rows in these trees) for batches of rows, trees in order.
template <class T, class Visit>
void Predictor::walk(const Matrix<T>& X, int n_threads, const Visit& visit,
                     const InterruptFunction& check_interrupt) const {
  const WalkableForest<T>& forest = compiled<T>();
  // Each tree with a rotation rotates the rows first. That takes long: there are fewer rows in a
  // batch, and trees are walked one by one.
  const std::size_t r = forest.rotation_size();
  const bool rotates = r > 0;
  std::size_t most = forest.rows_at_once();
  if (rotates) most = std::clamp<std::size_t>(kProductsAtOnce / (r * r), 1, most);
  const std::size_t rows = rows_per_batch(X.n_rows, n_threads, most);
  const std::size_t trees =
      rotates ? 1 : std::min(n_trees(), std::max(forest.trees_at_once(), kPairs / rows));
  const std::size_t n_batches = (X.n_rows + rows - 1) / rows;
  struct State {
    std::unique_ptr<Walk<T>> walk;
    std::vector<std::int32_t> leaves;
  };
  parallel_for_with_state(
      n_batches, n_threads,
      [&] { return State{forest.walk(rows), std::vector<std::int32_t>(rows * trees)}; },
      [&](State& state, std::size_t b, InterruptCheck& interrupts) {
        const std::size_t begin = b * rows, n = std::min(X.n_rows, begin + rows) - begin;
        state.walk->load(X, begin, n);
        for (std::size_t first = 0; first < n_trees(); first += trees) {
          if (rotates) interrupts.poll();
          const std::size_t size = std::min(trees, n_trees() - first);
          state.walk->leaves(first, size, state.leaves.data());
          visit(Range{begin, n}, Range{first, size}, state.leaves.data());
        }
      },
      check_interrupt);
}

template <class T>
void Predictor::apply(const Matrix<T>& X, int n_threads, std::int32_t* leaves,
                      const InterruptFunction& check_interrupt) const {
  const std::size_t trees = n_trees();
  walk(
      X, n_threads,
      [&](const Range& rows, const Range& some, const std::int32_t* reached) {
        for (std::size_t i = 0; i < rows.size; ++i)
          std::copy_n(reached + i * some.size, some.size,
                      leaves + (rows.begin + i) * trees + some.begin);
      },
      check_interrupt);
}

void Predictor::check(Aggregation aggregation) const {
  if (aggregation == Aggregation::vote && voting_.n_classes.empty())
    throw std::invalid_argument("aggregation must be mean or sum for responses, got vote");
}

inline void Predictor::add_leaf(std::size_t node, Aggregation aggregation, double* out) const {
  if (!pure_class_.empty() && pure_class_[node] != kMixed)
    out[pure_class_[node]] += 1.0;
  else
    add_value(node, aggregation, out);
}

void Predictor::add_value(std::size_t node, Aggregation aggregation, double* out) const {
  if (aggregation != Aggregation::vote) {
    for (std::size_t k = 0; k < forest_.value_width; ++k) out[k] += value(node, k);
    return;
  }
  std::size_t offset = 0;
  for (const int n : voting_.n_classes) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < static_cast<std::size_t>(n); ++k)
      if (value(node, offset + k) > value(node, offset + best)) best = k;
    out[offset + best] += 1.0;
    offset += static_cast<std::size_t>(n);
  }
}

// From a sum of values to their mean, or to the fallback if no tree takes part. Shares of classes
// are stored in single precision, so their sum is only nearly 1: they are divided by their sum.
// As the computed sum is no less than any of its terms, probabilities lie in [0, 1].
void Predictor::finish(double* out, std::int32_t votes) const {
  if (votes == 0) {
    std::copy(voting_.fallback.begin(), voting_.fallback.end(), out);
    return;
  }
  if (voting_.n_classes.empty()) {
    for (std::size_t k = 0; k < forest_.value_width; ++k) out[k] /= votes;
    return;
  }
  for (const int n : voting_.n_classes) {
    const double total = std::accumulate(out, out + n, 0.0);
    for (int k = 0; k < n; ++k) out[k] /= total;
    out += n;
  }
}

template <class T>
void Predictor::predict(const Matrix<T>& X, Aggregation aggregation, int n_threads, double* out,
                        const InterruptFunction& check_interrupt) const {
  check(aggregation);
  std::fill(out, out + X.n_rows * forest_.value_width, 0.0);
  std::vector<std::int32_t> votes(X.n_rows, 0);
  walk(
      X, n_threads,
      [&](const Range& rows, const Range& trees, const std::int32_t* leaves) {
        // Tree by tree: adding to the same row twice in succession would wait for the first sum.
        for (std::size_t t = 0; t < trees.size; ++t) {
          const auto root = static_cast<std::size_t>(forest_.tree_offsets[trees.begin + t]);
          for (std::size_t i = 0; i < rows.size; ++i) {
            const std::size_t node = root + static_cast<std::size_t>(leaves[i * trees.size + t]);
            if (!takes_part(node)) continue;
            add_leaf(node, aggregation, out + (rows.begin + i) * forest_.value_width);
            ++votes[rows.begin + i];
          }
        }
      },
      check_interrupt);
  if (aggregation == Aggregation::sum) return;
  for (std::size_t i = 0; i < X.n_rows; ++i) finish(out + i * forest_.value_width, votes[i]);
}

void Predictor::predict_oob(const std::int32_t* leaf_of_row, const std::int32_t* inbag,
                            std::size_t n_rows, Aggregation aggregation, double* out,
                            std::int32_t* n_trees_used) const {
  check(aggregation);
  std::fill(out, out + n_rows * forest_.value_width, 0.0);
  std::fill(n_trees_used, n_trees_used + n_rows, 0);
  std::vector<std::int32_t> votes(n_rows, 0);
  for (std::size_t t = 0; t < n_trees(); ++t) {
    const std::int64_t root = forest_.tree_offsets[t], size = forest_.tree_offsets[t + 1] - root;
    for (std::size_t i = 0; i < n_rows; ++i) {
      if (inbag[t * n_rows + i] != 0) continue;
      ++n_trees_used[i];
      const std::int32_t leaf = leaf_of_row[t * n_rows + i];
      if (leaf < 0 || leaf >= size)
        throw std::invalid_argument("leaf_of_row names a node that its tree does not have");
      const auto node = static_cast<std::size_t>(root + leaf);
      if (!takes_part(node)) continue;
      add_leaf(node, aggregation, out + i * forest_.value_width);
      ++votes[i];
    }
  }
  for (std::size_t i = 0; i < n_rows; ++i) {
    double* row = out + i * forest_.value_width;
    if (n_trees_used[i] == 0)
      std::fill(row, row + forest_.value_width, std::numeric_limits<double>::quiet_NaN());
    else if (aggregation != Aggregation::sum)
      finish(row, votes[i]);
  }
}

template void Predictor::apply(const Matrix<std::uint8_t>&, int, std::int32_t*,
                               const InterruptFunction&) const;
template void Predictor::apply(const Matrix<float>&, int, std::int32_t*,
                               const InterruptFunction&) const;
template void Predictor::predict(const Matrix<std::uint8_t>&, Aggregation, int, double*,
                                 const InterruptFunction&) const;
template void Predictor::predict(const Matrix<float>&, Aggregation, int, double*,
                                 const InterruptFunction&) const;

}  // namespace mf::predict
