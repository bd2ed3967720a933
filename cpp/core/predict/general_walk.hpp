// Walks through forests of any mixture of atoms.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "predict/general_forest.hpp"
#include "predict/row_tables.hpp"
#include "predict/walk.hpp"

namespace mf::predict {

// All rows of a group take one step at a time, so that their cache misses overlap.
template <class T>
class GeneralWalk final : public Walk<T> {
 public:
  GeneralWalk(const GeneralForest& forest, std::size_t n_rows)
      : f_(forest),
        tables_(forest.geometry, forest.atoms.reads_grid(), n_rows, forest.rotation_size) {}

  void load(const Matrix<T>& X, std::size_t begin, std::size_t n) override {
    tables_.load(X, begin, n);
  }

  void leaves(std::size_t first, std::size_t n, std::int32_t* out) override {
    for (std::size_t t = 0; t < n; ++t) {
      const std::size_t tree = first + t;
      if (f_.rotation_size > 0) tables_.start_tree(f_.rotations[tree]);
      for (std::size_t begin = 0; begin < tables_.n_rows(); begin += kGroup) {
        const std::size_t size = std::min(tables_.n_rows() - begin, kGroup);
        walk_group(begin, size, f_.nodes.data() + f_.first_node[tree], f_.atoms.of_tree(tree));
        for (std::size_t i = 0; i < size; ++i) out[(begin + i) * n + t] = at_[i];
      }
    }
  }

 private:
  static constexpr std::size_t kGroup = 32;  // rows in flight

  void walk_group(std::size_t begin, std::size_t n, const GeneralNode* nodes, const Term* terms) {
    std::array<std::uint32_t, kGroup> active;
    at_.fill(0);
    std::size_t n_active = nodes[0].left == 0 ? 0 : n;
    for (std::size_t a = 0; a < n_active; ++a) active[a] = static_cast<std::uint32_t>(a);
    while (n_active > 0) {
      std::size_t still = 0;
      for (std::size_t a = 0; a < n_active; ++a) {
        const std::size_t i = active[a];
        const GeneralNode& node = nodes[at_[i]];
        const double value = value_at(node.atom, terms, tables_, begin + i);
        const bool right = value != value ? !node.missing_left : value > node.threshold;
        at_[i] = node.left + (right ? 1 : 0);
        active[still] = static_cast<std::uint32_t>(i);
        still += nodes[at_[i]].left != 0 ? 1 : 0;
      }
      n_active = still;
    }
  }

  const GeneralForest& f_;
  RotatingTables<T> tables_;
  std::array<std::int32_t, kGroup> at_{};
};

template <class T>
class WalkableGeneralForest final : public WalkableForest<T> {
 public:
  WalkableGeneralForest(const FlatForest& forest, const Geometry& geometry)
      : forest_(forest, geometry) {}

  std::size_t rows_at_once() const override {
    return max_batch_rows(
        RowTables<T>::bytes_per_row(forest_.geometry, forest_.atoms.reads_grid()));
  }
  std::size_t trees_at_once() const override {
    return trees_of_bytes(forest_.nodes.size() * sizeof(GeneralNode), forest_.first_node.size());
  }
  std::size_t rotation_size() const override { return forest_.rotation_size; }
  std::unique_ptr<Walk<T>> walk(std::size_t n_rows) const override {
    return std::make_unique<GeneralWalk<T>>(forest_, n_rows);
  }

 private:
  GeneralForest forest_;
};

}  // namespace mf::predict
