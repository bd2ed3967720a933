#include "predict/predictor.hpp"

#include <algorithm>
#include <limits>

#include "predict/block_walk.hpp"
#include "threads/parallel.hpp"

namespace mf {

Predictor::Predictor(const FlatForest& forest, const Geometry& geometry, Voting voting)
    : forest_(forest), geometry_(geometry), voting_(std::move(voting)) {
  nodes_.resize(forest.n_nodes());
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    compile_tree(t);
    if (forest.rotation_size > 0) rotations_.push_back(forest.rotation(t));
  }
  // Most leaves of a classification tree hold one class; their vote is one number.
  if (forest.shares == nullptr || voting_.n_classes.size() != 1) return;
  pure_class_.assign(forest.n_nodes(), -1);
  for (std::size_t node = 0; node < forest.n_nodes(); ++node)
    for (std::size_t k = 0; k < forest.block && forest.is_leaf(node); ++k)
      if (forest.shares[node * forest.block + k] == 1.0F)
        pure_class_[node] = static_cast<std::int32_t>(k);
}

void Predictor::compile_tree(std::size_t tree) {
  first_term_.push_back(static_cast<std::int64_t>(terms_.size()));
  CompiledAtom compiled;
  for (auto i = static_cast<std::size_t>(forest_.tree_offsets[tree]);
       i < static_cast<std::size_t>(forest_.tree_offsets[tree + 1]); ++i) {
    WalkNode& node = nodes_[i];
    node.threshold = forest_.threshold[i];
    node.left = forest_.left[i];
    node.missing_left = forest_.missing_left[i] != 0;
    if (forest_.is_leaf(i)) continue;
    compile(forest_.atom(i), geometry_, compiled);
    node.whole = compiled.whole;
    node.grid = compiled.grid;
    if (compiled.source == Source::rotated) {
      node.way = WalkNode::Way::rotated;
      node.at = compiled.terms[0].column;
    } else if (compiled.source == Source::raw && compiled.terms.size() == 1 &&
               compiled.terms[0].weight == 1.0F) {
      node.way = WalkNode::Way::axis;
      node.at = compiled.terms[0].column;
    } else {
      node.way = compiled.source == Source::raw ? WalkNode::Way::terms : WalkNode::Way::summed;
      node.at =
          static_cast<std::int32_t>(static_cast<std::int64_t>(terms_.size()) - first_term_[tree]);
      node.n_terms = static_cast<std::uint32_t>(compiled.terms.size());
      terms_.insert(terms_.end(), compiled.terms.begin(), compiled.terms.end());
    }
  }
}

// visit(row, tree, leaf) in tree order for every row; rows are shared out in blocks.
template <class T, class Visit>
void Predictor::walk(const Matrix<T>& X, int n_threads, const Visit& visit,
                     const Watch& watch) const {
  // Blocks are no larger than an even share, so that all threads have work.
  const std::size_t share = (X.n_rows + static_cast<std::size_t>(n_threads) - 1) /
                            static_cast<std::size_t>(std::max(1, n_threads));
  const std::size_t rows =
      std::min(BlockWalk<T>(*this).max_rows(), std::max<std::size_t>(1, share));
  const std::size_t n_blocks = (X.n_rows + rows - 1) / rows;
  parallel_blocks(
      n_blocks, n_threads, [&] { return BlockWalk<T>(*this); },
      [&](BlockWalk<T>& block, std::size_t b) {
        const std::size_t begin = b * rows, n = std::min(X.n_rows, begin + rows) - begin;
        block.load(X, begin, n);
        // Tree by tree, so that a tree's nodes stay in cache for the whole block.
        for (std::size_t t = 0; t < n_trees(); ++t) {
          const auto leaves = block.leaves(t);
          for (std::size_t i = 0; i < n; ++i) visit(begin + i, t, leaves[i]);
        }
      },
      watch);
}

template <class T>
void Predictor::apply(const Matrix<T>& X, int n_threads, std::int32_t* leaves,
                      const Watch& watch) const {
  const std::size_t trees = n_trees();
  walk(
      X, n_threads,
      [&](std::size_t row, std::size_t tree, std::int32_t leaf) {
        leaves[row * trees + tree] = leaf;
      },
      watch);
}

void Predictor::add_vote(std::size_t node, bool hard, double* out) const {
  if (!pure_class_.empty() && pure_class_[node] >= 0) {
    out[pure_class_[node]] += 1.0;
    return;
  }
  if (!hard || voting_.n_classes.empty()) {
    for (std::size_t k = 0; k < forest_.block; ++k) out[k] += value(node, k);
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

// From a sum of votes to their mean, or to what is said where nobody votes.
void Predictor::finish(double* out, std::int32_t votes) const {
  for (std::size_t k = 0; k < forest_.block; ++k)
    out[k] = votes > 0 ? out[k] / votes : voting_.fallback[k];
}

template <class T>
void Predictor::predict(const Matrix<T>& X, bool hard, int n_threads, double* out,
                        const Watch& watch) const {
  std::fill(out, out + X.n_rows * forest_.block, 0.0);
  std::vector<std::int32_t> votes(X.n_rows, 0);
  walk(
      X, n_threads,
      [&](std::size_t row, std::size_t tree, std::int32_t leaf) {
        const auto node = static_cast<std::size_t>(forest_.tree_offsets[tree] + leaf);
        if (!speaks(node)) return;
        add_vote(node, hard, out + row * forest_.block);
        ++votes[row];
      },
      watch);
  for (std::size_t i = 0; i < X.n_rows; ++i) finish(out + i * forest_.block, votes[i]);
}

void Predictor::predict_oob(const std::int32_t* leaf_of_row, const std::int32_t* inbag,
                            std::size_t n_rows, bool hard, double* out,
                            std::int32_t* n_trees_used) const {
  std::fill(out, out + n_rows * forest_.block, 0.0);
  std::fill(n_trees_used, n_trees_used + n_rows, 0);
  std::vector<std::int32_t> votes(n_rows, 0);
  for (std::size_t t = 0; t < n_trees(); ++t)
    for (std::size_t i = 0; i < n_rows; ++i) {
      if (inbag[t * n_rows + i] != 0) continue;
      ++n_trees_used[i];
      const auto node =
          static_cast<std::size_t>(forest_.tree_offsets[t] + leaf_of_row[t * n_rows + i]);
      if (!speaks(node)) continue;
      add_vote(node, hard, out + i * forest_.block);
      ++votes[i];
    }
  for (std::size_t i = 0; i < n_rows; ++i) {
    double* block = out + i * forest_.block;
    if (n_trees_used[i] > 0)
      finish(block, votes[i]);
    else
      std::fill(block, block + forest_.block, std::numeric_limits<double>::quiet_NaN());
  }
}

template void Predictor::apply(const Matrix<std::uint8_t>&, int, std::int32_t*, const Watch&) const;
template void Predictor::apply(const Matrix<float>&, int, std::int32_t*, const Watch&) const;
template void Predictor::predict(const Matrix<std::uint8_t>&, bool, int, double*,
                                 const Watch&) const;
template void Predictor::predict(const Matrix<float>&, bool, int, double*, const Watch&) const;

}  // namespace mf
