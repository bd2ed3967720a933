#include "train/join_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

namespace mf::train {
namespace {

// Nodes and atoms: those of parts together, or those before a place in the whole tree.
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

// Of a part and all that come from it, except for its root, which is a leaf of the part that gave
// it.
using Totals = std::unordered_map<const Part*, Total>;

// Without recursion: a part may come from a part that comes from a part.
Totals count(const Part& root) {
  std::vector<const Part*> parts{&root};
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const Given& given : parts[i]->given) parts.push_back(given.part.get());
  Totals totals;
  for (std::size_t i = parts.size(); i-- > 0;) {
    Total& total = totals[parts[i]] = {parts[i]->tree.size() - 1, parts[i]->tree.atoms.total()};
    for (const Given& given : parts[i]->given) total.add(totals[given.part.get()]);
  }
  return totals;
}

// Where a part comes to lie in the whole: stretches of its nodes and atoms, between which are those
// of the subtrees that it has given away.
class Layout {
 public:
  // Its first stretch comes after `before`; its root has a place already.
  Layout(const Part& part, std::size_t root_at, Total before, const Totals& totals)
      : part_(part), root_at_(root_at) {
    std::size_t node = 1;
    AtomList::Size atoms;
    const auto add_stretch = [&](std::size_t end, std::size_t end_atom) {
      const AtomList::Size end_atoms = part.tree.atoms.before(end_atom);
      stretches_.push_back({node, end, atoms.atoms, end_atom, before});
      before.add({end - node,
                  {end_atom - atoms.atoms, end_atoms.ints - atoms.ints,
                   end_atoms.weights - atoms.weights}});
      node = end;
      atoms = end_atoms;
    };
    for (const Given& given : part.given) {
      add_stretch(given.n_nodes, given.n_atoms);
      before_given_.push_back(before);
      before.add(totals.at(given.part.get()));
    }
    add_stretch(part.tree.size(), part.tree.atoms.size());
  }

  // Appends those of the subtrees that it has given away.
  void list_given(const Totals& totals, std::deque<Layout>& layouts) const {
    for (std::size_t g = 0; g < part_.given.size(); ++g) {
      const Given& given = part_.given[g];
      layouts.emplace_back(*given.part, place(given.leaf), before_given_[g], totals);
    }
  }

  // From the last one on: in the part that becomes the whole, all of them move to later places.
  void copy_stretches(Part& whole, std::size_t value_width) const {
    for (std::size_t s = stretches_.size(); s-- > 0;) {
      const Stretch& stretch = stretches_[s];
      const std::size_t to = stretch.before.nodes;
      whole.copy_nodes(part_, stretch.node, stretch.end, to, value_width);
      whole.tree.atoms.copy(part_.tree.atoms, stretch.atom, stretch.end_atom, stretch.before.atoms);
      renumber(whole.tree, to, to + (stretch.end - stretch.node));
    }
  }
  // After the stretch of another part that has a leaf in its place.
  void copy_root(Part& whole, std::size_t value_width) const {
    whole.tree.replace_node(part_.tree, 0, root_at_, value_width);
    std::copy_n(part_.sums_of(0), whole.n_sums, whole.sums_of(root_at_));
    renumber(whole.tree, root_at_, root_at_ + 1);
  }

 private:
  struct Stretch {
    std::size_t node, end, atom, end_atom;
    Total before;  // in the whole

    std::size_t node_shift() const { return before.nodes - node; }
    std::size_t atom_shift() const { return before.atoms.atoms - atom; }
  };

  std::size_t place(std::size_t node) const {
    if (node == 0) return root_at_;
    const auto after =
        std::upper_bound(stretches_.begin() + 1, stretches_.end(), node,
                         [](std::size_t a, const Stretch& stretch) { return a < stretch.node; });
    return node + (after - 1)->node_shift();
  }

  // Children and atoms of nodes that were copied get their numbers in the whole.
  void renumber(Tree& tree, std::size_t begin, std::size_t end) const {
    const auto of = [&](auto& numbers) { return std::span(numbers).subspan(begin, end - begin); };
    for (std::size_t s = stretches_.size(); s-- > 0;) {
      const Stretch& stretch = stretches_[s];
      const std::size_t nodes_before = s > 0 ? stretches_[s - 1].node_shift() : 0;
      const std::size_t atoms_before = s > 0 ? stretches_[s - 1].atom_shift() : 0;
      shift(of(tree.left), stretch.node, stretch.node_shift() - nodes_before);
      shift(of(tree.atom), stretch.atom, stretch.atom_shift() - atoms_before);
    }
  }

  // Adds to all numbers from `first` on. A loop that compilers vectorise. The last stretch comes
  // first: what belongs to an earlier one is still below `first`, as is what leaves have.
  static void shift(std::span<std::int32_t> numbers, std::size_t first, std::size_t more) {
    if (more == 0) return;
    const auto least = static_cast<std::int32_t>(first), added = static_cast<std::int32_t>(more);
    for (std::int32_t& number : numbers) number += number >= least ? added : 0;
  }

  const Part& part_;
  const std::size_t root_at_;
  std::vector<Stretch> stretches_;
  std::vector<Total> before_given_;
};

}  // namespace

void join_given(Part& part, std::size_t value_width, const BlockLoop& loop) {
  if (part.given.empty()) return;
  const Totals totals = count(part);
  const Total& total = totals.at(&part);
  const Total root{1, {}};
  std::deque<Layout> layouts;  // which stay where they are
  layouts.emplace_back(part, 0, root, totals);
  for (std::size_t i = 0; i < layouts.size(); ++i) layouts[i].list_given(totals, layouts);
  // The part that has the root becomes the whole, in the memory that it has: new pages take longer
  // than copying.
  part.reserve(root.nodes + total.nodes, value_width, total.atoms);
  part.resize(root.nodes + total.nodes, value_width);
  part.tree.atoms.resize(total.atoms);
  layouts[0].copy_stretches(part, value_width);
  loop(layouts.size() - 1,
       [&](std::size_t i) { layouts[i + 1].copy_stretches(part, value_width); });
  for (std::size_t i = 1; i < layouts.size(); ++i) layouts[i].copy_root(part, value_width);
  part.given.clear();
}

}  // namespace mf::train
