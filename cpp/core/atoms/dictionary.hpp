// Dictionary atoms: a weighted sum of features that is listed in the geometry.
//
// ints     the row of the shared dictionary weights  none: the dictionary has them
#pragma once

#include "atoms/kind.hpp"
#include "atoms/weighted.hpp"

namespace mf {

class DictionaryAtoms final : public AtomType {
 public:
  AtomKind kind() const override { return AtomKind::dictionary; }
  const char* name() const override { return "dictionary"; }

  void check(const Atom& atom, const Geometry& geometry, std::size_t) const override {
    require(atom.ints.size() == 1, "a dictionary atom is malformed");
    require_below(atom.ints, geometry.dictionary.size());
  }
  void compile(const Atom& atom, const Geometry& geometry, CompiledAtom& out) const override {
    compile_weighted(row(atom, geometry.dictionary.features, geometry),
                     row(atom, geometry.dictionary.weights, geometry), out);
  }
  void features(const Atom& atom, const Geometry& geometry, const Rotation&,
                std::vector<std::int32_t>& out) const override {
    const auto listed = row(atom, geometry.dictionary.features, geometry);
    out.assign(listed.begin(), listed.end());
  }
  void weights(const Atom& atom, const Geometry& geometry, const Rotation&,
               std::vector<float>& out) const override {
    const auto listed = row(atom, geometry.dictionary.weights, geometry);
    out.assign(listed.begin(), listed.end());
  }
  std::string text(const Atom& atom, const Geometry& geometry) const override {
    return text_of_weighted(row(atom, geometry.dictionary.features, geometry),
                            row(atom, geometry.dictionary.weights, geometry));
  }

 private:
  template <class V>
  static std::span<const V> row(const Atom& atom, const std::vector<V>& all,
                                const Geometry& geometry) {
    const std::int64_t* bounds = geometry.dictionary.offsets.data() + atom.ints[0];
    return {all.data() + bounds[0], all.data() + bounds[1]};
  }
};

}  // namespace mf
