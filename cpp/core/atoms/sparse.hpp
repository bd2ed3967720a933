// Sparse atoms: a weighted sum of features.
//
// ints     features, ascending
// weights  one per feature
#pragma once

#include "atoms/kind.hpp"
#include "atoms/weighted.hpp"

namespace mf {

class SparseAtoms final : public AtomType {
 public:
  AtomKind kind() const override { return AtomKind::sparse; }
  const char* name() const override { return "sparse"; }

  void check(const Atom& atom, const Geometry& geometry, std::size_t) const override {
    require(!atom.ints.empty() && atom.ints.size() == atom.weights.size(),
            "a sparse atom is malformed");
    require_below(atom.ints, geometry.n_features);
  }
  void compile(const Atom& atom, const Geometry&, CompiledAtom& out) const override {
    compile_weighted(atom.ints, atom.weights, out);
  }
  void features(const Atom& atom, const Geometry&, const Rotation&,
                std::vector<std::int32_t>& out) const override {
    out.assign(atom.ints.begin(), atom.ints.end());
  }
  void weights(const Atom& atom, const Geometry&, const Rotation&,
               std::vector<float>& out) const override {
    out.assign(atom.weights.begin(), atom.weights.end());
  }
  std::string text(const Atom& atom, const Geometry&) const override {
    return text_of_weighted(atom.ints, atom.weights);
  }

  // Whether an atom is of this kind and reads one feature, asked once or twice per candidate: most
  // forests split on single features, which need not be compiled.
  static bool is_one_feature(const Atom& atom) {
    return atom.kind == AtomKind::sparse && atom.ints.size() == 1;
  }
};

}  // namespace mf
