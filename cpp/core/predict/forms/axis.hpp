// Nodes that look at one feature.
#pragma once

#include "predict/forms/form.hpp"

namespace mf::predict {

// One feature of integers.
class IntegerAxisForm : public RawForm<std::uint8_t> {
 public:
  struct Node {
    std::array<Reference, 2> child;
    std::uint32_t column;
    std::int32_t threshold;
  };

  explicit IntegerAxisForm(const Geometry&) {}

  bool pack(const Split& split, Node& node) {
    const auto& terms = split.atom.terms;
    if (terms.size() != 1 || terms[0].weight != 1.0F) return false;
    node.column = static_cast<std::uint32_t>(terms[0].column);
    node.threshold = whole_threshold(split.threshold, 255);
    return true;
  }
  static std::size_t side(const Node& node, const Entry* row) {
    return std::int32_t{row[node.column]} > node.threshold ? 1 : 0;
  }
};

// One feature of floats.
class FloatAxisForm : public RawForm<float> {
 public:
  struct Node {
    std::array<Reference, 2> child;
    std::uint32_t column;
    float threshold;
    std::uint32_t missing_side;
  };

  explicit FloatAxisForm(const Geometry&) {}

  bool pack(const Split& split, Node& node) {
    const auto& terms = split.atom.terms;
    if (terms.size() != 1 || terms[0].weight != 1.0F) return false;
    node.column = static_cast<std::uint32_t>(terms[0].column);
    node.threshold = float_threshold(split.threshold);
    node.missing_side = split.missing_left ? 0 : 1;
    return true;
  }
  static std::size_t side(const Node& node, const Entry* row) {
    return side_of(row[node.column], node.threshold, node.missing_side);
  }
};

}  // namespace mf::predict
