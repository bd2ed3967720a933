// The compiled atoms of a forest as lists of terms, and their values at single rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "atoms/compiled.hpp"

namespace mf::predict {

// Where a compiled atom lies in the list of its tree. A single feature needs no list. The groups of
// a maximum or minimum follow each other, each after a term whose column is the group's size.
struct StoredAtom {
  std::int32_t at = 0;  // the feature, or the first term counted from the tree's first
  std::uint32_t n = 0;  // terms of a sum, otherwise groups
  std::int32_t grid = -1;
  TableId::Kind table = TableId::Kind::raw;
  Reduction reduction = Reduction::sum;
  bool whole = false;
  bool is_feature = false;
};

class StoredAtoms {
 public:
  explicit StoredAtoms(std::size_t n_grids) : reads_grid_(n_grids, false) {}

  void start_tree() { first_term_.push_back(terms_.size()); }

  StoredAtom add(const CompiledAtom& atom) {
    StoredAtom stored;
    stored.table = atom.table.kind;
    stored.grid = atom.table.grid;
    stored.reduction = atom.reduction;
    stored.whole = atom.whole;
    if (atom.table.kind == TableId::Kind::summed)
      reads_grid_[static_cast<std::size_t>(atom.table.grid)] = true;
    if (atom.table.kind == TableId::Kind::raw && atom.is_one_column()) {
      stored.is_feature = true;
      stored.at = atom.terms[0].column;
      return stored;
    }
    const std::size_t at = terms_.size() - first_term_.back();
    if (at > std::numeric_limits<std::int32_t>::max())
      throw std::length_error("the directions of a tree must have fewer than 2**31 terms");
    stored.at = static_cast<std::int32_t>(at);
    const bool sum = atom.reduction == Reduction::sum;
    stored.n = static_cast<std::uint32_t>(sum ? atom.terms.size() : atom.n_groups());
    for (std::size_t g = 0; g < atom.n_groups(); ++g) {
      const std::span<const Term> group = atom.group(g);
      if (!sum) terms_.push_back({static_cast<std::int32_t>(group.size()), 0.0F});
      terms_.insert(terms_.end(), group.begin(), group.end());
    }
    return stored;
  }

  const Term* of_tree(std::size_t tree) const { return terms_.data() + first_term_[tree]; }
  // Whether some atom reads the summed-area table of a grid.
  const std::vector<bool>& reads_grid() const { return reads_grid_; }

 private:
  std::vector<Term> terms_;
  std::vector<std::size_t> first_term_;  // of each tree
  std::vector<bool> reads_grid_;
};

// Below is the arithmetic of split/column_sums.cpp: term by term, in integers where data and
// weights are whole, in double rounded to float otherwise.

// Whole weights over whole numbers, modulo 2^32 as there.
template <class U>
std::int32_t sum_whole_terms(std::span<const Term> terms, const U* table) {
  std::uint32_t total = 0;
  for (const Term& term : terms)
    total += static_cast<std::uint32_t>(static_cast<std::int32_t>(term.weight)) *
             static_cast<std::uint32_t>(table[term.column]);
  return static_cast<std::int32_t>(total);
}

// whole: all weights are whole numbers. A table of 16 bits holds sums modulo 2^16.
template <class U>
double value_of_terms(std::span<const Term> terms, bool whole, const U* table) {
  if constexpr (std::is_integral_v<U>) {
    if (whole) {
      const std::int32_t sum = sum_whole_terms(terms, table);
      if constexpr (std::is_same_v<U, std::uint16_t>)
        return static_cast<double>(static_cast<std::uint16_t>(sum));
      return static_cast<double>(sum);
    }
  }
  double total = 0.0;
  for (const Term& term : terms)
    total += static_cast<double>(term.weight) * static_cast<double>(table[term.column]);
  return static_cast<double>(static_cast<float>(total));
}

// One group at a row; NaN where it is missing. Tables knows the tables of some rows: raw(row),
// summed(grid, row), has_missing(row), missing(grid, row), and rotated(feature, row) if kRotates.
template <class Tables>
double value_of_group(const StoredAtom& atom, std::span<const Term> terms, const Tables& tables,
                      std::size_t row) {
  if constexpr (Tables::kRotates)
    if (atom.table == TableId::Kind::rotated) return tables.rotated(terms[0].column, row);
  if (atom.table == TableId::Kind::raw) return value_of_terms(terms, atom.whole, tables.raw(row));
  const auto grid = static_cast<std::size_t>(atom.grid);
  if (tables.has_missing(row) && sum_whole_terms(terms, tables.missing(grid, row)) > 0)
    return std::numeric_limits<double>::quiet_NaN();
  return value_of_terms(terms, atom.whole, tables.summed(grid, row));
}

template <class Tables>
double reduce_groups(const StoredAtom& atom, const Term* at, const Tables& tables,
                     std::size_t row) {
  double value = 0.0;
  for (std::uint32_t g = 0; g < atom.n; ++g) {
    const auto size = static_cast<std::size_t>(at->column);
    const double next = value_of_group(atom, {at + 1, size}, tables, row);
    if (next != next) return next;
    const bool better = atom.reduction == Reduction::maximum ? next > value : next < value;
    if (g == 0 || better) value = next;
    at += 1 + size;
  }
  return value;
}

// The value of an atom at a row, NaN where it is missing. tree_terms: see StoredAtoms::of_tree.
template <class Tables>
double value_at(const StoredAtom& atom, const Term* tree_terms, const Tables& tables,
                std::size_t row) {
  if (atom.is_feature) return static_cast<double>(tables.raw(row)[atom.at]);
  const Term* terms = tree_terms + atom.at;
  if (atom.reduction != Reduction::sum) return reduce_groups(atom, terms, tables, row);
  return value_of_group(atom, {terms, atom.n}, tables, row);
}

}  // namespace mf::predict
