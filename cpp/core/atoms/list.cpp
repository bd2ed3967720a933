// All kinds of atoms. To add one: its number in atoms/atom.hpp, a header in this folder with
// a subclass of AtomType, and its line here.
#include <array>
#include <iterator>

#include "atoms/dictionary.hpp"
#include "atoms/kind.hpp"
#include "atoms/patch.hpp"
#include "atoms/rotation.hpp"
#include "atoms/sparse.hpp"

namespace mf {
namespace {

const SparseAtoms kSparse;
const PatchAtoms kPatch;
const DictionaryAtoms kDictionary;
const RotationAtoms kRotation;

const AtomType* const kAll[] = {&kSparse, &kPatch, &kDictionary, &kRotation};

// Kinds are numbered from 0 without gaps, in any order above.
const auto kByKind = [] {
  std::array<const AtomType*, std::size(kAll)> by_kind{};
  for (const AtomType* type : kAll) by_kind.at(static_cast<std::size_t>(type->kind())) = type;
  return by_kind;
}();

}  // namespace

const AtomType& type_of(AtomKind kind) { return *kByKind[static_cast<std::size_t>(kind)]; }

const AtomType* find_atom_type(std::uint8_t kind) {
  return kind < kByKind.size() ? kByKind[kind] : nullptr;
}

void expand(const Atom& atom, const Geometry& geometry, const Rotation& rotation,
            std::vector<std::int32_t>& features, std::vector<float>& weights) {
  const AtomType& type = type_of(atom.kind);
  if (!type.is_linear(atom, geometry))
    throw std::invalid_argument("atoms of kind " + type.name_of(atom, geometry) +
                                " are no weighted sums of features");
  features.clear();
  weights.clear();
  type.features(atom, geometry, rotation, features);
  type.weights(atom, geometry, rotation, weights);
}

}  // namespace mf
