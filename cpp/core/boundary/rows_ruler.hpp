// Distances between rows of numbers.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "boundary/distances.hpp"
#include "boundary/points.hpp"
#include "data/prefetch.hpp"
#include "metric/metric.hpp"

namespace mf::boundary {

// From rows that lie one after the other, or from stored points, to stored points. Without rows the
// stored points are the rows, counted by their slots. Rows may be float64 where points are float32.
class RowsRuler final : public MovableRuler {
 public:
  RowsRuler(const metric::Metric& metric, const Points& points, const std::uint8_t* rows)
      : metric_(metric),
        points_(points),
        rows_(rows),
        row_bytes_(metric.width * metric::size_of(metric.queries)),
        from_row_(metric.rank_rows()),
        from_point_(metric.between_rows().rank_rows()),
        rank_tile_(metric.rank_tile()) {}

  void to_row(std::size_t row) override {
    query_ = row_at(row);
    rank_rows_ = from_row_;
  }
  void to_point(Slot slot) override {
    query_ = points_.row(slot);
    rank_rows_ = from_point_;
  }

  double distance(double rank) const override { return metric_.distance(rank); }

  void measure(std::span<const Slot> slots, double* ranks) override {
    look_up(slots);
    rank_rows_(query_, to_.data(), to_.size(), metric_.width, ranks);
  }
  void measure_tile(std::span<const std::size_t> rows, std::span<const Slot> slots,
                    double* ranks) override {
    look_up(slots);
    from_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) from_[i] = row_at(rows[i]);
    rank_tile_(from_.data(), from_.size(), to_.data(), to_.size(), metric_.width, ranks);
  }

 private:
  const std::uint8_t* row_at(std::size_t row) const {
    if (rows_ == nullptr) return points_.row(static_cast<Slot>(row));
    return rows_ + row * row_bytes_;
  }
  void look_up(std::span<const Slot> slots) {
    to_.resize(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      to_[i] = points_.row(slots[i]);
      for (std::size_t b = 0; b < points_.row_bytes(); b += 64)  // lies anywhere in memory
        prefetch(static_cast<const std::uint8_t*>(to_[i]) + b);
    }
  }

  const metric::Metric metric_;
  const Points& points_;
  const std::uint8_t* rows_;
  std::size_t row_bytes_;
  metric::RankRows from_row_, from_point_, rank_rows_ = nullptr;
  metric::RankTile rank_tile_;
  const void* query_ = nullptr;
  std::vector<const void*> from_, to_;
};

}  // namespace mf::boundary
