// Compiling: every atom is a short signed sum over the columns of one table.
#pragma once

#include <cstdint>
#include <vector>

#include "projections/atom.hpp"
#include "projections/geometry.hpp"

namespace mf {

// Which table the terms of a compiled atom read.
enum class Source : std::uint8_t { raw, summed, rotated };

struct Term {
  std::int32_t column;
  float weight;
};

struct CompiledAtom {
  Source source = Source::raw;
  std::int32_t grid = -1;  // for Source::summed
  bool whole = true;       // all weights are whole numbers: exact in integers on uint8 data
  std::vector<Term> terms;

  void clear() {
    source = Source::raw;
    grid = -1;
    whole = true;
    terms.clear();
  }
};

// A patch costs at most 2^k terms for k summed axes (twice that per axis where it wraps), whatever
// its area; terms on the zero border of the table are left out.
void compile(const Atom& atom, const Geometry& geometry, CompiledAtom& out);

// The pixels of a patch, as feature indices. Cost grows with the area.
void patch_features(const Atom& patch, const Grid& grid, std::vector<std::int32_t>& features);

// Number of pixels of a patch.
std::size_t patch_area(const Atom& patch, const Grid& grid);

// Writes an atom out as features and weights, whatever its kind (importances, polytopes, tests).
// Rotation atoms need the tree's rotation.
void expand(const Atom& atom, const Geometry& geometry, const Rotation& rotation,
            std::vector<std::int32_t>& features, std::vector<float>& weights);

}  // namespace mf
