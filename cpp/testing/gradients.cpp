// Kernels of boosting in large nodes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>
#include <utility>

#include "split/kernels/kernels.hpp"
#include "stages.hpp"

namespace mf::bindings {
namespace {

Owned<std::int32_t> add_codes(const Array1<std::int32_t>& rows, const Array2<std::uint8_t>& codes,
                              const std::optional<Array1<std::uint32_t>>& features,
                              const Array2<std::int16_t>& derivatives) {
  const std::size_t n_features = features ? features->shape(0) : codes.shape(1);
  const std::size_t stride = derivatives.shape(1);
  std::vector<std::int32_t> sums(n_features * 256 * stride);
  train::kernels().add_codes(
      {rows.data(), rows.shape(0), codes.data(), codes.shape(1),
       features ? features->data() : nullptr, n_features, derivatives.data(), stride},
      sums.data());
  return to_numpy(std::move(sums), {n_features, 256, stride});
}

using Weights = std::optional<Array1<double>>;

const double* data_of(const Weights& weight) { return weight ? weight->data() : nullptr; }

std::pair<float, float> largest_pair(const Array2<float>& pairs, const Weights& weight) {
  float hessian = 0.0F;
  const float gradient =
      train::kernels().largest_pair(pairs.data(), data_of(weight), pairs.shape(0), &hessian);
  return {gradient, hessian};
}

std::tuple<Owned<std::int16_t>, std::uint32_t, std::uint32_t> round_pairs(
    const Array2<float>& pairs, const Weights& weight, float gradient_scale, float hessian_scale) {
  std::vector<std::int16_t> out(2 * pairs.shape(0));
  const train::PairUnits units = train::kernels().round_pairs(
      pairs.data(), data_of(weight), pairs.shape(0), gradient_scale, hessian_scale, out.data());
  return {to_numpy(std::move(out), {pairs.shape(0), 2}), units.gradient, units.hessian};
}

// Nothing if there is no cut; otherwise the bins around it and its score.
std::optional<std::tuple<std::uint32_t, std::uint32_t, double>> cut_gradients(
    const Array2<double>& sums, const Array1<double>& left, const Array1<double>& totals,
    double score_to_beat, double tolerance, double min_child, double l2) {
  train::GradientRules rules;
  rules.score_to_beat = score_to_beat;
  rules.tolerance = tolerance;
  rules.min_child = min_child;
  rules.l2 = l2;
  rules.score_unit = 0.25;
  rules.n_gradients = 1;
  const train::BinCut cut = train::kernels().cut_gradients(
      sums.data(), sums.shape(0), sums.shape(1), left.data(), totals.data(), rules);
  if (!cut.found) return std::nullopt;
  return std::tuple{cut.last_left, cut.first_right, cut.score};
}

}  // namespace

void stage_gradients(nb::module_& m) {
  m.def("add_codes", &add_codes, nb::arg("rows").noconvert(), nb::arg("codes").noconvert(),
        nb::arg("features").none(), nb::arg("derivatives").noconvert(),
        "Sums of derivatives by codes, features x 256 x lanes.");
  m.def("largest_pair", &largest_pair, nb::arg("pairs").noconvert(),
        nb::arg("weight").none().noconvert(), "The largest sizes of a gradient and a hessian.");
  m.def("round_pairs", &round_pairs, nb::arg("pairs").noconvert(),
        nb::arg("weight").none().noconvert(), nb::arg("gradient_scale"), nb::arg("hessian_scale"),
        "Whole numbers of the pairs, and the sums of their sizes.");
  m.def("cut_gradients", &cut_gradients, nb::arg("sums").noconvert(), nb::arg("left").noconvert(),
        nb::arg("totals").noconvert(), nb::arg("score_to_beat"), nb::arg("tolerance"),
        nb::arg("min_child"), nb::arg("l2"),
        "The bins around the best cut of sums of one gradient, and its score.");
}

}  // namespace mf::bindings
