// Distances between rows of numbers.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/prefetch.hpp"
#include "boundary/distances.hpp"
#include "boundary/points.hpp"
#include "distances/metric.hpp"

namespace mf::boundary {

// From rows that lie one after the other, or from stored points, to stored points. Without rows the
// stored points are the rows, counted by their slots. Rows may be float64 where points are float32.
class RowDistanceComputer final : public DistanceComputer {
 public:
  RowDistanceComputer(const distances::Measure& measure, const Points& points,
                      const std::uint8_t* rows)
      : measure_(measure),
        points_(points),
        rows_(rows),
        row_bytes_(measure.width * distances::size_of(measure.queries)),
        from_row_(measure.kernels()),
        from_point_(measure.between_rows().kernels().rows) {}

  void set_query_row(std::size_t row) override {
    query_ = row_at(row);
    kernel_ = from_row_.rows;
  }
  void set_query_point(Slot slot) override {
    query_ = points_.row(slot);
    kernel_ = from_point_;
  }

  double distance(double proxy) const override { return measure_.distance(proxy); }

  void measure(std::span<const Slot> slots, double* proxies) override {
    look_up(slots);
    kernel_(query_, to_.data(), to_.size(), measure_.width, proxies);
  }
  void measure_tile(std::span<const std::size_t> rows, std::span<const Slot> slots,
                    double* proxies) override {
    look_up(slots);
    look_up(rows);
    from_row_.tile(from_.data(), from_.size(), to_.data(), to_.size(), measure_.width, proxies);
  }

  void find_nearest(std::span<const std::size_t> rows, std::span<const Slot> slots,
                    distances::NearestRow* nearest) override {
    // Estimates do not pay for points that are near each other and far from the origin, most of
    // which have to be measured all the same.
    if (from_row_.nearest == nullptr || n_measured_ > kFirstMeasured + n_compared_ / 4)
      return DistanceComputer::find_nearest(rows, slots, nearest);
    look_up(slots);
    look_up(rows);
    from_norms_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      from_norms_[i] = norm_of(row_norms_, rows[i], from_[i]);
    to_norms_.resize(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i)
      to_norms_[i] = norm_of(slot_norms_, slots[i], to_[i]);
    n_compared_ += rows.size() * slots.size();
    n_measured_ +=
        from_row_.nearest({from_.data(), from_norms_.data(), from_.size()},
                          {to_.data(), to_norms_.data(), to_.size()}, measure_.width, nearest);
  }

 private:
  static constexpr std::size_t kFirstMeasured = 1024;  // pairs, before that is decided

  const std::uint8_t* row_at(std::size_t row) const {
    if (rows_ == nullptr) return points_.row(static_cast<Slot>(row));
    return rows_ + row * row_bytes_;
  }
  void look_up(std::span<const std::size_t> rows) {
    from_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) from_[i] = row_at(rows[i]);
  }
  void look_up(std::span<const Slot> slots) {
    to_.resize(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      to_[i] = points_.row(slots[i]);
      for (std::size_t b = 0; b < points_.row_bytes(); b += 64)  // points are scattered in memory
        prefetch(static_cast<const std::uint8_t*>(to_[i]) + b);
    }
  }

  // Computed when it is first asked for.
  float norm_of(std::vector<float>& norms, std::size_t index, const void* row) const {
    if (index >= norms.size()) norms.resize(std::max(index + 1, 2 * norms.size()), kUnknown);
    if (norms[index] == kUnknown) norms[index] = from_row_.norm(row, measure_.width);
    return norms[index];
  }
  static constexpr float kUnknown = -1.0F;

  const distances::Measure measure_;
  const Points& points_;
  const std::uint8_t* rows_;
  const std::size_t row_bytes_;
  const distances::Kernels from_row_;
  const distances::RowsKernel from_point_;
  distances::RowsKernel kernel_ = nullptr;  // of the present query
  const void* query_ = nullptr;
  std::vector<const void*> from_, to_;
  std::vector<float> from_norms_, to_norms_;
  // Per row and per slot. Slots keep their points as long as a computer is used.
  std::vector<float> row_norms_, slot_norms_;
  std::size_t n_compared_ = 0;  // pairs given to from_row_.nearest
  std::size_t n_measured_ = 0;  // those of them that it measured after an estimate
};

}  // namespace mf::boundary
