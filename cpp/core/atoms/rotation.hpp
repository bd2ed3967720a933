// Rotation atoms: a coordinate of the tree's own rotated data.
//
// ints     the coordinate, as a feature; those that the tree does not rotate are axes
// weights  none
#pragma once

#include <algorithm>
#include <utility>

#include "atoms/kind.hpp"

namespace mf {

class RotationAtoms final : public AtomType {
 public:
  AtomKind kind() const override { return AtomKind::rotation; }
  const char* name() const override { return "rotation"; }

  void check(const Atom& atom, const Geometry& geometry, std::size_t rotation_size) const override {
    require(atom.ints.size() == 1, "a rotation atom is malformed");
    require_below(atom.ints, geometry.n_features);
    require(rotation_size > 0, "rotations are missing");
  }
  void compile(const Atom& atom, const Geometry&, CompiledAtom& out) const override {
    out.table = TableId::rotated();
    out.whole = false;
    out.terms.push_back({atom.ints[0], 1.0F});
  }
  void features(const Atom& atom, const Geometry&, const Rotation& rotation,
                std::vector<std::int32_t>& out) const override {
    if (rotation.column_of(atom.ints[0]) < rotation.dims.size())
      out.assign(rotation.dims.begin(), rotation.dims.end());
    else
      out.push_back(atom.ints[0]);
  }
  void weights(const Atom& atom, const Geometry&, const Rotation& rotation,
               std::vector<float>& out) const override {
    const std::size_t r = rotation.dims.size(), column = rotation.column_of(atom.ints[0]);
    if (column == r) {
      out.push_back(1.0F);
      return;
    }
    for (std::size_t j = 0; j < r; ++j) out.push_back(rotation.matrix[j * r + column]);
  }
  std::string text(const Atom& atom, const Geometry&) const override {
    std::string text = "rotated x[";
    text += std::to_string(atom.ints[0]);
    return text += "]";
  }
};

// Whether an atom over the rotated data is a coordinate that is not rotated.
inline bool stays_axis(const Rotation& rotation, const CompiledAtom& atom) {
  return atom.is_one_column() && rotation.column_of(atom.terms[0].column) == rotation.dims.size();
}

// Rewrites an atom over the rotated data as one over the features. A coordinate of a row is the sum
// of the same products in the same order as in RowRotation, rounded to float as there.
inline void unrotate(const Rotation& rotation, CompiledAtom& atom) {
  const std::size_t r = rotation.dims.size();
  std::vector<Term> columns;
  std::swap(columns, atom.terms);
  atom.table = {};
  for (std::size_t g = 0; g < columns.size(); ++g) {  // one column is a group
    const std::size_t column = rotation.column_of(columns[g].column);
    if (column == r)
      atom.terms.push_back(columns[g]);
    else
      for (std::size_t j = 0; j < r; ++j)
        atom.terms.push_back({rotation.dims[j], rotation.matrix[j * r + column]});
    if (atom.reduction != Reduction::sum)
      atom.group_ends[g] = static_cast<std::uint32_t>(atom.terms.size());
  }
}

}  // namespace mf
