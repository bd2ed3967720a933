// Atoms: the candidate directions of splits, in one flat form. What the numbers of an atom mean,
// and everything else that differs between kinds, is in the header of its kind in this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/copy_range.hpp"

namespace mf {

enum class AtomKind : std::uint8_t { sparse = 0, patch = 1, dictionary = 2, rotation = 3 };

struct Atom {
  AtomKind kind = AtomKind::sparse;
  std::span<const std::int32_t> ints;
  std::span<const float> weights;
};

// A growing list of atoms; candidates of a node and the splits of a tree are both kept like this.
class AtomList {
 public:
  std::size_t size() const { return kinds.size(); }
  bool empty() const { return kinds.empty(); }
  void clear() {
    kinds.clear();
    ints.clear();
    weights.clear();
    int_offsets.assign(1, 0);
    weight_offsets.assign(1, 0);
  }

  Atom operator[](std::size_t i) const {
    return {kinds[i],
            {ints.data() + int_offsets[i], ints.data() + int_offsets[i + 1]},
            {weights.data() + weight_offsets[i], weights.data() + weight_offsets[i + 1]}};
  }

  // Append: push numbers to `ints` and `weights`, then close the atom.
  void close(AtomKind kind) {
    kinds.push_back(kind);
    int_offsets.push_back(ints.size());
    weight_offsets.push_back(weights.size());
  }
  void push(const Atom& atom) {
    if (atom.ints.size() == 1 && atom.weights.size() == 1) {  // most atoms: no calls
      ints.push_back(atom.ints[0]);
      weights.push_back(atom.weights[0]);
      return close(atom.kind);
    }
    ints.insert(ints.end(), atom.ints.begin(), atom.ints.end());
    weights.insert(weights.end(), atom.weights.begin(), atom.weights.end());
    close(atom.kind);
  }
  void push_axis(std::int32_t feature) {
    ints.push_back(feature);
    weights.push_back(1.0F);
    close(AtomKind::sparse);
  }
  // The same for several features.
  template <class Features>
  void push_axes(const Features& features) {
    const std::size_t n = size(), more = features.size();
    kinds.resize(n + more, AtomKind::sparse);
    weights.resize(weights.size() + more, 1.0F);
    const std::size_t first_int = int_offsets[n], first_weight = weight_offsets[n];
    int_offsets.resize(n + more + 1);
    weight_offsets.resize(n + more + 1);
    ints.resize(first_int + more);
    std::size_t* const int_offset = int_offsets.data() + n + 1;
    std::size_t* const weight_offset = weight_offsets.data() + n + 1;
    std::int32_t* const feature = ints.data() + first_int;
    for (std::size_t i = 0; i < more; ++i) int_offset[i] = first_int + i + 1;
    for (std::size_t i = 0; i < more; ++i) weight_offset[i] = first_weight + i + 1;
    for (std::size_t i = 0; i < more; ++i) feature[i] = static_cast<std::int32_t>(features[i]);
  }
  // Replaces a list of single features, or an empty one, by another.
  template <class Features>
  void replace_axes(const Features& features) {
    if (size() != features.size()) {
      clear();
      return push_axes(features);
    }
    for (std::size_t i = 0; i < features.size(); ++i)
      ints[i] = static_cast<std::int32_t>(features[i]);
  }
  // How many atoms and numbers there are.
  struct Size {
    std::size_t atoms = 0, ints = 0, weights = 0;
  };
  Size total() const { return {kinds.size(), ints.size(), weights.size()}; }
  Size before(std::size_t atom) const { return {atom, int_offsets[atom], weight_offsets[atom]}; }
  void reserve(const Size& room) {
    for_arrays(room, [](auto& numbers, std::size_t n) { numbers.reserve(n); });
  }
  // What is added is to be copied there.
  void resize(const Size& size) {
    for_arrays(size, [](auto& numbers, std::size_t n) { numbers.resize(n); });
  }
  // Copies atoms begin .. end - 1 of another list, or of this one to a later place.
  void copy(const AtomList& from, std::size_t begin, std::size_t end, const Size& to) {
    const Size first = from.before(begin), last = from.before(end);
    const auto copy_offsets = [&](auto& offsets, const auto& others, std::size_t shift) {
      copy_range(others, begin + 1, end + 1, offsets, to.atoms + 1);
      for (std::size_t i = 1; i <= end - begin; ++i) offsets[to.atoms + i] += shift;  // mod 2^64
    };
    copy_range(from.kinds, begin, end, kinds, to.atoms);
    copy_range(from.ints, first.ints, last.ints, ints, to.ints);
    copy_range(from.weights, first.weights, last.weights, weights, to.weights);
    copy_offsets(int_offsets, from.int_offsets, to.ints - first.ints);
    copy_offsets(weight_offsets, from.weight_offsets, to.weights - first.weights);
  }
  // Forget the numbers pushed since the last close.
  void discard_open() {
    ints.resize(int_offsets.back());
    weights.resize(weight_offsets.back());
  }

  std::vector<AtomKind> kinds;
  // Dense directions of wide data, or of millions of candidates, have more than 2^32 numbers.
  std::vector<std::size_t> int_offsets{0};
  std::vector<std::size_t> weight_offsets{0};
  std::vector<std::int32_t> ints;
  std::vector<float> weights;

 private:
  // Calls visit(array, its length in a list of that size).
  template <class Visit>
  void for_arrays(const Size& size, const Visit& visit) {
    visit(kinds, size.atoms);
    visit(int_offsets, size.atoms + 1);
    visit(weight_offsets, size.atoms + 1);
    visit(ints, size.ints);
    visit(weights, size.weights);
  }
};

}  // namespace mf
