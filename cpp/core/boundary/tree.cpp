#include "boundary/tree.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace mf::boundary {
namespace {

// Lists grow in steps of about a third: little memory is wasted, and there are few different sizes.
std::size_t larger_capacity(std::size_t size) { return size < 4 ? size + 1 : size + size / 3; }

// Resizes to n entries. A vector would double its capacity, which wastes half of a large tree.
template <class T>
void grow_to(std::vector<T>& entries, std::size_t n) {
  if (n > entries.capacity()) entries.reserve(n + n / 8);
  entries.resize(n);
}

}  // namespace

std::size_t Tree::depth() const {
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

std::size_t Tree::bytes() const {
  return lists_.capacity() * sizeof(List) + pool_.capacity() * sizeof(Child) +
         free_room_.capacity() * sizeof(std::uint32_t) + links_.capacity() * sizeof(std::uint32_t) +
         parents_.capacity() * sizeof(Slot);
}

// ------------------------------------------------------------------- writing

void Tree::write(std::uint32_t list, const List& entry) {
  note(Part::list, log_.n_lists, list, lists_[list]);
  lists_[list] = entry;
}

void Tree::write_pool(std::size_t index, const Child& entry) {
  note(Part::child, log_.n_pool, index, pool_[index]);
  pool_[index] = entry;
}

void Tree::write(const Place& place, const Child& entry) {
  if (place.is_root())
    root_ = entry;
  else
    write_pool(lists_[place.list].begin + place.position, entry);
}

void Tree::write_free_room(std::size_t capacity, std::uint32_t begin) {
  note(Part::free_room, log_.n_free_rooms, capacity, free_room_[capacity]);
  free_room_[capacity] = begin;
}

void Tree::link_leaf(Slot slot, Slot parent) {
  if (removable_) write_link(slot, leaf_link(parent));
}

void Tree::link_inner(Slot slot, std::uint32_t list, Slot parent) {
  if (!removable_) return;
  write_parent(list, parent);
  write_link(slot, list);
}

void Tree::write_link(Slot slot, std::uint32_t link) {
  if (slot >= links_.size()) grow_to(links_, slot + std::size_t{1});
  note(Part::link, log_.n_links, slot, links_[slot]);
  links_[slot] = link;
}

void Tree::write_parent(std::uint32_t list, Slot parent) {
  if (list >= parents_.size()) grow_to(parents_, list + std::size_t{1});
  note(Part::parent, log_.n_parents, list, parents_[list]);
  parents_[list] = parent;
}

void Tree::set_root(Slot slot) {
  link_leaf(slot, kNoSlot);
  root_ = {slot, kLeaf};
  size_ = 1;
}

void Tree::add(const Place& parent, Slot slot) {
  if (at(parent).list == kLeaf) {
    const std::uint32_t fresh = new_list();
    const Slot above = at(parent).slot;
    if (removable_) link_inner(above, fresh, parent_of(above));
    write(parent, {above, fresh});
  }
  link_leaf(slot, at(parent).slot);
  const std::uint32_t list = at(parent).list;
  List siblings = lists_[list];
  if (siblings.size == siblings.capacity) siblings = with_more_room(siblings);
  write_pool(siblings.begin + std::size_t{siblings.size}, {slot, kLeaf});
  ++siblings.size;
  write(list, siblings);
  ++size_;
}

std::uint32_t Tree::new_list() {
  const std::uint32_t list = free_list_;
  if (list == kLeaf) {
    grow_to(lists_, lists_.size() + 1);
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }
  free_list_ = lists_[list].begin;
  write(list, {});
  return list;
}

void Tree::drop_list(std::uint32_t list) {
  drop_room(lists_[list].begin, lists_[list].capacity);
  write(list, {free_list_, 0, 0});
  free_list_ = list;
}

void Tree::drop_room(std::uint32_t begin, std::size_t capacity) {
  write_pool(begin, {kNoSlot, free_room_[capacity]});
  write_free_room(capacity, begin);
}

// Moves the list to a larger range. The caller writes the entry.
Tree::List Tree::with_more_room(const List& list) {
  const std::size_t capacity = std::min(larger_capacity(list.capacity), max_children_);
  if (capacity >= free_room_.size()) free_room_.resize(capacity + 1, kLeaf);
  std::uint32_t begin = free_room_[capacity];
  if (begin == kLeaf) {
    if (pool_.size() + capacity > kLeaf)
      throw std::length_error("a boundary tree cannot have room for more than 2^32 nodes");
    begin = static_cast<std::uint32_t>(pool_.size());
    grow_to(pool_, pool_.size() + capacity);
  } else {
    write_free_room(capacity, pool_[begin].list);
  }
  for (std::size_t i = 0; i < list.size; ++i) write_pool(begin + i, pool_[list.begin + i]);
  if (list.capacity > 0) drop_room(list.begin, list.capacity);
  return {begin, list.size, static_cast<std::uint16_t>(capacity)};
}

// ------------------------------------------------------------------- taking back

void Tree::start_change() noexcept {
  log_ = {};
  log_.is_open = true;
  log_.root = root_;
  log_.free_list = free_list_;
  log_.size = size_;
  log_.n_lists = lists_.size();
  log_.n_pool = pool_.size();
  log_.n_free_rooms = free_room_.size();
  log_.n_links = links_.size();
  log_.n_parents = parents_.size();
}

void Tree::end_change() noexcept { log_ = {}; }

template <class T>
void Tree::note(Part part, std::size_t n_before, std::size_t index, const T& entry) {
  if (!log_.is_open || index >= n_before || log_.whole) return;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &entry, sizeof entry);
  note({part, static_cast<std::uint32_t>(index), bits});
}

void Tree::note(const Note& note) {
  const bool full = log_.notes.size() == log_.notes.capacity();
  if (full && log_.notes.size() * sizeof(Note) > bytes()) {
    auto whole = std::make_shared<Tree>(*this);
    whole->roll_back();
    log_.whole = std::move(whole);
    log_.notes = {};
    return;
  }
  log_.notes.push_back(note);
}

void Tree::roll_back() noexcept {
  if (!log_.is_open) return;
  if (log_.whole) {
    const std::shared_ptr<Tree> whole = std::move(log_.whole);
    *this = std::move(*whole);
    return;
  }
  for (std::size_t i = log_.notes.size(); i-- > 0;) {
    const Note& note = log_.notes[i];
    auto restore = [&note](auto& entry) {
      static_assert(std::is_trivially_copyable_v<std::decay_t<decltype(entry)>>);
      std::memcpy(static_cast<void*>(&entry), &note.before, sizeof entry);
    };
    switch (note.part) {
      case Part::list:
        restore(lists_[note.index]);
        break;
      case Part::child:
        restore(pool_[note.index]);
        break;
      case Part::link:
        restore(links_[note.index]);
        break;
      case Part::parent:
        restore(parents_[note.index]);
        break;
      case Part::free_room:
        restore(free_room_[note.index]);
        break;
    }
  }
  lists_.resize(log_.n_lists);
  pool_.resize(log_.n_pool);
  free_room_.resize(log_.n_free_rooms);
  links_.resize(log_.n_links);
  parents_.resize(log_.n_parents);
  root_ = log_.root;
  size_ = log_.size;
  free_list_ = log_.free_list;
  log_ = {};
}

// ------------------------------------------------------------------- looking up

Tree::Place Tree::find(Slot slot) const {
  const Slot parent = parent_of(slot);
  if (parent == kNoSlot) return {};
  Place place{list_of(parent), 0};
  const Child* siblings = pool_.data() + lists_[place.list].begin;
  while (siblings[place.position].slot != slot) ++place.position;
  return place;
}

void Tree::fetch_list(Slot slot) const {
  const std::uint32_t list = list_of(slot);
  if (list == kLeaf) return;
  prefetch(&lists_[list]);
  prefetch(&parents_[list]);
}

void Tree::fetch_children(Slot slot) const {
  constexpr std::size_t kPerLine = 64 / sizeof(Child);
  const std::span<const Child> entries = children({slot, list_of(slot)});
  for (std::size_t i = 0; i < entries.size(); i += kPerLine) prefetch(&entries[i]);
}

// ------------------------------------------------------------------- removal

bool Tree::is_small(const Child& node) const {
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

// Removes an entry, whose point was moved or removed before, and all below it.
void Tree::take_out(const Place& place, const Place& parent, Removal& removal) {
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
  List list = lists_[place.list];
  for (std::size_t i = place.position; i + 1 < list.size; ++i)
    write_pool(list.begin + i, pool_[list.begin + i + 1]);
  --list.size;
  write(place.list, list);
  if (list.size > 0) return;
  const Slot above = at(parent).slot;
  if (removable_) link_leaf(above, parent_of(above));
  drop_list(place.list);
  write(parent, {above, kLeaf});
}

void Tree::rebuild(const std::vector<Slot>& slots, const std::vector<std::uint32_t>& n_children) {
  clear();
  if (slots.empty()) return;
  set_root(slots[0]);
  struct Open {
    Place place;
    std::uint32_t missing;  // children that are not added yet
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

}  // namespace mf::boundary
