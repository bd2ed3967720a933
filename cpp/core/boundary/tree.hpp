// A boundary tree: each example is a child of the one at which its walk ended when it was learned.
//
// Mathy et al. 2015. A node is an entry in its parent's list of children: the slot of its point,
// and where its own children lie if it has any. A leaf costs 8 bytes, an inner node 16.
//
// Changes can be rolled back: between start_change and end_change a tree logs what it overwrites.
// An exception may leave it half changed; roll_back() restores it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/prefetch.hpp"
#include "boundary/distances.hpp"

namespace mf::boundary {

// The cost of a walk through a small tree, in distances.
constexpr std::size_t kWalk = 16;

class Tree {
 public:
  static constexpr std::uint32_t kLeaf = 0xffffffffU;

  struct Child {
    Slot slot = kNoSlot;
    std::uint32_t list = kLeaf;  // of its own children
  };
  // An entry: the n-th child in a list, or the root.
  struct Place {
    std::uint32_t list = kLeaf;
    std::uint32_t position = 0;

    bool is_root() const { return list == kLeaf; }
  };
  struct Arrival {
    Place place;
    Slot slot = kNoSlot;
    double proxy = 0.0;
  };

  // A removable tree finds the node of a slot, and must hold a slot only once.
  Tree(std::size_t max_children, bool removable)
      : max_children_(max_children), removable_(removable) {}

  std::size_t max_children() const { return max_children_; }
  bool empty() const { return root_.slot == kNoSlot; }
  std::size_t size() const { return size_; }
  std::size_t depth() const;
  std::size_t bytes() const;
  void clear() { *this = Tree(max_children_, removable_); }

  // From the root to the closest child, until the node itself is closest. A walk never ends at a
  // node with max_children children, which can take no more. Calls pass(slot, proxy) at every node
  // on the way.
  template <class Distances, class Pass>
  Arrival walk(Distances& distances, const Pass& pass) const;
  template <class Distances>
  Arrival walk(Distances& distances) const {
    return walk(distances, [](Slot, double) {});
  }
  // The same from a node on, for which pass() was called already.
  template <class Distances, class Pass>
  Arrival walk_on(Arrival here, Distances& distances, const Pass& pass) const;

  void set_root(Slot slot);
  // A new last child of the node at `parent`.
  void add(const Place& parent, Slot slot);

  // Logs what is overwritten from now on: 16 bytes per entry, and never much more than the size of
  // the tree.
  void start_change() noexcept;
  void end_change() noexcept;
  // Restores the tree as it was at start_change. Allocates no memory.
  void roll_back() noexcept;

  // Removes a point. If the subtree below it is large, its nearest child takes its place, and so on
  // downwards: nodes keep a parent that is near the old one. The small subtree at the end is
  // removed whole; its points that are not `leaving` are added to `loose`, to be learned again.
  // distances_from(slot) returns the distances from a stored point.
  struct Removal {
    std::vector<bool> leaving;  // slots to remove; cleared when they are removed
    std::vector<Slot> loose;
  };
  template <class DistancesFrom>
  void remove(Slot slot, Removal& removal, const DistancesFrom& distances_from);

  // Nodes in preorder: visit(slot, n_children).
  template <class Visit>
  void visit(const Visit& visit) const;
  // The inverse: nodes in preorder.
  void rebuild(const std::vector<Slot>& slots, const std::vector<std::uint32_t>& n_children);

  std::span<const Child> children(const Child& node) const {
    if (node.list == kLeaf) return {};
    const List& list = lists_[node.list];
    return {pool_.data() + list.begin, list.size};
  }
  // Removable trees: the neighbours of a slot, found in steps, each of which fetches what the next
  // one reads. A search takes each step for all trees, and so waits for memory once instead of once
  // for every tree.
  void fetch_link(Slot slot) const { prefetch(&links_[slot]); }
  void fetch_list(Slot slot) const;
  void fetch_children(Slot slot) const;
  // Calls visit(slot) for the children, in their order, and then for the parent.
  template <class Visit>
  void visit_neighbours(Slot slot, const Visit& visit) const;

  const Child& root() const { return root_; }
  const Child& at(const Place& place) const {
    return place.is_root() ? root_ : pool_[lists_[place.list].begin + place.position];
  }

 private:
  // Children of one node, side by side in the pool. A list that is not in use has the next such
  // list as `begin`.
  struct List {
    std::uint32_t begin = 0;
    std::uint16_t size = 0;      // <= max_children, which is below 2^16
    std::uint16_t capacity = 0;  // of its range in the pool
  };

  // An entry that a change has overwritten. Entries that did not exist before are not logged.
  enum class Part : std::uint32_t { list, child, link, parent, free_room };
  struct Note {
    Part part;
    std::uint32_t index;
    std::uint64_t before;  // the bits of the entry
  };
  struct Log {
    bool is_open = false;
    Child root;
    std::uint32_t free_list = kLeaf;
    std::size_t size = 0, n_lists = 0, n_pool = 0, n_free_rooms = 0, n_links = 0, n_parents = 0;
    std::vector<Note> notes;
    std::shared_ptr<Tree> whole;  // the old tree, once the log would be larger
  };

  // Of a leaf, a link holds the parent, and kNoParent if it is the root; slots are below 2^31 - 1.
  static constexpr std::uint32_t kLeafLink = 0x80000000U, kNoParent = 0x7fffffffU;

  static std::uint32_t leaf_link(Slot parent) {
    return kLeafLink | (parent == kNoSlot ? kNoParent : parent);
  }
  std::uint32_t list_of(Slot slot) const {
    return (links_[slot] & kLeafLink) != 0 ? kLeaf : links_[slot];
  }
  Slot parent_of(Slot slot) const {
    const std::uint32_t link = links_[slot];
    if ((link & kLeafLink) == 0) return parents_[link];
    return link == (kLeafLink | kNoParent) ? kNoSlot : link ^ kLeafLink;
  }
  Place find(Slot slot) const;

  // All writes to entries go through these.
  void write(std::uint32_t list, const List& entry);
  void write(const Place& place, const Child& entry);
  void write_pool(std::size_t index, const Child& entry);
  void write_free_room(std::size_t capacity, std::uint32_t begin);
  void link_leaf(Slot slot, Slot parent);
  void link_inner(Slot slot, std::uint32_t list, Slot parent);
  void write_link(Slot slot, std::uint32_t link);
  void write_parent(std::uint32_t list, Slot parent);
  template <class T>
  void note(Part part, std::size_t n_before, std::size_t index, const T& entry);
  void note(const Note& note);

  std::uint32_t new_list();
  void drop_list(std::uint32_t list);
  void drop_room(std::uint32_t begin, std::size_t capacity);
  List with_more_room(const List& list);
  static constexpr std::size_t kSmall = 64;  // nodes of a subtree

  bool is_small(const Child& node) const;
  void take_out(const Place& place, const Place& parent, Removal& removal);

  std::size_t max_children_;
  bool removable_;
  Child root_;
  std::size_t size_ = 0;             // < 2^32, as the pool
  std::vector<List> lists_;          // < 2^32 - 1: at most one per node
  std::vector<Child> pool_;          // < 2^32: see with_more_room
  std::uint32_t free_list_ = kLeaf;  // the first list that is not in use
  // By capacity: the first free range of the pool, kLeaf if there is none. The first entry of a
  // free range has the next one as `list`.
  std::vector<std::uint32_t> free_room_;
  // If removable: per slot the list of its children or, of a leaf, its parent; per list the parent
  // of the node whose children it holds. Lists are below 2^31, as slots are.
  std::vector<std::uint32_t> links_;
  std::vector<Slot> parents_;
  Log log_;
};

template <class Distances, class Pass>
Tree::Arrival Tree::walk(Distances& distances, const Pass& pass) const {
  const Arrival root{Place{}, root_.slot, distances.proxy(root_.slot)};
  pass(root.slot, root.proxy);
  return walk_on(root, distances, pass);
}

template <class Distances, class Pass>
Tree::Arrival Tree::walk_on(Arrival here, Distances& distances, const Pass& pass) const {
  constexpr std::size_t kBatch = 64;  // children that are measured together
  std::array<double, kBatch> proxies;
  for (std::uint32_t list = at(here.place).list; list != kLeaf;) {
    const List& children = lists_[list];
    const Child* child = pool_.data() + children.begin;
    // On ties a child is better than its parent, and the first child the best.
    std::size_t best = children.size;
    double least = here.proxy;
    const bool may_stay = children.size < max_children_;
    for (std::size_t begin = 0; begin < children.size; begin += kBatch) {
      const std::size_t n = std::min<std::size_t>(kBatch, children.size - begin);
      distances.proxies(n, [&](std::size_t i) { return child[begin + i].slot; }, proxies.data());
      for (std::size_t i = 0; i < n; ++i) {
        const bool first = best == children.size;
        if (first ? may_stay && proxies[i] > least : proxies[i] >= least) continue;
        best = begin + i;
        least = proxies[i];
      }
    }
    if (best == children.size) break;
    here = {{list, static_cast<std::uint32_t>(best)}, child[best].slot, least};
    list = child[best].list;
    pass(here.slot, here.proxy);
  }
  return here;
}

template <class DistancesFrom>
void Tree::remove(Slot slot, Removal& removal, const DistancesFrom& distances_from) {
  if (!removal.leaving[slot]) return;  // was removed with a parent
  removal.leaving[slot] = false;
  Place place = find(slot), parent;
  Slot above = parent_of(slot);  // the point at `parent`
  if (!place.is_root()) parent = find(above);
  while (!is_small(at(place))) {
    const std::uint32_t list = at(place).list;
    const std::span<const Child> heirs = children(at(place));
    auto& distances = distances_from(at(place).slot);
    std::vector<double> proxies(heirs.size());
    distances.proxies(heirs.size(), [&](std::size_t i) { return heirs[i].slot; }, proxies.data());
    const auto nearest = std::min_element(proxies.begin(), proxies.end()) - proxies.begin();
    const Slot heir = heirs[static_cast<std::size_t>(nearest)].slot;
    for (const Child& other : heirs) {
      if (other.list == kLeaf)
        link_leaf(other.slot, heir);
      else
        link_inner(other.slot, other.list, heir);
    }
    link_inner(heir, list, above);
    write(place, {heir, list});
    parent = place;
    above = heir;
    place = {list, static_cast<std::uint32_t>(nearest)};  // the former place of the heir
  }
  take_out(place, parent, removal);
}

template <class Visit>
void Tree::visit_neighbours(Slot slot, const Visit& visit) const {
  for (const Child& child : children({slot, list_of(slot)})) visit(child.slot);
  if (const Slot parent = parent_of(slot); parent != kNoSlot) visit(parent);
}

template <class Visit>
void Tree::visit(const Visit& visit) const {
  if (empty()) return;
  std::vector<Child> stack{root_};
  while (!stack.empty()) {
    const Child node = stack.back();
    stack.pop_back();
    const std::span<const Child> list = children(node);
    visit(node.slot, list.size());
    stack.insert(stack.end(), list.rbegin(), list.rend());
  }
}

}  // namespace mf::boundary
