// Stored examples: points with their labels.
#pragma once

#include <cstdint>
#include <vector>

#include "boundary/options.hpp"
#include "boundary/points.hpp"

namespace mf::boundary {

// Examples to learn, in order of arrival. What a task does not need is null.
struct Batch {
  std::size_t n = 0;
  const std::uint8_t* rows = nullptr;  // one after the other; null for Python objects
  const std::int32_t* classes = nullptr;
  const double* values = nullptr;     // n × n_outputs
  const std::int64_t* ids = nullptr;  // null: the numbers of their arrival
};

// Every slot has a label, which depends on the task: a class, values or nothing.
class Examples {
 public:
  // row_bytes is 0 for points that are Python objects.
  Examples(const Options& options, std::size_t row_bytes)
      : task_(options.task),
        n_outputs_(options.n_outputs),
        tolerance_(options.tolerance),
        points_(row_bytes, options.task == Task::retrieve) {}

  const Points& points() const { return points_; }
  std::int32_t class_of(Slot slot) const { return classes_[slot]; }
  const double* values_of(Slot slot) const { return values_.data() + slot * n_outputs_; }
  // Whether an example need not be added to a tree where its walk ends at the other: equal classes,
  // or values within the tolerance. Never so in retrieval.
  bool labels_match(Slot a, Slot b) const;
  std::size_t bytes() const;

  // Returns a slot with a copy of the row and its label; the example counts as stored after keep().
  // Succeeds, or throws and changes nothing.
  Slot add(const Batch& batch, std::size_t row, std::int64_t arrival);
  void keep(Slot slot) { points_.keep(slot); }
  void release(Slot slot) noexcept { points_.release(slot); }
  void claim_id(Slot slot) noexcept { points_.claim_id(slot); }

  // Uses the examples of a record, which was checked; there must be none yet.
  void adopt(std::uint8_t* rows, std::vector<std::int64_t> ids, std::vector<std::int64_t> arrivals,
             std::vector<std::int32_t> classes, std::vector<double> values);

 private:
  Task task_;
  std::size_t n_outputs_;
  double tolerance_;
  Points points_;
  std::vector<std::int32_t> classes_;  // per slot
  std::vector<double> values_;         // per slot × n_outputs
};

}  // namespace mf::boundary
