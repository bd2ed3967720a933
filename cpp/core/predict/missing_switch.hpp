// Two forms of one forest, for data with and without missing values.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>

#include "predict/general_walk.hpp"

namespace mf::predict {

// Batches of rows with a missing value are walked in the general form, which is compiled for the
// first of them; all others are walked in the given form.
class MissingSwitch final : public WalkableForest<float> {
 public:
  MissingSwitch(std::unique_ptr<WalkableForest<float>> packed, const FlatForest& forest,
                const Geometry& geometry)
      : packed_(std::move(packed)), forest_(forest), geometry_(geometry) {}

  std::size_t rows_at_once() const override { return packed_->rows_at_once(); }
  std::size_t trees_at_once() const override { return packed_->trees_at_once(); }
  std::unique_ptr<Walk<float>> walk(std::size_t n_rows) const override {
    return std::make_unique<SwitchingWalk>(*this, n_rows);
  }

 private:
  class SwitchingWalk final : public Walk<float> {
   public:
    SwitchingWalk(const MissingSwitch& forest, std::size_t n_rows)
        : forest_(forest), n_rows_(n_rows) {}

    void load(const Matrix<float>& X, std::size_t begin, std::size_t n) override {
      const float* rows = X.row(begin);
      const bool missing = std::any_of(rows, rows + n * X.width, [](float x) { return x != x; });
      auto& walk = missing ? general_ : packed_;
      if (!walk) walk = (missing ? forest_.general() : *forest_.packed_).walk(n_rows_);
      walk->load(X, begin, n);
      current_ = walk.get();
    }
    void leaves(std::size_t first, std::size_t n, std::int32_t* out) override {
      current_->leaves(first, n, out);
    }

   private:
    const MissingSwitch& forest_;
    std::size_t n_rows_;
    std::unique_ptr<Walk<float>> packed_, general_;
    Walk<float>* current_ = nullptr;
  };

  const WalkableForest<float>& general() const {
    std::call_once(once_, [this] {
      general_ = std::make_unique<WalkableGeneralForest<float>>(forest_, geometry_);
    });
    return *general_;
  }

  std::unique_ptr<WalkableForest<float>> packed_;
  const FlatForest& forest_;
  const Geometry& geometry_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<WalkableForest<float>> general_;
};

}  // namespace mf::predict
