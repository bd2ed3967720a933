// Nodes that look at the sum of a patch.
#pragma once

#include <type_traits>
#include <vector>

#include "data/summed_area.hpp"
#include "predict/forms/form.hpp"

namespace mf::predict {

// A patch with at most four corners, over the summed-area tables of all grids side by side: a box
// in two dimensions, or less. No entry may be missing.
template <class T, class E, class Column>
class PatchForm {
 public:
  using Example = T;
  using Entry = E;  // sums, or their low 16 bits where no patch has a larger sum
  using Threshold = std::conditional_t<std::is_integral_v<E>, std::int32_t, float>;
  using Node = SumNode<Threshold, Column, 4>;

  explicit PatchForm(const Geometry& geometry) : geometry_(geometry) {
    for (const Grid& grid : geometry.grids) {
      first_.push_back(size_);
      size_ += grid.table_size();
    }
  }
  static bool allows(const Geometry& geometry) {
    std::size_t size = 0;
    for (const Grid& grid : geometry.grids) size += grid.table_size();
    return size - 1 <= std::numeric_limits<Column>::max();
  }

  std::size_t table_size() const { return size_; }
  void fill_table(const Example* example, Entry* table) const {
    for (std::size_t g = 0; g < first_.size(); ++g)
      summed_area(example, geometry_.grids[g], table + first_[g]);
  }
  std::size_t first_column(std::int32_t grid) const {
    return first_[static_cast<std::size_t>(grid)];
  }

  // The corners must come in the order of the sum, which matters to floats.
  bool pack(const Split& split, Node& node) const {
    const auto grid = static_cast<std::size_t>(split.atom.grid);
    const auto& summed = geometry_.grids[grid].summed;
    if (std::find(summed.begin(), summed.end(), true) == summed.end()) return false;
    const std::size_t zero = first_[grid];  // the leading zero of a summed axis
    node.column.fill(static_cast<Column>(zero));
    std::size_t slot = 0;
    for (const Term& term : split.atom.terms) {
      while (slot < kSigns.size() && kSigns[slot] != term.weight) ++slot;
      if (slot == kSigns.size()) return false;
      node.column[slot++] = static_cast<Column>(zero + static_cast<std::size_t>(term.column));
    }
    if constexpr (std::is_integral_v<E>)
      node.threshold = whole_threshold(split.threshold, std::numeric_limits<std::int32_t>::max());
    else
      node.threshold = float_threshold(split.threshold);
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

  const Geometry& geometry_;
  std::vector<std::size_t> first_;  // entry of each grid's table
  std::size_t size_ = 0;
};

}  // namespace mf::predict
