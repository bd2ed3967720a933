// The nearest points that a query has met so far.
#pragma once

#include <algorithm>
#include <vector>

#include "boundary/points.hpp"

namespace mf::boundary {

class TopK {
 public:
  struct Met {
    double proxy;
    std::int64_t arrival;  // breaks ties
    Slot slot;

    bool operator<(const Met& other) const {
      return proxy != other.proxy ? proxy < other.proxy : arrival < other.arrival;
    }
  };

  void start(std::size_t k) {
    k_ = k;
    met_.clear();
  }
  // A point may come more than once.
  void meet(Slot slot, double proxy, const Points& points) {
    if (met_.size() == k_ && proxy > met_.back().proxy) return;
    const Met candidate{proxy, points.arrival(slot), slot};
    const auto place = std::lower_bound(met_.begin(), met_.end(), candidate);
    if (place != met_.end() && place->slot == slot) return;
    if (met_.size() == k_) {
      if (place == met_.end()) return;
      met_.pop_back();
    }
    met_.insert(place, candidate);
  }
  bool full() const { return met_.size() == k_; }
  const std::vector<Met>& nearest() const { return met_; }

 private:
  std::size_t k_ = 0;
  std::vector<Met> met_;  // nearest first
};

}  // namespace mf::boundary
