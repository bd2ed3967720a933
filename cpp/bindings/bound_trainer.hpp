// The trainer as Python holds it, and what is passed to and from it.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "forest/flatten.hpp"
#include "problem.hpp"
#include "train/trainer.hpp"

namespace mf::bindings {

// The arrays of docs/architecture.md.
nb::dict to_dict(train::FlatArrays arrays, std::size_t n_training_rows);

// Checks all arrays.
train::RowWeights to_row_weights(const RowArray<std::int32_t>& strata,
                                 const RowArray<double>& draw_weight,
                                 const RowArray<double>& row_weight,
                                 const RowArray<std::int64_t>& row_count, std::size_t n_rows);

void check_options(const train::GrowOptions& options, const Target& target);

using Callback = std::optional<nb::typed<nb::callable, void(int, int)>>;

// Checks for signals such as Ctrl-C, in the calling thread.
train::Progress progress_hook(const Callback& callback);

// A trainer together with the examples it reads.
class BoundTrainer {
 public:
  template <class T>
  BoundTrainer(const Array2<T>& X, const Geometry& geometry, nb::handle_t<Sampler> sampler,
               int n_threads)
      : examples_(X), sampler_(nb::borrow(sampler)) {
    require(X.shape(0) < (std::size_t{1} << 31), "X must have fewer than 2**31 rows");
    require(X.shape(1) == geometry.row_width(), "X does not have as many columns as the geometry");
    require((std::is_same_v<T, float>) || geometry.takes_bytes(),
            "X must be float32 for the views of the geometry");
    const auto& drawn_from = nb::cast<const Sampler&>(sampler);
    const nb::gil_scoped_release released;
    trainer_ = std::make_unique<train::Trainer>(geometry.rows_of(X.data(), X.shape(0)), geometry,
                                                drawn_from, n_threads);
  }

  nb::dict grow(const OptionalTarget& y, const RowArray<std::int32_t>& strata,
                const RowArray<double>& draw_weight, const RowArray<double>& row_weight,
                const RowArray<std::int64_t>& row_count, const train::GrowOptions& given,
                const Callback& progress, const OptionalSigns& signs,
                const OptionalDistances& squared_distances, bool last);

  train::Trainer& trainer() const { return *trainer_; }

 private:
  std::variant<Array2<std::uint8_t>, Array2<float>> examples_;
  nb::object sampler_;  // not a shared_ptr: if nanobind cannot allocate one, it ends the process
  std::unique_ptr<train::Trainer> trainer_;
};

}  // namespace mf::bindings
