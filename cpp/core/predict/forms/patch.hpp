// Nodes that look at the sum of a patch.
#pragma once

#include <type_traits>

#include "predict/forms/form.hpp"
#include "predict/forms/sums_and_row.hpp"

namespace mf::predict {

// A patch with at most four corners, a box in two dimensions or less, or a feature; over the
// summed-area tables of all grids side by side and then, if a node reads features, the row itself
// and a zero. No entry may be missing.
template <class T, class E, class Column>
class PatchForm {
 public:
  using Example = T;
  using Entry = E;  // sums, or their low 16 bits where no patch has a larger sum
  using Threshold = std::conditional_t<std::is_integral_v<E>, std::int32_t, float>;
  using Node = SumNode<Threshold, Column, 4>;
  static constexpr bool kHasSums = true;

  explicit PatchForm(const Geometry& geometry) : layout_(geometry) {}

  // Whether all column numbers fit the type Column.
  static bool allows(const Geometry& geometry, bool reads_features) {
    const SumsAndRow<T, E> layout(geometry);
    return (reads_features ? layout.size() + 1 : layout.n_sums()) - 1 <=
           std::numeric_limits<Column>::max();
  }

  std::size_t table_size() const { return reads_features_ ? layout_.size() + 1 : layout_.n_sums(); }
  void fill_table(ExampleViews<Example>& of, Entry* table) const {
    layout_.fill_sums(of, table);
    if (!reads_features_) return;
    layout_.fill_row(of, table);
    table[layout_.size()] = 0;
  }
  // Whether a packed node reads a feature.
  bool reads_features() const { return reads_features_; }
  // Where the summed-area table of a grid begins.
  std::size_t first_column(std::size_t grid) const { return layout_.first(grid); }

  // The columns must come in the order of the sum, which matters to floats.
  bool pack(const Split& split, Node& node) {
    const bool raw = split.atom.table.kind == TableId::Kind::raw;
    if (raw && !holds(split.atom)) return false;
    if (!raw && !has_zero(split.atom.table.grid)) return false;
    const std::size_t first = layout_.first(split.atom.table);
    // The leading zero of a summed axis, or the one behind the row.
    node.column.fill(static_cast<Column>(raw ? layout_.size() : first));
    std::size_t slot = 0;
    for (const Term& term : split.atom.terms) {
      while (slot < kSigns.size() && kSigns[slot] != term.weight) ++slot;
      if (slot == kSigns.size()) return false;
      node.column[slot++] = static_cast<Column>(first + static_cast<std::size_t>(term.column));
    }
    if constexpr (std::is_integral_v<E>)
      node.threshold = whole_threshold(split.threshold, std::numeric_limits<std::int32_t>::max());
    else
      node.threshold = float_threshold(split.threshold);
    reads_features_ = reads_features_ || raw;
    return true;
  }
  static std::size_t side(const Node& node, const Entry* row) {
    const auto sum =
        ((row[node.column[0]] - row[node.column[1]]) - row[node.column[2]]) + row[node.column[3]];
    if constexpr (std::is_same_v<E, std::uint16_t>)
      return std::int32_t{static_cast<std::uint16_t>(sum)} > node.threshold ? 1 : 0;
    else
      return static_cast<Threshold>(sum) > node.threshold ? 1 : 0;
  }

 private:
  static constexpr std::array<float, 4> kSigns{1.0F, -1.0F, -1.0F, 1.0F};

  // Whether the table has room for the features, and its entries for their sum: 16 bits hold no
  // negative numbers.
  bool holds(const CompiledAtom& atom) const {
    if (layout_.size() > std::numeric_limits<Column>::max()) return false;
    auto minus = [](const Term& term) { return term.weight < 0.0F; };
    return !std::is_same_v<E, std::uint16_t> ||
           std::none_of(atom.terms.begin(), atom.terms.end(), minus);
  }
  bool has_zero(std::int32_t grid) const {
    const auto& summed = layout_.geometry().grids[static_cast<std::size_t>(grid)].summed;
    return std::find(summed.begin(), summed.end(), true) != summed.end();
  }

  SumsAndRow<T, E> layout_;
  bool reads_features_ = false;  // a packed node does
};

}  // namespace mf::predict
