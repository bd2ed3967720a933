// The flat forest: all trees side by side, as Python owns it. docs/architecture.md lists the
// arrays.
#pragma once

#include <cstdint>
#include <span>

#include "atoms/atom.hpp"
#include "atoms/geometry.hpp"

namespace mf {

// Non-owning view of the arrays; `value` is float32 for classification, float64 for regression.
struct FlatForest {
  std::span<const std::int64_t> tree_offsets;
  std::span<const std::int32_t> left;
  std::span<const std::uint8_t> kind;
  std::span<const double> threshold;
  std::span<const std::uint8_t> missing_left;
  std::span<const float> gain;
  std::span<const double> weight;
  const float* shares = nullptr;
  const double* means = nullptr;
  std::size_t value_width = 0;
  std::span<const std::uint8_t> atom_kind;
  std::span<const std::int64_t> atom_offsets;
  std::span<const std::int32_t> atom_ints;
  std::span<const std::int64_t> weight_offsets;
  std::span<const float> atom_weights;
  std::size_t rotation_size = 0;
  const std::int32_t* rotation_dims = nullptr;  // trees × rotation_size
  const float* rotations = nullptr;             // trees × rotation_size²

  std::size_t n_trees() const { return tree_offsets.size() - 1; }
  std::size_t n_nodes() const { return left.size(); }
  bool is_leaf(std::size_t node) const { return left[node] == 0; }

  Atom atom(std::size_t node) const {
    const auto i = static_cast<std::size_t>(atom_offsets[node]);
    const auto w = static_cast<std::size_t>(weight_offsets[node]);
    return {static_cast<AtomKind>(atom_kind[node]),
            atom_ints.subspan(i, static_cast<std::size_t>(atom_offsets[node + 1]) - i),
            atom_weights.subspan(w, static_cast<std::size_t>(weight_offsets[node + 1]) - w)};
  }
  Rotation rotation(std::size_t tree) const {
    Rotation r;
    if (rotation_size == 0) return r;
    r.dims.assign(rotation_dims + tree * rotation_size, rotation_dims + (tree + 1) * rotation_size);
    const std::size_t entries = rotation_size * rotation_size;
    r.matrix.assign(rotations + tree * entries, rotations + (tree + 1) * entries);
    return r;
  }
};

}  // namespace mf
