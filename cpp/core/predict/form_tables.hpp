// The tables of a block of rows that pass through a packed forest.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "predict/packed_forest.hpp"
#include "predict/row_tables.hpp"

namespace mf::predict {

// The table that packed nodes read, and what long nodes read beside it.
template <class Form>
class FormTables {
 public:
  using Example = typename Form::Example;
  using Entry = typename Form::Entry;
  static constexpr bool kRotates = false;

  FormTables(const PackedForest<Form>& forest, std::size_t n_rows)
      : form_(forest.form()),
        rows_(n_rows),
        tables_(n_rows * form_.table_size()),
        others_(forest.geometry(), others_of(forest), n_rows) {}

  static std::size_t bytes_per_row(const PackedForest<Form>& forest) {
    return forest.form().table_size() * sizeof(Entry) +
           RowTables<Example>::bytes_per_row(forest.geometry(), others_of(forest));
  }

  void load(const Matrix<Example>& X, std::size_t begin, std::size_t n) {
    n_ = n;
    others_.load(X, begin, n);
    const std::size_t size = form_.table_size();
    for (std::size_t i = 0; i < n; ++i) {
      const Example* example = X.row(begin + i);
      if (size > 0) {
        Entry* table = tables_.data() + i * size;
        form_.fill_table(example, table);
        rows_[i] = table;
      } else if constexpr (std::is_same_v<Entry, Example>) {
        rows_[i] = example;
      }
    }
  }

  std::span<const Entry* const> rows() const { return {rows_.data(), n_}; }

  // For long nodes.
  const Example* raw(std::size_t row) const {
    if constexpr (Form::kHasSums)
      return others_.raw(row);
    else
      return rows_[row];  // the form's table begins with the features, and is in cache
  }
  auto summed(std::size_t grid, std::size_t row) const {
    if constexpr (Form::kHasSums)
      return rows_[row] + form_.first_column(grid);
    else
      return others_.summed(grid, row);
  }
  bool has_missing(std::size_t row) const {
    if constexpr (Form::kHasSums)
      return false;
    else
      return others_.has_missing(row);
  }
  const std::int32_t* missing(std::size_t grid, std::size_t row) const {
    return others_.missing(grid, row);
  }

 private:
  // The summed-area tables that are not part of the form's own table.
  static const std::vector<bool>& others_of(const PackedForest<Form>& forest) {
    static const std::vector<bool> none;
    return Form::kHasSums ? none : forest.reads_grid();
  }

  const Form& form_;
  std::size_t n_ = 0;
  std::vector<const Entry*> rows_;
  std::vector<Entry> tables_;
  RowTables<Example> others_;
};

}  // namespace mf::predict
