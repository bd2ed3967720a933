#include "boundary/points.hpp"

#include <algorithm>
#include <stdexcept>

namespace mf::boundary {
namespace {

// About what a hash table takes for one entry: two pointers, the key and the slot.
constexpr std::size_t kBytesPerId = 32;

// Room for one more entry, growing as push_back does.
template <class T>
void make_room(std::vector<T>& entries) {
  if (entries.size() == entries.capacity()) entries.reserve(2 * entries.size() + 1);
}

}  // namespace

void Points::adopt(std::uint8_t* rows, std::vector<std::int64_t> ids,
                   std::vector<std::int64_t> arrivals) {
  std::vector<std::uint8_t> stored(ids.size(), 1);
  std::unordered_map<std::int64_t, Slot> slot_of_id;
  if (found_by_id_)
    for (Slot slot = 0; slot < ids.size(); ++slot) slot_of_id.emplace(ids[slot], slot);
  adopted_ = rows;
  n_adopted_ = ids.size();
  stored_.swap(stored);
  slot_of_id_.swap(slot_of_id);
  ids_ = std::move(ids);
  arrivals_ = std::move(arrivals);
}

Slot Points::add(const void* row, std::int64_t id, std::int64_t arrival) {
  Slot slot = free_;
  if (slot == kNoSlot) {
    if (n_slots() >= kMostPoints)
      throw std::length_error("a boundary forest must hold fewer than 2**31 points");
    slot = static_cast<Slot>(n_slots());
    make_room(ids_);
    make_room(arrivals_);
    make_room(stored_);
    if (row_bytes_ > 0 && (slot - n_adopted_) / chunk_rows() == chunks_.size()) {
      make_room(chunks_);
      // not initialised: pages are not touched before they are used
      chunks_.emplace_back(new std::uint8_t[chunk_rows() * stride_]);
    }
    ids_.push_back(id);
    arrivals_.push_back(arrival);
    stored_.push_back(0);
  } else {
    free_ = static_cast<Slot>(arrivals_[slot]);
    --n_free_;
    ids_[slot] = id;
    arrivals_[slot] = arrival;
  }
  if (row_bytes_ > 0) std::memcpy(place(slot), row, row_bytes_);
  return slot;
}

void Points::release(Slot slot) noexcept {
  if (const auto found = slot_of_id_.find(ids_[slot]);
      found != slot_of_id_.end() && found->second == slot)
    slot_of_id_.erase(found);
  stored_[slot] = 0;
  arrivals_[slot] = free_;
  free_ = slot;
  ++n_free_;
}

std::vector<Slot> Points::slots_of(std::span<const std::int64_t> ids) const {
  std::vector<Slot> slots;
  for (const std::int64_t id : ids) {
    slots.push_back(find(id));
    if (slots.back() == kNoSlot) throw UnknownId(id);
  }
  return slots;
}

std::vector<std::uint8_t> Points::rows_of(std::span<const Slot> slots) const {
  std::vector<std::uint8_t> rows;
  rows.reserve(slots.size() * row_bytes_);
  for (const Slot slot : slots) rows.insert(rows.end(), row(slot), row(slot) + row_bytes_);
  return rows;
}

std::vector<Slot> Points::in_order() const {
  std::vector<Slot> slots;
  for (Slot slot = 0; slot < n_slots(); ++slot)
    if (is_stored(slot)) slots.push_back(slot);
  std::sort(slots.begin(), slots.end(),
            [this](Slot a, Slot b) { return arrivals_[a] < arrivals_[b]; });
  return slots;
}

std::size_t Points::bytes() const {
  const std::size_t rows = n_adopted_ * row_bytes_ + (n_slots() - n_adopted_) * stride_;
  return rows + n_slots() * (sizeof(std::int64_t) * 2 + sizeof(std::uint8_t)) +
         slot_of_id_.size() * kBytesPerId;
}

}  // namespace mf::boundary
