// A block of rows on its way through the trees.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "data/summed_area.hpp"
#include "predict/predictor.hpp"

namespace mf {

// Evaluates atoms with the arithmetic of split/project.cpp: term by term, in integers where data
// and weights are whole, in double rounded to float otherwise. All rows of a block take one step at
// a time, so that their cache misses overlap.
template <class T>
class BlockWalk {
 public:
  explicit BlockWalk(const Predictor& predictor) : p_(predictor) {
    std::size_t bytes = 1;
    for (const Grid& grid : p_.geometry_.grids)
      bytes += grid.table_size() * (sizeof(Sum<T>) + (kFloat ? sizeof(std::int32_t) : 0));
    max_rows_ = std::clamp<std::size_t>(kTableBytes / bytes, 1, kMaxRows);
    example_.resize(max_rows_);
    has_missing_.resize(max_rows_);
    at_.resize(max_rows_);
    summed_.resize(p_.geometry_.grids.size());
    missing_.resize(p_.geometry_.grids.size());
    const std::size_t r = p_.forest_.rotation_size;
    sums_.resize(r);
    rotated_.resize(r > 0 ? max_rows_ * r : 0);
    rotated_column_.resize(r > 0 ? p_.geometry_.n_features : 0);
  }

  std::size_t max_rows() const { return max_rows_; }

  // Rows begin .. begin + n - 1 of X; makes their summed-area tables.
  void load(const Matrix<T>& X, std::size_t begin, std::size_t n) {
    n_ = n;
    for (std::size_t i = 0; i < n; ++i) {
      example_[i] = X.row(begin + i);
      has_missing_[i] = false;
      if (kFloat && !summed_.empty())
        has_missing_[i] =
            std::any_of(example_[i], example_[i] + X.n_features, [](T x) { return x != x; });
    }
    for (std::size_t g = 0; g < summed_.size(); ++g) {
      const Grid& grid = p_.geometry_.grids[g];
      const std::size_t size = grid.table_size();
      summed_[g].resize(max_rows_ * size);
      if (kFloat) missing_[g].resize(max_rows_ * size);
      for (std::size_t i = 0; i < n; ++i) {
        summed_area(example_[i], grid, summed_[g].data() + i * size);
        if constexpr (kFloat)
          if (has_missing_[i]) summed_missing(example_[i], grid, missing_[g].data() + i * size);
      }
    }
  }

  // The leaf of every loaded row, counted within the tree.
  std::span<const std::int32_t> leaves(std::size_t tree) {
    if (p_.forest_.rotation_size > 0) rotate(tree);
    const WalkNode* nodes =
        p_.nodes_.data() + static_cast<std::size_t>(p_.forest_.tree_offsets[tree]);
    const Term* terms = p_.terms_.data() + p_.first_term_[tree];
    for (std::size_t begin = 0; begin < n_; begin += kGroup)
      walk_group(begin, std::min(n_, begin + kGroup), nodes, terms);
    return {at_.data(), n_};
  }

 private:
  static constexpr bool kFloat = std::is_same_v<T, float>;
  static constexpr std::size_t kGroup = 32;      // rows in flight
  static constexpr std::size_t kMaxRows = 2048;  // of a block
  // What the tables of a block may take: they are read again for every tree.
  static constexpr std::size_t kTableBytes = std::size_t{1} << 20;

  void walk_group(std::size_t begin, std::size_t end, const WalkNode* nodes, const Term* terms) {
    std::array<std::uint32_t, kGroup> active;
    std::size_t n_active = 0;
    for (std::size_t i = begin; i < end; ++i) {
      at_[i] = 0;
      active[n_active++] = static_cast<std::uint32_t>(i);
    }
    if (nodes[0].left == 0) return;
    while (n_active > 0) {
      std::size_t still = 0;
      for (std::size_t a = 0; a < n_active; ++a) {
        const std::size_t i = active[a];
        const WalkNode& node = nodes[at_[i]];
        const double value = evaluate(i, node, terms);
        const bool right = value != value ? !node.missing_left : value > node.threshold;
        at_[i] = node.left + (right ? 1 : 0);
        active[still] = static_cast<std::uint32_t>(i);
        still += nodes[at_[i]].left != 0 ? 1 : 0;
      }
      n_active = still;
    }
  }

  void rotate(std::size_t tree) {
    const Rotation& rotation = p_.rotations_[tree];
    const std::size_t r = rotation.dims.size();
    std::fill(rotated_column_.begin(), rotated_column_.end(), -1);
    for (std::size_t k = 0; k < r; ++k)
      rotated_column_[static_cast<std::size_t>(rotation.dims[k])] = static_cast<std::int32_t>(k);
    for (std::size_t i = 0; i < n_; ++i)
      rotate_row(example_[i], rotation, sums_.data(), rotated_.data() + i * r);
  }

  template <class A, class U>
  static A sum(const Term* terms, std::size_t n, const U* table) {
    A total{0};
    for (std::size_t t = 0; t < n; ++t)
      total += static_cast<A>(terms[t].weight) * static_cast<A>(table[terms[t].column]);
    return total;
  }

  template <class U>
  static double sum_columns(const WalkNode& node, const Term* terms, const U* table) {
    if (!kFloat && node.whole)
      return static_cast<double>(sum<std::int32_t>(terms, node.n_terms, table));
    return static_cast<double>(static_cast<float>(sum<double>(terms, node.n_terms, table)));
  }

  double evaluate(std::size_t i, const WalkNode& node, const Term* tree_terms) const {
    if (node.way == WalkNode::Way::axis) return static_cast<double>(example_[i][node.at]);
    const Term* terms = tree_terms + node.at;
    switch (node.way) {
      case WalkNode::Way::axis:
        break;
      case WalkNode::Way::terms:
        return sum_columns(node, terms, example_[i]);
      case WalkNode::Way::summed: {
        const auto g = static_cast<std::size_t>(node.grid);
        const std::size_t row = i * p_.geometry_.grids[g].table_size();
        if (has_missing_[i] && sum<std::int32_t>(terms, node.n_terms, missing_[g].data() + row) > 0)
          return std::numeric_limits<double>::quiet_NaN();
        return sum_columns(node, terms, summed_[g].data() + row);
      }
      case WalkNode::Way::rotated: {
        const std::int32_t column = rotated_column_[static_cast<std::size_t>(node.at)];
        if (column < 0) return static_cast<double>(example_[i][node.at]);
        return static_cast<double>(
            rotated_[i * p_.forest_.rotation_size + static_cast<std::size_t>(column)]);
      }
    }
    return 0.0;
  }

  const Predictor& p_;
  std::size_t max_rows_ = 1, n_ = 0;
  std::vector<const T*> example_;
  std::vector<std::uint8_t> has_missing_;
  std::vector<std::int32_t> at_;
  std::vector<std::vector<Sum<T>>> summed_;
  std::vector<std::vector<std::int32_t>> missing_;
  std::vector<double> sums_;
  std::vector<float> rotated_;
  std::vector<std::int32_t> rotated_column_;
};

}  // namespace mf
