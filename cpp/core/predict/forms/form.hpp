// Forms of split nodes: how the atoms that a forest has most of are packed for fast walks.
//
// A form says which table of a row its nodes read, packs an atom into a node (or refuses), and
// tells on which side of a node a row falls. All of them give the same answers as value_at, which
// serves the atoms that a form refuses. Here is what they have in common.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "atoms/compiled.hpp"
#include "atoms/geometry.hpp"
#include "base/inlining.hpp"
#include "views/cells.hpp"

namespace mf::predict {

// What a node is made of before it is packed.
struct Split {
  const CompiledAtom& atom;
  double threshold;  // left iff value ≤ threshold
  bool missing_left;
};

// Child of a node, see packed_forest.hpp.
using Reference = std::int32_t;

// The largest whole number of at most `bound` that is not above the threshold.
inline std::int32_t whole_threshold(double threshold, std::int32_t bound) {
  if (!(threshold < bound)) return bound;  // also if it is not a number
  return static_cast<std::int32_t>(std::floor(std::max(threshold, -static_cast<double>(bound))));
}

// The largest float that is not above the threshold.
inline float float_threshold(double threshold) {
  if (threshold != threshold) return std::numeric_limits<float>::infinity();
  const auto nearest = static_cast<float>(threshold);
  return static_cast<double>(nearest) > threshold
             ? std::nextafter(nearest, -std::numeric_limits<float>::infinity())
             : nearest;
}

// Missing values are rare. For all others there must be no branch, as the side of a row cannot be
// predicted.
inline std::size_t side_of(float value, float threshold, std::uint32_t missing_side) {
  std::size_t side = value > threshold ? 1 : 0;
  if (value != value) [[unlikely]]
    side = missing_side;
  return side;
}

// What forms have in common that read the row itself.
template <class T>
struct RawForm {
  using Example = T;
  using Entry = T;
  static constexpr bool kHasSums = false;

  std::size_t table_size() const { return 0; }
  void fill_table(ExampleViews<Example>&, Entry*) const {}
};

// Whether the form has packed the split. Its table holds features, and summed-area tables if
// kHasSums; maxima and minima are packed by none. Not inlined: it is called both when a form is
// tried and when a forest is packed.
template <class Form>
MF_NOINLINE bool packs(Form& form, const Split& split, typename Form::Node& node) {
  const TableId::Kind table = split.atom.table.kind;
  if (split.atom.reduction != Reduction::sum || table == TableId::Kind::rotated) return false;
  if (table == TableId::Kind::summed && !Form::kHasSums) return false;
  return form.pack(split, node);
}

// A node that adds up entries of its table.
template <class Threshold, class Column, std::size_t kColumns>
struct SumNode {
  std::array<Reference, 2> child;
  Threshold threshold;
  std::array<Column, kColumns> column;
};

}  // namespace mf::predict
