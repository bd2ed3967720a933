// Kernels of boosting in large nodes.
#include <nanobind/stl/optional.h>

#include <optional>

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

}  // namespace

void stage_gradients(nb::module_& m) {
  m.def("add_codes", &add_codes, nb::arg("rows").noconvert(), nb::arg("codes").noconvert(),
        nb::arg("features").none(), nb::arg("derivatives").noconvert(),
        "Sums of derivatives by codes, features x 256 x lanes.");
}

}  // namespace mf::bindings
