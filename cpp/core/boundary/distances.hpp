// Distances from one query to stored points: measured at every call, or once for all trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boundary/points.hpp"

namespace mf::boundary {

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
};

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
    known_.resize(n_slots);
    measured_.clear();
    if (++now_ != 0) return;
    known_.assign(n_slots, {});  // the counter of queries has overflowed to 0
    now_ = 1;
  }

  // proxies[i] of the i-th of n slots, slot_of(i).
  template <class SlotOf>
  void proxies(std::size_t n, const SlotOf& slot_of, double* out) {
    const std::size_t first = measured_.size();
    for (std::size_t i = 0; i < n; ++i) {
      Known& known = known_[slot_of(i)];
      if (known.query == now_) continue;
      known.query = now_;
      measured_.push_back(slot_of(i));
    }
    fresh_.resize(measured_.size() - first);
    const std::span<const Slot> fresh(measured_.data() + first, fresh_.size());
    if (!fresh.empty()) computer_->measure(fresh, fresh_.data());
    for (std::size_t i = 0; i < fresh.size(); ++i) known_[fresh[i]].proxy = fresh_[i];
    for (std::size_t i = 0; i < n; ++i) out[i] = known_[slot_of(i)].proxy;
  }
  double proxy(Slot slot) {
    double out;
    proxies(1, [slot](std::size_t) { return slot; }, &out);
    return out;
  }

  double known_proxy(Slot slot) const { return known_[slot].proxy; }
  const std::vector<Slot>& measured() const { return measured_; }

 private:
  struct Known {
    double proxy = 0.0;
    std::uint32_t query = 0;
  };
  ProxyComputer* computer_ = nullptr;
  std::vector<Known> known_;
  std::uint32_t now_ = 0;
  std::vector<Slot> measured_;
  std::vector<double> fresh_;
};

}  // namespace mf::boundary
