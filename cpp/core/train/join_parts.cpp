#include "train/join_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mf::train {
namespace {

// What the parts from one on hold together.
struct Total {
  std::size_t nodes = 0;
  AtomList::Size atoms;

  void add(const Total& other) {
    nodes += other.nodes;
    atoms.atoms += other.atoms.atoms;
    atoms.ints += other.atoms.ints;
    atoms.weights += other.atoms.weights;
  }
};

using Totals = std::unordered_map<const Part*, Total>;

// Without recursion: a part may come from a part that comes from a part.
Totals count(const Part& root) {
  std::vector<const Part*> parts{&root};
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const Given& given : parts[i]->given) parts.push_back(given.part.get());
  Totals totals;
  for (std::size_t i = parts.size(); i-- > 0;) {
    Total& total = totals[parts[i]] = {parts[i]->tree.size(), parts[i]->tree.atoms.total()};
    for (const Given& given : parts[i]->given) {
      total.add(totals[given.part.get()]);
      --total.nodes;  // its root is a leaf here already
    }
  }
  return totals;
}

// A part on its way into the whole: stretches of its nodes and atoms, between which are those of
// the subtrees that it has given away.
class Copying {
 public:
  Copying(const Part& part, std::size_t root_at, const Part& whole, const Totals& totals)
      : part_(part), root_at_(root_at) {
    std::size_t node = whole.tree.size(), atom = whole.tree.atoms.size();
    Stretch stretch{1, 0, node - 1, atom};  // the root has its place already
    stretches_.push_back(stretch);
    for (const Given& given : part.given) {
      const Total& total = totals.at(given.part.get());
      stretch.node_shift += total.nodes - 1;
      stretch.atom_shift += total.atoms.atoms;
      stretch.node = given.n_nodes;
      stretch.atom = given.n_atoms;
      stretches_.push_back(stretch);
    }
  }

  // Whether there is another subtree to be copied after the next stretch.
  bool has_given() const { return next_ < part_.given.size(); }
  const Given& given() const { return part_.given[next_]; }

  void copy_stretch(Part& whole, std::size_t value_width) {
    if (next_ == 0) copy_root(whole, value_width);
    const std::size_t begin = stretches_[next_].node, first_atom = stretches_[next_].atom;
    const std::size_t end = has_given() ? given().n_nodes : part_.tree.size();
    const std::size_t end_atom = has_given() ? given().n_atoms : part_.tree.atoms.size();
    const std::size_t to = whole.tree.size();
    whole.slices.insert(whole.slices.end(),
                        part_.slices.begin() + static_cast<std::ptrdiff_t>(begin),
                        part_.slices.begin() + static_cast<std::ptrdiff_t>(end));
    whole.sums.insert(whole.sums.end(), part_.sums_of(begin), part_.sums_of(end));
    whole.tree.append_nodes(part_.tree, begin, end, value_width);
    whole.tree.atoms.append(part_.tree.atoms, first_atom, end_atom);
    renumber(whole.tree, to, whole.tree.size());
    ++next_;
  }

  std::size_t place(std::size_t node) const {
    if (node == 0) return root_at_;
    const auto after =
        std::upper_bound(stretches_.begin() + 1, stretches_.end(), node,
                         [](std::size_t a, const Stretch& stretch) { return a < stretch.node; });
    return node + (after - 1)->node_shift;
  }

 private:
  struct Stretch {
    std::size_t node, atom;              // the first ones
    std::size_t node_shift, atom_shift;  // to their places in the whole
  };

  void copy_root(Part& whole, std::size_t value_width) const {
    whole.tree.replace_node(part_.tree, 0, root_at_, value_width);
    std::copy_n(part_.sums_of(0), whole.n_sums, whole.sums_of(root_at_));
    renumber(whole.tree, root_at_, root_at_ + 1);
  }

  // Children and atoms of nodes that were copied get their numbers in the whole.
  void renumber(Tree& tree, std::size_t begin, std::size_t end) const {
    const auto of = [&](auto& numbers) { return std::span(numbers).subspan(begin, end - begin); };
    for (std::size_t s = stretches_.size(); s-- > 0;) {
      const Stretch& stretch = stretches_[s];
      const std::size_t nodes_before = s > 0 ? stretches_[s - 1].node_shift : 0;
      const std::size_t atoms_before = s > 0 ? stretches_[s - 1].atom_shift : 0;
      shift(of(tree.left), stretch.node, stretch.node_shift - nodes_before);
      shift(of(tree.atom), stretch.atom, stretch.atom_shift - atoms_before);
    }
  }

  // Adds to all numbers from `first` on. A loop that compilers vectorise. The last stretch comes
  // first: what belongs to an earlier one is still below `first`, as is what leaves have.
  static void shift(std::span<std::int32_t> numbers, std::size_t first, std::size_t more) {
    const auto least = static_cast<std::int32_t>(first), added = static_cast<std::int32_t>(more);
    for (std::int32_t& number : numbers) number += number >= least ? added : 0;
  }

  const Part& part_;
  const std::size_t root_at_;
  std::size_t next_ = 0;  // stretch
  std::vector<Stretch> stretches_;
};

}  // namespace

void join_given(Part& part, std::size_t value_width) {
  if (part.given.empty()) return;
  const Totals totals = count(part);
  const Total& total = totals.at(&part);
  Part whole;
  whole.tree.rotation = std::move(part.tree.rotation);
  whole.n_sums = part.n_sums;
  whole.reserve(total.nodes, value_width, total.atoms);
  whole.tree.prefer_huge_pages();
  whole.add_leaf(value_width, part.slices[0]);
  std::vector<Copying> stack;
  stack.emplace_back(part, 0, whole, totals);
  while (!stack.empty()) {
    Copying& copying = stack.back();
    const Given* const given = copying.has_given() ? &copying.given() : nullptr;
    copying.copy_stretch(whole, value_width);
    if (given == nullptr)
      stack.pop_back();
    else
      stack.emplace_back(*given->part, copying.place(given->leaf), whole, totals);
  }
  part = std::move(whole);
}

}  // namespace mf::train
