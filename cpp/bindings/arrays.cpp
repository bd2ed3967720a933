#include "arrays.hpp"

namespace mf::bindings {
FlatForest view_forest(const nb::dict& arrays, std::vector<nb::object>& keep) {
  FlatForest f;
  f.tree_offsets = span_of<std::int64_t>(arrays, "tree_offsets", keep);
  f.left = span_of<std::int32_t>(arrays, "left", keep);
  f.kind = span_of<std::uint8_t>(arrays, "kind", keep);
  f.threshold = span_of<double>(arrays, "threshold", keep);
  f.missing_left = span_of<std::uint8_t>(arrays, "missing_left", keep);
  f.gain = span_of<float>(arrays, "gain", keep);
  f.weight = span_of<double>(arrays, "weight", keep);
  f.atom_kind = span_of<std::uint8_t>(arrays, "atom_kind", keep);
  f.atom_offsets = span_of<std::int64_t>(arrays, "atom_offsets", keep);
  f.atom_ints = span_of<std::int32_t>(arrays, "atom_ints", keep);
  f.weight_offsets = span_of<std::int64_t>(arrays, "weight_offsets", keep);
  f.atom_weights = span_of<float>(arrays, "atom_weights", keep);
  const std::size_t n = f.left.size();
  require(f.tree_offsets.size() >= 2 && f.tree_offsets.back() == static_cast<std::int64_t>(n),
          "arrays: tree_offsets must name at least one tree and fit the number of nodes");
  for (const std::size_t size :
       {f.kind.size(), f.threshold.size(), f.missing_left.size(), f.gain.size(), f.weight.size(),
        f.atom_kind.size(), f.atom_offsets.size() - 1, f.weight_offsets.size() - 1})
    require(size == n, "arrays: node arrays differ in length");

  nb::object value = arrays["value"];
  nb::ndarray<const float, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu> shares;
  nb::ndarray<const double, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu> means;
  if (nb::try_cast(value, shares, false)) {
    f.shares = shares.data();
    f.value_width = shares.shape(1);
    require(shares.shape(0) == n, "arrays: value must have one row per node");
  } else {
    require(nb::try_cast(value, means, false), "arrays: value has the wrong dtype or layout");
    f.means = means.data();
    f.value_width = means.shape(1);
    require(means.shape(0) == n, "arrays: value must have one row per node");
  }
  keep.push_back(value);
  if (arrays.contains("rotations")) {
    const auto dims = span_of<std::int32_t>(arrays, "rotation_dims", keep);
    const auto matrices = span_of<float>(arrays, "rotations", keep);
    f.rotation_size = dims.size() / f.n_trees();
    f.rotation_dims = dims.data();
    f.rotations = matrices.data();
    require(dims.size() == f.n_trees() * f.rotation_size &&
                matrices.size() == dims.size() * f.rotation_size,
            "arrays: rotations do not fit rotation_dims");
  }
  return f;
}

}  // namespace mf::bindings
