#include "predict/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "forest/parallel.hpp"
#include "split/project.hpp"

namespace mf {
namespace {

constexpr std::size_t kRowsPerBlock = 64;

}  // namespace

Predictor::Predictor(const FlatForest& forest, const Geometry& geometry, Voting voting)
    : forest_(forest), geometry_(geometry), voting_(std::move(voting)) {
  nodes_.resize(forest.n_nodes());
  CompiledAtom compiled;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node = Node{forest.threshold[i],
                forest.left[i],
                0,
                0,
                Source::raw,
                false,
                forest.missing_left[i] != 0,
                -1};
    if (forest.is_leaf(i)) continue;
    compile(forest.atom(i), geometry, compiled);
    node.first_term = static_cast<std::int64_t>(terms_.size());
    node.n_terms = static_cast<std::uint32_t>(compiled.terms.size());
    node.source = compiled.source;
    node.whole = compiled.whole;
    node.grid = static_cast<std::int16_t>(compiled.grid);
    terms_.insert(terms_.end(), compiled.terms.begin(), compiled.terms.end());
  }
  if (forest.rotation_size > 0)
    for (std::size_t t = 0; t < forest.n_trees(); ++t) rotations_.push_back(forest.rotation(t));
}

// Evaluates atoms on single rows with the arithmetic of split/project.cpp: term by term, in
// integers where data and weights are whole, in double rounded to float otherwise.
template <class T>
class Predictor::Walker {
 public:
  explicit Walker(const Predictor& predictor) : p_(predictor) {
    for (const Grid& grid : p_.geometry_.grids) {
      summed_.emplace_back(grid.table_size());
      missing_.emplace_back(kFloat ? grid.table_size() : 0);
    }
    if (!p_.rotations_.empty()) {
      sums_.resize(p_.forest_.rotation_size);
      rotated_.resize(p_.forest_.rotation_size);
      rotated_column_.resize(p_.geometry_.n_features);
    }
  }

  void load(const T* example) {
    example_ = example;
    has_missing_ = false;
    if constexpr (kFloat)
      for (std::size_t j = 0; !has_missing_ && j < p_.geometry_.n_features; ++j)
        has_missing_ = std::isnan(example[j]);
    for (std::size_t g = 0; g < summed_.size(); ++g) {
      summed_area(example, p_.geometry_.grids[g], summed_[g].data());
      if constexpr (kFloat)
        if (has_missing_) summed_missing(example, p_.geometry_.grids[g], missing_[g].data());
    }
  }

  // The leaf of the loaded example, counted within the tree.
  std::int32_t leaf(std::size_t tree) {
    if (!p_.rotations_.empty()) rotate(tree);
    const Node* nodes = &p_.nodes_[static_cast<std::size_t>(p_.forest_.tree_offsets[tree])];
    std::int32_t at = 0;
    while (nodes[at].left != 0) {
      const Node& node = nodes[at];
      const double value = evaluate(node);
      const bool left = std::isnan(value) ? node.missing_left : value <= node.threshold;
      at = node.left + (left ? 0 : 1);
    }
    return at;
  }

 private:
  static constexpr bool kFloat = std::is_same_v<T, float>;

  void rotate(std::size_t tree) {
    const Rotation& rotation = p_.rotations_[tree];
    rotate_row(example_, rotation, sums_.data(), rotated_.data());
    std::fill(rotated_column_.begin(), rotated_column_.end(), -1);
    for (std::size_t k = 0; k < rotation.dims.size(); ++k)
      rotated_column_[static_cast<std::size_t>(rotation.dims[k])] = static_cast<std::int32_t>(k);
  }

  template <class A, class U>
  static A sum(const Term* terms, std::uint32_t n, const U* table) {
    A total{0};
    for (std::uint32_t t = 0; t < n; ++t)
      total += static_cast<A>(terms[t].weight) * static_cast<A>(table[terms[t].column]);
    return total;
  }

  template <class U>
  double sum_columns(const Node& node, const Term* terms, const U* table) const {
    if (!kFloat && node.whole)
      return static_cast<double>(sum<std::int32_t>(terms, node.n_terms, table));
    return static_cast<double>(static_cast<float>(sum<double>(terms, node.n_terms, table)));
  }

  double evaluate(const Node& node) const {
    const Term* terms = p_.terms_.data() + node.first_term;
    switch (node.source) {
      case Source::raw:
        return sum_columns(node, terms, example_);
      case Source::summed: {
        const auto g = static_cast<std::size_t>(node.grid);
        if (has_missing_ && sum<std::int32_t>(terms, node.n_terms, missing_[g].data()) > 0)
          return std::numeric_limits<double>::quiet_NaN();
        return sum_columns(node, terms, summed_[g].data());
      }
      case Source::rotated: {
        const std::int32_t column = rotated_column_[static_cast<std::size_t>(terms[0].column)];
        if (column < 0) return static_cast<double>(example_[terms[0].column]);
        return static_cast<double>(rotated_[static_cast<std::size_t>(column)]);
      }
    }
    return 0.0;
  }

  const Predictor& p_;
  const T* example_ = nullptr;
  bool has_missing_ = false;
  std::vector<std::vector<Sum<T>>> summed_;
  std::vector<std::vector<std::int32_t>> missing_;
  std::vector<double> sums_;
  std::vector<float> rotated_;
  std::vector<std::int32_t> rotated_column_;
};

// visit(row, tree, node) in tree order for every row; rows are shared out in blocks.
template <class T, class Visit>
void Predictor::walk(const Matrix<T>& X, int n_threads, const Visit& visit) const {
  const std::size_t n_blocks = (X.n_rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const std::size_t trees = n_trees();
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    const std::size_t begin = block * kRowsPerBlock;
    const std::size_t end = std::min(X.n_rows, begin + kRowsPerBlock);
    std::vector<Walker<T>> walkers;
    walkers.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      walkers.emplace_back(*this);
      walkers.back().load(X.row(i));
    }
    // Tree by tree, so that a tree's nodes stay in cache for the whole block.
    for (std::size_t t = 0; t < trees; ++t)
      for (std::size_t i = begin; i < end; ++i) visit(i, t, walkers[i - begin].leaf(t));
  });
}

template <class T>
void Predictor::apply(const Matrix<T>& X, int n_threads, std::int32_t* leaves) const {
  const std::size_t trees = n_trees();
  walk(X, n_threads, [&](std::size_t row, std::size_t tree, std::int32_t leaf) {
    leaves[row * trees + tree] = leaf;
  });
}

void Predictor::add_vote(std::size_t node, bool hard, double* out) const {
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

template <class T>
void Predictor::predict(const Matrix<T>& X, bool hard, int n_threads, double* out) const {
  std::fill(out, out + X.n_rows * forest_.block, 0.0);
  std::vector<std::int32_t> votes(X.n_rows, 0);
  walk(X, n_threads, [&](std::size_t row, std::size_t tree, std::int32_t leaf) {
    const std::size_t node = static_cast<std::size_t>(forest_.tree_offsets[tree] + leaf);
    if (!speaks(node)) return;
    add_vote(node, hard, out + row * forest_.block);
    ++votes[row];
  });
  for (std::size_t i = 0; i < X.n_rows; ++i)
    for (std::size_t k = 0; k < forest_.block; ++k)
      out[i * forest_.block + k] =
          votes[i] > 0 ? out[i * forest_.block + k] / votes[i] : voting_.fallback[k];
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
  for (std::size_t i = 0; i < n_rows; ++i)
    for (std::size_t k = 0; k < forest_.block; ++k) {
      double& x = out[i * forest_.block + k];
      if (n_trees_used[i] == 0)
        x = std::numeric_limits<double>::quiet_NaN();
      else
        x = votes[i] > 0 ? x / votes[i] : voting_.fallback[k];
    }
}

template void Predictor::apply(const Matrix<std::uint8_t>&, int, std::int32_t*) const;
template void Predictor::apply(const Matrix<float>&, int, std::int32_t*) const;
template void Predictor::predict(const Matrix<std::uint8_t>&, bool, int, double*) const;
template void Predictor::predict(const Matrix<float>&, bool, int, double*) const;

}  // namespace mf
