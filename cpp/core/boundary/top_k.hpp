// The k nearest points of a query among those measured so far.
#pragma once

#include <algorithm>
#include <vector>

#include "boundary/points.hpp"

namespace mf::boundary {

class TopK {
 public:
  struct Entry {
    double proxy;
    std::int64_t arrival;  // breaks ties
    Slot slot;

    bool operator<(const Entry& other) const {
      return proxy != other.proxy ? proxy < other.proxy : arrival < other.arrival;
    }
    bool operator>(const Entry& other) const { return other < *this; }
  };

  void start(std::size_t k) {
    k_ = k;
    nearest_.clear();
  }
  // A point may be added more than once.
  void add(Slot slot, double proxy, const Points& points) {
    if (nearest_.size() == k_ && proxy > nearest_.back().proxy) return;
    const Entry candidate{proxy, points.arrival(slot), slot};
    const auto place = std::lower_bound(nearest_.begin(), nearest_.end(), candidate);
    if (place != nearest_.end() && place->slot == slot) return;
    if (nearest_.size() == k_) {
      if (place == nearest_.end()) return;
      nearest_.pop_back();
    }
    nearest_.insert(place, candidate);
  }
  bool full() const { return nearest_.size() == k_; }
  const std::vector<Entry>& nearest() const { return nearest_; }

 private:
  std::size_t k_ = 0;
  std::vector<Entry> nearest_;  // nearest first
};

}  // namespace mf::boundary
