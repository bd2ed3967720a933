// Walks through forests of any mixture of atoms.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "data/summed_area.hpp"
#include "predict/any_forest.hpp"
#include "predict/term_sum.hpp"
#include "predict/walk.hpp"

namespace mf::predict {

// All rows of a group take one step at a time, so that their cache misses overlap.
template <class T>
class AnyWalk final : public Walk<T> {
 public:
  AnyWalk(const AnyForest& forest, std::size_t n_rows)
      : f_(forest),
        example_(n_rows),
        has_missing_(n_rows),
        summed_(forest.geometry.grids.size()),
        missing_(forest.geometry.grids.size()),
        sums_(forest.rotation_size),
        rotated_(n_rows * forest.rotation_size),
        rotated_column_(forest.rotation_size > 0 ? forest.geometry.n_features : 0) {
    for (std::size_t g = 0; g < summed_.size(); ++g) {
      const std::size_t size = n_rows * f_.geometry.grids[g].table_size();
      summed_[g].resize(size);
      if (kFloat) missing_[g].resize(size);
    }
  }

  static std::size_t bytes_per_row(const Geometry& geometry) {
    std::size_t bytes = 0;
    for (const Grid& grid : geometry.grids)
      bytes += grid.table_size() * (sizeof(Sum<T>) + (kFloat ? sizeof(std::int32_t) : 0));
    return bytes;
  }

  void load(const Matrix<T>& X, std::size_t begin, std::size_t n) override {
    n_ = n;
    for (std::size_t i = 0; i < n; ++i) {
      example_[i] = X.row(begin + i);
      has_missing_[i] =
          kFloat && !summed_.empty() &&
          std::any_of(example_[i], example_[i] + X.n_features, [](T x) { return x != x; });
    }
    for (std::size_t g = 0; g < summed_.size(); ++g) {
      const Grid& grid = f_.geometry.grids[g];
      const std::size_t size = grid.table_size();
      for (std::size_t i = 0; i < n; ++i) {
        summed_area(example_[i], grid, summed_[g].data() + i * size);
        if constexpr (kFloat)
          if (has_missing_[i]) summed_missing(example_[i], grid, missing_[g].data() + i * size);
      }
    }
  }

  void leaves(std::size_t first, std::size_t n, std::int32_t* out) override {
    for (std::size_t t = 0; t < n; ++t) {
      const std::size_t tree = first + t;
      if (f_.rotation_size > 0) rotate(f_.rotations[tree]);
      const AnyNode* nodes = f_.nodes.data() + f_.first_node[tree];
      const Term* terms = f_.terms.data() + f_.first_term[tree];
      for (std::size_t begin = 0; begin < n_; begin += kGroup) {
        const std::size_t size = std::min(n_ - begin, kGroup);
        walk_group(begin, size, nodes, terms);
        for (std::size_t i = 0; i < size; ++i) out[(begin + i) * n + t] = at_[i];
      }
    }
  }

 private:
  static constexpr bool kFloat = std::is_same_v<T, float>;
  static constexpr std::size_t kGroup = 32;  // rows in flight

  void walk_group(std::size_t begin, std::size_t n, const AnyNode* nodes, const Term* terms) {
    std::array<std::uint32_t, kGroup> active;
    at_.fill(0);
    std::size_t n_active = nodes[0].left == 0 ? 0 : n;
    for (std::size_t a = 0; a < n_active; ++a) active[a] = static_cast<std::uint32_t>(a);
    while (n_active > 0) {
      std::size_t still = 0;
      for (std::size_t a = 0; a < n_active; ++a) {
        const std::size_t i = active[a];
        const AnyNode& node = nodes[at_[i]];
        const double value = evaluate(begin + i, node, terms);
        const bool right = value != value ? !node.missing_left : value > node.threshold;
        at_[i] = node.left + (right ? 1 : 0);
        active[still] = static_cast<std::uint32_t>(i);
        still += nodes[at_[i]].left != 0 ? 1 : 0;
      }
      n_active = still;
    }
  }

  void rotate(const Rotation& rotation) {
    const std::size_t r = rotation.dims.size();
    std::fill(rotated_column_.begin(), rotated_column_.end(), -1);
    for (std::size_t k = 0; k < r; ++k)
      rotated_column_[static_cast<std::size_t>(rotation.dims[k])] = static_cast<std::int32_t>(k);
    for (std::size_t i = 0; i < n_; ++i)
      rotate_row(example_[i], rotation, sums_.data(), rotated_.data() + i * r);
  }

  double evaluate(std::size_t i, const AnyNode& node, const Term* tree_terms) const {
    if (node.way == AnyNode::Way::axis) return static_cast<double>(example_[i][node.at]);
    const Term* terms = tree_terms + node.at;
    switch (node.way) {
      case AnyNode::Way::axis:
        break;
      case AnyNode::Way::terms:
        return value_of_terms(terms, node.n_terms, node.whole, example_[i]);
      case AnyNode::Way::summed: {
        const auto g = static_cast<std::size_t>(node.grid);
        const std::size_t row = i * f_.geometry.grids[g].table_size();
        if (has_missing_[i] && sum_whole_terms(terms, node.n_terms, missing_[g].data() + row) > 0)
          return std::numeric_limits<double>::quiet_NaN();
        return value_of_terms(terms, node.n_terms, node.whole, summed_[g].data() + row);
      }
      case AnyNode::Way::rotated: {
        const std::int32_t column = rotated_column_[static_cast<std::size_t>(node.at)];
        if (column < 0) return static_cast<double>(example_[i][node.at]);
        return static_cast<double>(
            rotated_[i * f_.rotation_size + static_cast<std::size_t>(column)]);
      }
    }
    return 0.0;
  }

  const AnyForest& f_;
  std::size_t n_ = 0;
  std::vector<const T*> example_;
  std::vector<std::uint8_t> has_missing_;
  std::array<std::int32_t, kGroup> at_{};
  std::vector<std::vector<Sum<T>>> summed_;
  std::vector<std::vector<std::int32_t>> missing_;
  std::vector<double> sums_;
  std::vector<float> rotated_;
  std::vector<std::int32_t> rotated_column_;
};

template <class T>
class WalkableAnyForest final : public WalkableForest<T> {
 public:
  WalkableAnyForest(const FlatForest& forest, const Geometry& geometry)
      : forest_(forest, geometry) {}

  std::size_t rows_at_once() const override {
    return rows_of_block(AnyWalk<T>::bytes_per_row(forest_.geometry));
  }
  std::size_t trees_at_once() const override {
    return trees_of_bytes(forest_.nodes.size() * sizeof(AnyNode), forest_.first_node.size());
  }
  std::unique_ptr<Walk<T>> walk(std::size_t n_rows) const override {
    return std::make_unique<AnyWalk<T>>(forest_, n_rows);
  }

 private:
  AnyForest forest_;
};

}  // namespace mf::predict
