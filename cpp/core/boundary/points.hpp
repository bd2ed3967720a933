// The stored examples of a boundary forest, one table for all trees.
//
// A point has a slot, a number that stays the same while the point is stored and is used again
// afterwards. Rows never move, so that memory grows by what is added.
//
// A function that allocates memory either succeeds or throws and changes nothing. `release` and
// `claim_id`, which roll changes back, allocate none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace mf::boundary {

using Slot = std::uint32_t;
constexpr Slot kNoSlot = 0xffffffffU;
constexpr std::size_t kMostPoints = 0x7fffffff;  // files hold slots with a sign

// No point has this id.
struct UnknownId : std::invalid_argument {
  explicit UnknownId(std::int64_t id)
      : std::invalid_argument("no point has the id " + std::to_string(id)) {}
};

class Points {
 public:
  // row_bytes is 0 for points that are Python objects. Points have different ids if they are to be
  // found by them.
  Points(std::size_t row_bytes, bool found_by_id)
      : found_by_id_(found_by_id),
        row_bytes_(row_bytes),
        stride_(padded(row_bytes)),
        chunk_shift_(chunk_shift(stride_)) {}

  // The first rows, all stored, lie in a mapped file; nothing may be stored before.
  void adopt(std::uint8_t* rows, std::vector<std::int64_t> ids, std::vector<std::int64_t> arrivals);

  std::size_t n_slots() const { return ids_.size(); }  // at most kMostPoints
  std::size_t n_stored() const { return n_slots() - n_free_; }
  std::size_t row_bytes() const { return row_bytes_; }
  bool is_stored(Slot slot) const { return stored_[slot] != 0; }

  const std::uint8_t* row(Slot slot) const { return place(slot); }
  std::int64_t id(Slot slot) const { return ids_[slot]; }
  std::int64_t arrival(Slot slot) const { return arrivals_[slot]; }

  // Returns a slot with a copy of the row; the point counts as stored after keep().
  Slot add(const void* row, std::int64_t id, std::int64_t arrival);
  // Stores the point: its id is that of this point from now on, even if another point has the same
  // id.
  void keep(Slot slot) {
    if (found_by_id_) slot_of_id_.insert_or_assign(ids_[slot], slot);
    stored_[slot] = 1;
  }
  // Makes the id that of this stored point again, after keep() of another one with the same id.
  void claim_id(Slot slot) noexcept {
    const auto found = slot_of_id_.find(ids_[slot]);
    if (found != slot_of_id_.end()) found->second = slot;
  }
  void release(Slot slot) noexcept;
  // kNoSlot if there is no such point.
  Slot find(std::int64_t id) const {
    const auto found = slot_of_id_.find(id);
    return found == slot_of_id_.end() ? kNoSlot : found->second;
  }

  // Throws UnknownId.
  std::vector<Slot> slots_of(std::span<const std::int64_t> ids) const;

  // Copies of rows, one after the other.
  std::vector<std::uint8_t> rows_of(std::span<const Slot> slots) const;

  // Slots of stored points in order of arrival.
  std::vector<Slot> in_order() const;

  std::size_t bytes() const;

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

  // Rows begin at cache lines unless that would waste much.
  static std::size_t padded(std::size_t bytes) {
    const std::size_t whole = (bytes + kLine - 1) / kLine * kLine;
    return whole - bytes <= bytes / 8 ? whole : bytes;
  }
  static int chunk_shift(std::size_t stride) {
    int shift = 0;
    while ((stride << (shift + 1)) <= kChunkBytes && shift < 16) ++shift;
    return shift;
  }
  std::size_t chunk_rows() const { return std::size_t{1} << chunk_shift_; }
  std::uint8_t* place(Slot slot) const {
    if (slot < n_adopted_) return adopted_ + slot * row_bytes_;
    const std::size_t at = slot - n_adopted_;
    return chunks_[at >> chunk_shift_].get() + (at & (chunk_rows() - 1)) * stride_;
  }

  bool found_by_id_;
  std::size_t row_bytes_, stride_;
  int chunk_shift_;  // rows per chunk, as a power of two
  std::uint8_t* adopted_ = nullptr;
  std::size_t n_adopted_ = 0;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
  std::vector<std::int64_t> ids_, arrivals_;
  std::vector<std::uint8_t> stored_;
  Slot free_ = kNoSlot;  // the first free slot; the arrival of a free slot is the next one
  std::size_t n_free_ = 0;
  std::unordered_map<std::int64_t, Slot> slot_of_id_;
};

}  // namespace mf::boundary
