// Walks through packed forests.
#pragma once

#include <memory>

#include "predict/form_tables.hpp"
#include "predict/lanes.hpp"
#include "predict/walk.hpp"

namespace mf::predict {

template <class Form>
class PackedWalk final : public Walk<typename Form::Example> {
 public:
  using Example = typename Form::Example;

  PackedWalk(const PackedForest<Form>& forest, std::size_t n_rows)
      : forest_(forest), tables_(forest, n_rows) {}

  void load(const Matrix<Example>& X, std::size_t begin, std::size_t n) override {
    tables_.load(X, begin, n);
  }
  void leaves(std::size_t first, std::size_t n, std::int32_t* out) override {
    Lanes<Form>::run(forest_, first, n, tables_, out);
  }

 private:
  const PackedForest<Form>& forest_;
  FormTables<Form> tables_;
};

template <class Form>
class WalkablePackedForest final : public WalkableForest<typename Form::Example> {
 public:
  WalkablePackedForest(const FlatForest& forest, const Geometry& geometry)
      : packed_(forest, geometry) {}

  std::size_t rows_at_once() const override {
    return max_batch_rows(FormTables<Form>::bytes_per_row(packed_));
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
