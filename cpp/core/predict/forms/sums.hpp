// Nodes that look at a sum of a few features, or of a few entries of summed-area tables.
#pragma once

#include <type_traits>

#include "predict/forms/form.hpp"
#include "predict/forms/sums_and_row.hpp"

namespace mf::predict {

// Up to four entries of a table of integers minus up to two others, or the opposite of that. The
// table is the row and a zero, which the unused ones of the six columns read. If its entries are
// wider than features, there are the summed-area tables before the row, and patches can be packed,
// too; sums are then taken modulo 2^16 or 2^32, and must lie within signed numbers of as many bits.
template <class E>
class IntegerSumForm {
 public:
  using Example = std::uint8_t;
  using Entry = E;
  using Node = SumNode<std::int32_t, std::uint16_t, 6>;
  static constexpr bool kHasSums = !std::is_same_v<E, Example>;

  explicit IntegerSumForm(const Geometry& geometry) : layout_(geometry) {}
  static bool allows(const Geometry& geometry) { return Layout(geometry).size() < 65536; }

  std::size_t table_size() const { return layout_.size() + 1; }
  void fill_table(ExampleViews<Example>& of, Entry* table) const {
    layout_.fill(of, table);
    table[layout_.size()] = 0;
  }
  std::size_t first_column(std::size_t grid) const { return layout_.first(grid); }

  bool pack(const Split& split, Node& node) {
    const auto& terms = split.atom.terms;
    float sign = 0.0F;
    for (const Term& term : terms) sign += term.weight;
    sign = sign < 0.0F ? -1.0F : 1.0F;  // of most of the terms
    node.column.fill(static_cast<std::uint16_t>(layout_.size()));
    const std::size_t first = layout_.first(split.atom.table);
    std::size_t plus = 0, minus = kPlus;
    for (const Term& term : terms) {
      if (std::abs(term.weight) != 1.0F) return false;
      std::size_t& slot = term.weight == sign ? plus : minus;
      if (slot == (term.weight == sign ? kPlus : node.column.size())) return false;
      node.column[slot++] =
          static_cast<std::uint16_t>(first + static_cast<std::size_t>(term.column));
    }
    node.threshold = whole_threshold(split.threshold, std::numeric_limits<std::int32_t>::max());
    if (sign > 0.0F) return true;
    // -value > -threshold - 1 where value ≤ threshold
    node.threshold = -node.threshold - 1;
    node.child = {1, 0};
    return true;
  }
  static std::size_t side(const Node& node, const Entry* row) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kPlus; ++i) sum += row[node.column[i]];
    for (std::size_t i = kPlus; i < node.column.size(); ++i) sum -= row[node.column[i]];
    if constexpr (std::is_same_v<E, std::uint16_t>)
      return std::int32_t{static_cast<std::int16_t>(sum)} > node.threshold ? 1 : 0;
    else
      return static_cast<std::int32_t>(sum) > node.threshold ? 1 : 0;
  }

 private:
  using Layout = std::conditional_t<kHasSums, SumsAndRow<Example, Entry>, RowOnly<Example, Entry>>;
  static constexpr std::size_t kPlus = 4;

  Layout layout_;
};

// Up to six entries of a table of floats, added or subtracted. The table is the row, the row with
// the opposite sign, and a zero, which the unused ones of the six columns read: terms can be added
// in their own order, which matters for floats. If entries are doubles, there are the summed-area
// tables before the row, and patches can be packed, too; then none may be missing.
template <class E>
class FloatSumForm {
 public:
  using Example = float;
  using Entry = E;
  struct Node {
    std::array<Reference, 2> child;
    float threshold;
    std::uint32_t missing_side;
    std::array<std::uint16_t, 6> column;
  };
  static constexpr bool kHasSums = !std::is_same_v<E, Example>;

  explicit FloatSumForm(const Geometry& geometry) : layout_(geometry) {}
  static bool allows(const Geometry& geometry) { return 2 * Layout(geometry).size() < 65536; }

  std::size_t table_size() const { return 2 * layout_.size() + 1; }
  void fill_table(ExampleViews<Example>& of, Entry* table) const {
    const std::size_t size = layout_.size();
    layout_.fill(of, table);
    for (std::size_t j = 0; j < size; ++j) table[size + j] = -table[j];
    table[2 * size] = 0;
  }
  std::size_t first_column(std::size_t grid) const { return layout_.first(grid); }

  bool pack(const Split& split, Node& node) {
    const auto& terms = split.atom.terms;
    if (terms.size() > node.column.size()) return false;
    node.column.fill(static_cast<std::uint16_t>(2 * layout_.size()));
    const std::size_t first = layout_.first(split.atom.table);
    for (std::size_t t = 0; t < terms.size(); ++t) {
      if (std::abs(terms[t].weight) != 1.0F) return false;
      const std::size_t shift = first + (terms[t].weight < 0.0F ? layout_.size() : 0);
      node.column[t] =
          static_cast<std::uint16_t>(static_cast<std::size_t>(terms[t].column) + shift);
    }
    node.threshold = float_threshold(split.threshold);
    node.missing_side = split.missing_left ? 0 : 1;
    return true;
  }
  static std::size_t side(const Node& node, const Entry* row) {
    auto sum = static_cast<double>(row[node.column[0]]);
    for (std::size_t t = 1; t < node.column.size(); ++t)
      sum += static_cast<double>(row[node.column[t]]);
    return side_of(static_cast<float>(sum), node.threshold, node.missing_side);
  }

 private:
  using Layout = std::conditional_t<kHasSums, SumsAndRow<Example, Entry>, RowOnly<Example, Entry>>;

  Layout layout_;
};

// Up to four features with weights of any size. Unused ones of the four columns read the first
// feature with weight zero: it is missing only where the atom is.
template <class T>
class WeightedSumForm : public RawForm<T> {
 public:
  using typename RawForm<T>::Entry;
  struct Node {
    std::array<Reference, 2> child;
    float threshold;
    std::uint32_t missing_side;
    std::array<std::uint32_t, 4> column;
    std::array<float, 4> weight;
  };

  explicit WeightedSumForm(const Geometry&) {}

  bool pack(const Split& split, Node& node) {
    const auto& terms = split.atom.terms;
    if (terms.empty() || terms.size() > node.column.size()) return false;
    // Whole numbers are compared as they are, so they must all be floats.
    double bound = 0.0;
    for (const Term& term : terms) bound += std::abs(static_cast<double>(term.weight)) * 255.0;
    if (!std::is_same_v<T, float> && split.atom.whole && bound > 16777216.0) return false;
    node.threshold = float_threshold(split.threshold);
    node.missing_side = split.missing_left ? 0 : 1;
    for (std::size_t t = 0; t < node.column.size(); ++t) {
      const bool used = t < terms.size();
      node.column[t] = static_cast<std::uint32_t>(terms[used ? t : 0].column);
      node.weight[t] = used ? terms[t].weight : 0.0F;
    }
    return true;
  }
  static std::size_t side(const Node& node, const Entry* row) {
    auto term = [&](std::size_t t) {
      return static_cast<double>(node.weight[t]) * static_cast<double>(row[node.column[t]]);
    };
    double sum = term(0);
    for (std::size_t t = 1; t < node.column.size(); ++t) sum += term(t);
    return side_of(static_cast<float>(sum), node.threshold, node.missing_side);
  }
};

}  // namespace mf::predict
