// Distances from one query to stored points: measured at every call, or once for all trees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "boundary/points.hpp"
#include "distances/metric.hpp"

namespace mf::boundary {

// The least of n > 0 proxies, the first one if there are several.
distances::NearestRow first_least(const double* proxies, std::size_t n);

// Measures proxies from one query to stored points: numbers that are ordered as the distances are
// (see distances/metric.hpp).
class ProxyComputer {
 public:
  virtual ~ProxyComputer() = default;
  virtual void measure(std::span<const Slot> slots, double* proxies) = 0;
};

// Its query is a row of the current batch, or a stored point.
class DistanceComputer : public ProxyComputer {
 public:
  virtual void set_query_row(std::size_t row) = 0;
  virtual void set_query_point(Slot slot) = 0;
  // The distance that belongs to a proxy which was measured from a row.
  virtual double distance(double proxy) const = 0;
  // rows × slots; the query afterwards is any of the rows
  virtual void measure_tile(std::span<const std::size_t> rows, std::span<const Slot> slots,
                            double* proxies) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      set_query_row(rows[i]);
      measure(slots, proxies + i * slots.size());
    }
  }
  // The nearest of the slots for each of the rows, as measure_tile would find it.
  virtual void find_nearest(std::span<const std::size_t> rows, std::span<const Slot> slots,
                            distances::NearestRow* nearest) {
    find_nearest(rows, slots, nearest, [](std::size_t, std::size_t, double) {});
  }
  // The same, with a call of measured(i, j, proxy) for every row and slot.
  template <class Measured>
  void find_nearest(std::span<const std::size_t> rows, std::span<const Slot> slots,
                    distances::NearestRow* nearest, const Measured& measured);

 private:
  static constexpr std::size_t kTileRows = 64, kTileSlots = 64;

  std::vector<double> tile_;
};

template <class Measured>
void DistanceComputer::find_nearest(std::span<const std::size_t> rows, std::span<const Slot> slots,
                                    distances::NearestRow* nearest, const Measured& measured) {
  tile_.resize(kTileRows * kTileSlots);
  for (std::size_t s = 0; s < slots.size(); s += kTileSlots) {
    const auto some = slots.subspan(s, std::min(kTileSlots, slots.size() - s));
    for (std::size_t begin = 0; begin < rows.size(); begin += kTileRows) {
      const std::size_t n = std::min(kTileRows, rows.size() - begin);
      measure_tile(rows.subspan(begin, n), some, tile_.data());
      for (std::size_t i = 0; i < n; ++i) {
        const double* proxies = tile_.data() + i * some.size();
        for (std::size_t j = 0; j < some.size(); ++j) measured(begin + i, s + j, proxies[j]);
        const auto [position, proxy] = first_least(proxies, some.size());
        if (s > 0 && proxy >= nearest[begin + i].proxy) continue;
        nearest[begin + i] = {static_cast<std::uint32_t>(s) + position, proxy};
      }
    }
  }
}

// Measures at every call. Best if many queries walk through one tree in succession: its points then
// stay in cache.
class DirectDistances {
 public:
  void start(ProxyComputer& computer) { computer_ = &computer; }

  // proxies of n slots, slot_of(i)
  template <class SlotOf>
  void proxies(std::size_t n, const SlotOf& slot_of, double* out) {
    slots_.resize(n);
    for (std::size_t i = 0; i < n; ++i) slots_[i] = slot_of(i);
    computer_->measure(slots_, out);
  }
  double proxy(Slot slot) {
    double out;
    computer_->measure({&slot, 1}, &out);
    return out;
  }

 private:
  ProxyComputer* computer_ = nullptr;
  std::vector<Slot> slots_;
};

// Measures no distance twice. Best for a single query, whose points are not in cache: about half of
// the distances repeat in another tree. Distances are kept until the next query.
class SharedDistances {
 public:
  // Forgets the last query.
  void start(ProxyComputer& computer, std::size_t n_slots) {
    computer_ = &computer;
    noted_.resize(n_slots);
    proxies_.resize(n_slots);
    measured_.clear();
    n_known_ = 0;
    if (++now_ != 0) return;
    noted_.assign(n_slots, 0);  // the counter of queries has overflowed to 0
    now_ = 1;
  }

  // Notes a slot, to be measured with others, unless it was before.
  void note(Slot slot) {
    if (noted_[slot] == now_) return;
    noted_[slot] = now_;
    measured_.push_back(slot);
  }
  // Measures the noted slots and returns them; known_proxy() has their proxies.
  std::span<const Slot> measure_noted() {
    const std::span<const Slot> fresh = std::span<const Slot>(measured_).subspan(n_known_);
    n_known_ = measured_.size();
    fresh_.resize(fresh.size());
    if (!fresh.empty()) computer_->measure(fresh, fresh_.data());
    for (std::size_t i = 0; i < fresh.size(); ++i) proxies_[fresh[i]] = fresh_[i];
    return fresh;
  }

  // proxies[i] of the i-th of n slots, slot_of(i).
  template <class SlotOf>
  void proxies(std::size_t n, const SlotOf& slot_of, double* out) {
    for (std::size_t i = 0; i < n; ++i) note(slot_of(i));
    measure_noted();
    for (std::size_t i = 0; i < n; ++i) out[i] = proxies_[slot_of(i)];
  }
  double proxy(Slot slot) {
    double out;
    proxies(1, [slot](std::size_t) { return slot; }, &out);
    return out;
  }

  double known_proxy(Slot slot) const { return proxies_[slot]; }
  const std::vector<Slot>& measured() const { return measured_; }  // and noted, in this order

 private:
  ProxyComputer* computer_ = nullptr;
  std::vector<std::uint32_t> noted_;  // per slot: the last query that noted it
  std::vector<double> proxies_;       // per slot
  std::uint32_t now_ = 0;             // the present query
  std::vector<Slot> measured_;
  std::size_t n_known_ = 0;  // of measured_; the others are noted
  std::vector<double> fresh_;
};

}  // namespace mf::boundary
