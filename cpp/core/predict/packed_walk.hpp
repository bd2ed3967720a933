// Walks through packed forests.
#pragma once

#include <memory>
#include <vector>

#include "predict/lanes.hpp"
#include "predict/walk.hpp"

namespace mf::predict {

template <class Form>
class PackedWalk final : public Walk<typename Form::Example> {
 public:
  using Example = typename Form::Example;
  using Entry = typename Form::Entry;

  PackedWalk(const PackedForest<Form>& forest, std::size_t n_rows)
      : forest_(forest), rows_(n_rows), tables_(n_rows * forest.form().table_size()) {}

  void load(const Matrix<Example>& X, std::size_t begin, std::size_t n) override {
    n_ = n;
    const std::size_t size = forest_.form().table_size();
    for (std::size_t i = 0; i < n; ++i) {
      const Example* example = X.row(begin + i);
      if (size > 0) {
        Entry* table = tables_.data() + i * size;
        forest_.form().fill_table(example, table);
        rows_[i] = table;
      } else if constexpr (std::is_same_v<Entry, Example>) {
        rows_[i] = example;
      }
    }
  }

  void leaves(std::size_t first, std::size_t n, std::int32_t* out) override {
    Lanes<Form>::run(forest_, first, n, {rows_.data(), n_}, out);
  }

 private:
  const PackedForest<Form>& forest_;
  std::size_t n_ = 0;
  std::vector<const Entry*> rows_;
  std::vector<Entry> tables_;
};

template <class Form>
class WalkablePackedForest final : public WalkableForest<typename Form::Example> {
 public:
  WalkablePackedForest(const FlatForest& forest, const Geometry& geometry)
      : packed_(forest, geometry) {}

  std::size_t rows_at_once() const override {
    return rows_of_block(packed_.form().table_size() * sizeof(typename Form::Entry));
  }
  std::size_t trees_at_once() const override {
    return trees_of_bytes(packed_.nodes(0, packed_.n_trees()).size_bytes(), packed_.n_trees());
  }
  std::unique_ptr<Walk<typename Form::Example>> walk(std::size_t n_rows) const override {
    return std::make_unique<PackedWalk<Form>>(packed_, n_rows);
  }

 private:
  PackedForest<Form> packed_;
};

}  // namespace mf::predict
