#include "boundary/tree.hpp"

#include <algorithm>

namespace mf {
namespace {

// Lists grow in steps of about a third: little is wasted, and few sizes are to be kept apart.
std::size_t larger_capacity(std::size_t size) { return size < 4 ? size + 1 : size + size / 3; }

// Room for n entries. A vector alone would double, which wastes half of a large tree.
template <class T>
void grow_to(std::vector<T>& entries, std::size_t n) {
  if (n > entries.capacity()) entries.reserve(n + n / 8);
  entries.resize(n);
}

}  // namespace

std::size_t BoundaryTree::depth() const {
  std::size_t deepest = 0;
  if (empty()) return deepest;
  std::vector<std::pair<Child, std::size_t>> stack{{root_, 0}};
  while (!stack.empty()) {
    const auto [node, level] = stack.back();
    stack.pop_back();
    deepest = std::max(deepest, level);
    for (const Child& child : children(node)) stack.emplace_back(child, level + 1);
  }
  return deepest;
}

std::size_t BoundaryTree::bytes() const {
  std::size_t bytes = lists_.capacity() * sizeof(List) + pool_.capacity() * sizeof(Child) +
                      free_lists_.capacity() * sizeof(std::uint32_t) +
                      parents_.capacity() * sizeof(Slot);
  for (const auto& room : free_room_) bytes += room.capacity() * sizeof(std::uint32_t);
  return bytes;
}

void BoundaryTree::set_root(Slot slot) {
  root_ = {slot, kLeaf};
  size_ = 1;
  remember_parent(slot, kNoSlot);
}

void BoundaryTree::add(const Place& parent, Slot slot, std::uint32_t list) {
  if (at(parent).list == kLeaf) {
    const std::uint32_t fresh = new_list();
    at(parent).list = fresh;
  }
  remember_parent(slot, at(parent).slot);
  List& siblings = lists_[at(parent).list];
  if (siblings.size == siblings.capacity) make_room(siblings);
  pool_[siblings.begin + siblings.size++] = {slot, list};
  ++size_;
}

void BoundaryTree::take_back(const Place& parent) {
  Child& node = at(parent);
  List& children = lists_[node.list];
  --children.size;
  --size_;
  if (children.size > 0) return;
  drop_list(node.list);
  node.list = kLeaf;
}

void BoundaryTree::remember_parent(Slot slot, Slot parent) {
  if (!removable_) return;
  if (slot >= parents_.size()) grow_to(parents_, slot + 1);
  parents_[slot] = parent;
}

std::uint32_t BoundaryTree::new_list() {
  if (free_lists_.empty()) {
    grow_to(lists_, lists_.size() + 1);
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }
  const std::uint32_t list = free_lists_.back();
  free_lists_.pop_back();
  return list;
}

void BoundaryTree::drop_list(std::uint32_t index) {
  List& list = lists_[index];
  free_room_[list.capacity].push_back(list.begin);
  list = {};
  free_lists_.push_back(index);
}

// Moves the list to where it has room for more.
void BoundaryTree::make_room(List& list) {
  const std::size_t capacity = std::min(larger_capacity(list.capacity), max_children_);
  if (capacity >= free_room_.size()) free_room_.resize(capacity + 1);
  std::uint32_t begin;
  if (free_room_[capacity].empty()) {
    begin = static_cast<std::uint32_t>(pool_.size());
    grow_to(pool_, pool_.size() + capacity);
  } else {
    begin = free_room_[capacity].back();
    free_room_[capacity].pop_back();
  }
  std::copy_n(pool_.begin() + list.begin, list.size, pool_.begin() + begin);
  if (list.capacity > 0) free_room_[list.capacity].push_back(list.begin);
  list.begin = begin;
  list.capacity = static_cast<std::uint16_t>(capacity);
}

// Parents are known by their slots; the way down from the root finds the entries.
BoundaryTree::Place BoundaryTree::find(Slot slot) const {
  std::vector<Slot> path;
  for (; slot != root_.slot; slot = parent_of(slot)) path.push_back(slot);
  Place place;
  Child node = root_;
  for (; !path.empty(); path.pop_back()) {
    const std::span<const Child> list = children(node);
    std::uint32_t position = 0;
    while (list[position].slot != path.back()) ++position;
    place = {node.list, position};
    node = list[position];
  }
  return place;
}

bool BoundaryTree::is_small(const Child& node) const {
  std::size_t n = 0;
  std::vector<Child> stack{node};
  while (!stack.empty() && ++n <= kSmall) {
    const std::span<const Child> list = children(stack.back());
    stack.pop_back();
    if (list.size() > kSmall) return false;
    stack.insert(stack.end(), list.begin(), list.end());
  }
  return stack.empty() && n <= kSmall;
}

// Removes an entry, whose point is elsewhere by now, and all below it.
void BoundaryTree::take_out(const Place& place, const Place& parent, Removal& removal) {
  const Slot moved = at(place).slot;
  std::vector<Child> stack{at(place)};
  while (!stack.empty()) {
    const Child node = stack.back();
    stack.pop_back();
    --size_;
    if (node.slot != moved && !removal.leaving[node.slot]) removal.loose.push_back(node.slot);
    if (node.slot != moved) removal.leaving[node.slot] = false;
    const std::span<const Child> list = children(node);
    stack.insert(stack.end(), list.begin(), list.end());
    if (node.list != kLeaf) drop_list(node.list);
  }
  if (place.is_root()) {
    root_ = {};
    return;
  }
  List& list = lists_[place.list];
  Child* first = pool_.data() + list.begin;
  std::copy(first + place.position + 1, first + list.size, first + place.position);
  if (--list.size > 0) return;
  drop_list(place.list);
  at(parent).list = kLeaf;
}

void BoundaryTree::rebuild(const std::vector<Slot>& slots,
                           const std::vector<std::uint32_t>& n_children) {
  clear();
  if (slots.empty()) return;
  set_root(slots[0]);
  struct Open {
    Place place;
    std::uint32_t missing;  // children that are still to come
  };
  std::vector<Open> path{{Place{}, n_children[0]}};
  for (std::size_t i = 1; i < slots.size(); ++i) {
    while (path.back().missing == 0) path.pop_back();
    --path.back().missing;
    const Place parent = path.back().place;
    add(parent, slots[i]);
    const std::uint32_t list = at(parent).list;
    path.push_back({{list, lists_[list].size - 1U}, n_children[i]});
  }
}

}  // namespace mf
