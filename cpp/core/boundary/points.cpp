#include "boundary/points.hpp"

#include <algorithm>

namespace mf {
namespace {

// About what a hash table takes for one entry: two pointers, the key and the slot.
constexpr std::size_t kBytesPerId = 32;

}  // namespace

void Points::adopt(std::uint8_t* rows, std::vector<std::int64_t> ids,
                   std::vector<std::int64_t> arrivals) {
  adopted_ = rows;
  n_adopted_ = ids.size();
  stored_.assign(ids.size(), 1);
  ids_ = std::move(ids);
  arrivals_ = std::move(arrivals);
  for (Slot slot = 0; slot < n_adopted_; ++slot) keep(slot);
}

Slot Points::add(const void* row, std::int64_t id, std::int64_t arrival) {
  Slot slot;
  if (free_.empty()) {
    slot = static_cast<Slot>(n_slots());
    if (row_bytes_ > 0 && (slot - n_adopted_) % chunk_rows() == 0)  // not touched before it is used
      chunks_.emplace_back(new std::uint8_t[chunk_rows() * stride_]);
    ids_.push_back(0);
    arrivals_.push_back(0);
    stored_.push_back(0);
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  if (row_bytes_ > 0) std::memcpy(place(slot), row, row_bytes_);
  ids_[slot] = id;
  arrivals_[slot] = arrival;
  return slot;
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
         free_.size() * sizeof(Slot) + slot_of_id_.size() * kBytesPerId;
}

}  // namespace mf
