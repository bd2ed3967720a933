// Compiled atoms: groups of terms over the columns of one table. This is all that projecting and
// predicting know of an atom, whatever its kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mf {

// A table of the data. Columns are features (raw), entries of the summed-area table of a grid
// (summed), or features of the tree's own rotated data (rotated).
// A grid says what lies on it: the features, or the cells of a view.
struct TableId {
  enum class Kind : std::uint8_t { raw, summed, rotated };

  Kind kind = Kind::raw;
  std::int32_t grid = -1;  // of a summed-area table

  static TableId summed(std::int32_t grid) { return {Kind::summed, grid}; }
  static TableId rotated() { return {Kind::rotated, -1}; }
};

struct Term {
  std::int32_t column;
  float weight;
};

// How the sums of the groups of an atom become its value. A sum has one group.
enum class Reduction : std::uint8_t { sum, maximum, minimum };

// The value of an atom is the reduction of the sums of its groups; it is missing where any of these
// is. What a group may be depends on the table:
//   raw      any weights
//   summed   the corners of a sum of features, of whole weights: the same terms over the table of
//            missing values tell how many of these features are missing
//   rotated  one column of weight 1
struct CompiledAtom {
  TableId table;
  Reduction reduction = Reduction::sum;
  bool whole = true;  // all weights are whole numbers: sums of uint8 are exact in 32 bits
  // Over a summed-area table: the value is the sum of the features that the atom touches, which a
  // small patch of few rows reads sooner than its corners.
  bool plain_sum = false;
  std::vector<Term> terms;
  std::vector<std::uint32_t> group_ends;  // positions in terms; none for a sum

  void clear() {
    table = {};
    reduction = Reduction::sum;
    whole = true;
    plain_sum = false;
    terms.clear();
    group_ends.clear();
  }

  std::size_t n_groups() const { return reduction == Reduction::sum ? 1 : group_ends.size(); }
  std::span<const Term> group(std::size_t g) const {
    if (reduction == Reduction::sum) return terms;
    const std::size_t begin = g == 0 ? 0 : group_ends[g - 1];
    return std::span<const Term>(terms).subspan(begin, group_ends[g] - begin);
  }
  // Whether the value is an entry of the table as it is.
  bool is_one_column() const {
    return reduction == Reduction::sum && terms.size() == 1 && terms[0].weight == 1.0F;
  }
};

}  // namespace mf
