// The tables of a batch of rows that pass through a packed forest.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "predict/packed_forest.hpp"
#include "predict/row_tables.hpp"

namespace mf::predict {

// What long nodes read. Forms with the same entries share this: if entries are wider than features,
// the table of a form has the summed-area tables of all grids, and nothing is missing in it.
template <class Example, class Entry>
class LongNodeTables {
 public:
  static constexpr bool kRotates = false;
  static constexpr bool kHasSums = !std::is_same_v<Entry, Example>;

  const Example* raw(std::size_t row) const {
    if constexpr (kHasSums)
      return others_.raw(row);
    else
      return rows_[row];  // the form's table begins with the features, and is in cache
  }
  auto summed(std::size_t grid, std::size_t row) const {
    if constexpr (kHasSums)
      return rows_[row] + first_column_[grid];
    else
      return others_.summed(grid, row);
  }
  bool has_missing(std::size_t row) const {
    if constexpr (kHasSums)
      return false;
    else
      return others_.has_missing(row);
  }
  const std::uint32_t* missing(std::size_t grid, std::size_t row) const {
    return others_.missing(grid, row);
  }

 protected:
  LongNodeTables(const PackedTrees& forest, std::size_t n_rows)
      : rows_(n_rows), others_(forest.geometry(), others_of(forest), n_rows) {}

  // The summed-area tables that are not part of the form's own table.
  static const std::vector<bool>& others_of(const PackedTrees& forest) {
    static const std::vector<bool> none;
    return kHasSums ? none : forest.reads_grid();
  }

  std::vector<const Entry*> rows_;
  std::vector<std::size_t> first_column_;  // of each grid, if the form's table has sums
  RowTables<Example> others_;
};

// The same with the table that packed nodes read.
template <class Form>
class FormTables : public LongNodeTables<typename Form::Example, typename Form::Entry> {
 public:
  using Example = typename Form::Example;
  using Entry = typename Form::Entry;
  using ForLongNodes = LongNodeTables<Example, Entry>;
  static_assert(Form::kHasSums == ForLongNodes::kHasSums);

  FormTables(const PackedForest<Form>& forest, std::size_t n_rows)
      : ForLongNodes(forest, n_rows),
        form_(forest.form()),
        views_(forest.geometry().views),
        tables_(n_rows * form_.table_size()) {
    if constexpr (Form::kHasSums)
      for (std::size_t g = 0; g < forest.geometry().grids.size(); ++g)
        this->first_column_.push_back(form_.first_column(g));
  }

  static std::size_t bytes_per_row(const PackedForest<Form>& forest) {
    return forest.form().table_size() * sizeof(Entry) +
           RowTables<Example>::bytes_per_row(forest.geometry(), ForLongNodes::others_of(forest));
  }

  void load(const Matrix<Example>& X, std::size_t begin, std::size_t n) {
    n_ = n;
    this->others_.load(X, begin, n);
    const std::size_t size = form_.table_size();
    for (std::size_t i = 0; i < n; ++i) {
      const Example* example = X.row(begin + i);
      if (size > 0) {
        Entry* table = tables_.data() + i * size;
        views_.load(example);
        form_.fill_table(views_, table);
        this->rows_[i] = table;
      } else if constexpr (!Form::kHasSums) {
        this->rows_[i] = example;
      }
    }
  }

  std::span<const Entry* const> rows() const { return {this->rows_.data(), n_}; }

 private:
  const Form& form_;
  ExampleViews<Example> views_;  // of the row whose table is made
  std::size_t n_ = 0;
  std::vector<Entry> tables_;
};

}  // namespace mf::predict
