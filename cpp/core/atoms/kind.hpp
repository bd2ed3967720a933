// What a kind of atom is. One header in this folder for each, and one table of all, list.cpp.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "atoms/atom.hpp"
#include "atoms/compiled.hpp"
#include "atoms/geometry.hpp"

namespace mf {

class AtomType {
 public:
  virtual ~AtomType() = default;

  virtual AtomKind kind() const = 0;
  // The word for it in messages.
  virtual const char* name() const = 0;
  // The same for one atom: "patch on gradients".
  std::string name_of(const Atom& atom, const Geometry& geometry) const {
    std::string text = name();
    if (const int number = view(atom, geometry); number >= 0)
      text += " on " + geometry.views[static_cast<std::size_t>(number)]->spec().kind;
    return text;
  }

  // Throws std::invalid_argument if a number of the atom refers to nothing. rotation_size: how many
  // coordinates the rotations of the forest have, 0 if there are none. All other functions require
  // an atom that was checked, or drawn by a sampler.
  virtual void check(const Atom& atom, const Geometry& geometry,
                     std::size_t rotation_size) const = 0;

  // `out` was cleared.
  virtual void compile(const Atom& atom, const Geometry& geometry, CompiledAtom& out) const = 0;

  // The features that the value depends on, each once; `out` is empty. Only kinds that read the
  // rotated data use the rotation of the tree.
  virtual void features(const Atom& atom, const Geometry& geometry, const Rotation& rotation,
                        std::vector<std::int32_t>& out) const = 0;

  // Of atoms that read a summed-area table: the places on the grid that the value depends on, each
  // once; `out` is empty. These are features unless a view lies on the grid.
  virtual void cells(const Atom& /*atom*/, const Geometry& /*geometry*/,
                     std::vector<std::int32_t>& /*out*/) const {}
  // The view whose cells these are; -1 if the atom reads features.
  virtual int view(const Atom& /*atom*/, const Geometry& /*geometry*/) const { return -1; }

  // Whether the value is a weighted sum of these features, and their weights in the same order,
  // which only linear atoms have. Those on a view are not.
  virtual bool is_linear(const Atom& atom, const Geometry& geometry) const {
    return view(atom, geometry) < 0;
  }
  virtual void weights(const Atom& /*atom*/, const Geometry& /*geometry*/,
                       const Rotation& /*rotation*/, std::vector<float>& /*out*/) const {
    throw std::logic_error(std::string(name()) + " atoms have no weights");
  }

  // Of atoms that read a summed-area table: the most features that one group adds up. 255 times
  // that bounds its sums of bytes, which lie in tables of 16 bits if they are below 2^16. A kind
  // whose sums may be negative returns 2^16.
  virtual std::size_t largest_sum(const Atom& /*atom*/, const Geometry& /*geometry*/) const {
    return 0;
  }

  // The value as a formula for people, over the features x of an example.
  virtual std::string text(const Atom& atom, const Geometry& geometry) const = 0;

 protected:
  static void require(bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(std::string("arrays: ") + what);
  }
  static void require_below(std::span<const std::int32_t> ints, std::size_t bound) {
    for (const std::int32_t i : ints)
      require(i >= 0 && static_cast<std::size_t>(i) < bound,
              "an atom names a feature that does not exist");
  }
};

// The type of a kind, which must be known; and null if a number from elsewhere names no kind.
const AtomType& type_of(AtomKind kind);
const AtomType* find_atom_type(std::uint8_t kind);

inline void compile(const Atom& atom, const Geometry& geometry, CompiledAtom& out) {
  out.clear();
  type_of(atom.kind).compile(atom, geometry, out);
}

// Writes an atom out as features and weights; throws std::invalid_argument if it is not linear.
void expand(const Atom& atom, const Geometry& geometry, const Rotation& rotation,
            std::vector<std::int32_t>& features, std::vector<float>& weights);

}  // namespace mf
