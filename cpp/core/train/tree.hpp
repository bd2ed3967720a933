// A grown tree: flat arrays, one entry per node. docs/architecture.md explains every array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "atoms/atom.hpp"
#include "atoms/geometry.hpp"
#include "atoms/node_kind.hpp"
#include "base/copy_range.hpp"
#include "base/page_vector.hpp"

namespace mf::train {

// `missing_left` of a split that saw nothing missing, while its tree is being grown.
constexpr std::uint8_t kUndecided = 2;

// Whole numbers in as few bytes as the largest of them needs.
class SmallNumbers {
 public:
  // So many numbers, from 0 on, have room in 16 bits.
  static constexpr std::size_t kMost16 = std::size_t{1} << 16;

  SmallNumbers() = default;
  explicit SmallNumbers(std::span<const std::int32_t> numbers) {
    std::int32_t low = 0, high = 0;  // a loop that compilers vectorise, unlike std::minmax_element
    for (const std::int32_t number : numbers) {
      low = number < low ? number : low;
      high = number > high ? number : high;
    }
    copy(numbers, low, high);
  }
  // The same of numbers from 0 to `high` at most.
  SmallNumbers(std::span<const std::int32_t> numbers, std::int32_t high) { copy(numbers, 0, high); }
  std::size_t size() const {
    return std::visit([](const auto& v) { return v.size(); }, numbers_);
  }
  // Calls visit(vector of the numbers).
  template <class Visit>
  void visit(const Visit& visit) const {
    std::visit(visit, numbers_);
  }
  // Which signed numbers have room for all of them: of 8, 16 or 32 bits.
  int bits() const {
    if (numbers_.index() == 0) return 8;
    return std::holds_alternative<std::vector<std::int16_t>>(numbers_) ? 16 : 32;
  }
  template <class T>
  void copy_to(T* out) const {
    std::visit(
        [&](const auto& v) {
          std::transform(v.begin(), v.end(), out,
                         [](auto number) { return static_cast<T>(number); });
        },
        numbers_);
  }

 private:
  void copy(std::span<const std::int32_t> numbers, std::int32_t low, std::int32_t high) {
    if (low >= INT8_MIN && high <= INT8_MAX)
      numbers_ = std::vector<std::int8_t>(numbers.begin(), numbers.end());
    else if (low >= INT16_MIN && high <= INT16_MAX)
      numbers_ = std::vector<std::int16_t>(numbers.begin(), numbers.end());
    else if (low >= 0 && static_cast<std::size_t>(high) < kMost16)
      numbers_ = std::vector<std::uint16_t>(numbers.begin(), numbers.end());
    else
      numbers_ = std::vector<std::int32_t>(numbers.begin(), numbers.end());
  }

  std::variant<std::vector<std::int8_t>, std::vector<std::uint16_t>, std::vector<std::int16_t>,
               std::vector<std::int32_t>>
      numbers_;
};

// Cost-complexity pruning at a price per leaf in [alphas[k], alphas[k + 1]) gives a tree whose
// leaves have the total impurity impurities[k], each weighted by its share of the rows. The first
// alpha is 0, which prunes nothing; the last one leaves only the root.
struct PruningPath {
  std::vector<double> alphas;  // ascending
  std::vector<double> impurities;
};

struct Tree {
  PageVector<std::int32_t> left;  // right child is left + 1; 0 marks a leaf
  PageVector<std::uint8_t> kind;
  PageVector<double> threshold;
  PageVector<std::uint8_t> missing_left;
  PageVector<double> gain;  // as a share of the root's weight
  PageVector<double> weight;
  PageVector<double> value;       // n_nodes × value_width
  PageVector<std::int32_t> atom;  // index into atoms, -1 for a leaf
  AtomList atoms;
  Rotation rotation;

  PruningPath pruning_path;  // of the tree before it was pruned, if asked for

  std::size_t size() const { return left.size(); }
  bool is_leaf(std::size_t node) const { return left[node] == 0; }

  // Appends a leaf with room for its value; returns its index.
  std::int32_t add_leaf(std::size_t value_width) {
    check_size(left.size() + 1);
    left.push_back(0);
    kind.push_back(static_cast<std::uint8_t>(NodeKind::leaf));
    threshold.push_back(0.0);
    missing_left.push_back(0);
    gain.push_back(0.0);
    weight.push_back(0.0);
    value.resize(value.size() + value_width, 0.0);
    atom.push_back(-1);
    return static_cast<std::int32_t>(left.size() - 1);
  }

  // Appends leaves, or removes the last nodes.
  void resize(std::size_t n_nodes, std::size_t value_width) {
    check_size(n_nodes);
    left.resize(n_nodes, 0);
    kind.resize(n_nodes, static_cast<std::uint8_t>(NodeKind::leaf));
    threshold.resize(n_nodes, 0.0);
    missing_left.resize(n_nodes, 0);
    gain.resize(n_nodes, 0.0);
    weight.resize(n_nodes, 0.0);
    value.resize(n_nodes * value_width, 0.0);
    atom.resize(n_nodes, -1);
  }

  // Makes a leaf a split.
  void make_split(std::size_t node, std::size_t first_child, double at, std::uint8_t missing,
                  double share, std::size_t of_atom) {
    kind[node] = static_cast<std::uint8_t>(NodeKind::numeric);
    left[node] = static_cast<std::int32_t>(first_child);
    threshold[node] = at;
    missing_left[node] = missing;
    gain[node] = share;
    atom[node] = static_cast<std::int32_t>(of_atom);
  }

  // Copies a node of another tree, with its atom, except for the indices of its children.
  void copy_node(const Tree& from, std::size_t node, std::size_t to, std::size_t value_width) {
    replace_node(from, node, to, value_width);
    left[to] = 0;
    if (from.is_leaf(node)) return;
    atom[to] = static_cast<std::int32_t>(atoms.size());
    atoms.push(from.atoms[static_cast<std::size_t>(from.atom[node])]);
  }
  // The same with the numbers that its left child and its atom have there.
  void replace_node(const Tree& from, std::size_t node, std::size_t to, std::size_t value_width) {
    std::copy_n(from.value.begin() + static_cast<std::ptrdiff_t>(node * value_width), value_width,
                value.begin() + static_cast<std::ptrdiff_t>(to * value_width));
    left[to] = from.left[node];
    kind[to] = from.kind[node];
    threshold[to] = from.threshold[node];
    missing_left[to] = from.missing_left[node];
    gain[to] = from.gain[node];
    weight[to] = from.weight[node];
    atom[to] = from.atom[node];
  }
  // That for nodes begin .. end - 1, from `to` on. The other tree may be this one if that is later.
  void copy_nodes(const Tree& from, std::size_t begin, std::size_t end, std::size_t to,
                  std::size_t value_width) {
    copy_range(from.left, begin, end, left, to);
    copy_range(from.kind, begin, end, kind, to);
    copy_range(from.threshold, begin, end, threshold, to);
    copy_range(from.missing_left, begin, end, missing_left, to);
    copy_range(from.gain, begin, end, gain, to);
    copy_range(from.weight, begin, end, weight, to);
    copy_range(from.value, begin * value_width, end * value_width, value, to * value_width);
    copy_range(from.atom, begin, end, atom, to);
  }

  // Room for so many nodes: growing vectors again and again means new pages every time.
  void reserve(std::size_t n_nodes, std::size_t value_width, const AtomList::Size& of_atoms) {
    left.reserve(n_nodes);
    kind.reserve(n_nodes);
    threshold.reserve(n_nodes);
    missing_left.reserve(n_nodes);
    gain.reserve(n_nodes);
    weight.reserve(n_nodes);
    value.reserve(n_nodes * value_width);
    atom.reserve(n_nodes);
    atoms.reserve(of_atoms);
  }

  void clear(Memory memory) {
    empty(left, memory);
    empty(kind, memory);
    empty(threshold, memory);
    empty(missing_left, memory);
    empty(gain, memory);
    empty(weight, memory);
    empty(value, memory);
    empty(atom, memory);
    atoms.clear();
    rotation = {};
    pruning_path = {};
  }

  void make_leaf(std::size_t node) {
    left[node] = 0;
    kind[node] = static_cast<std::uint8_t>(NodeKind::leaf);
    threshold[node] = 0.0;
    missing_left[node] = 0;
    gain[node] = 0.0;
    atom[node] = -1;
  }

 private:
  // n rows make up to 2 n - 1 nodes: more than 2^30 rows may exceed the range of `left`.
  static void check_size(std::size_t n_nodes) {
    if (n_nodes > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
      throw std::length_error("a tree must have fewer than 2**31 nodes: set max_leaf_nodes");
  }
};

}  // namespace mf::train
