// Values of atoms as the search of splits sees them.
#include <limits>

#include "atoms/kind.hpp"
#include "split/project.hpp"
#include "stages.hpp"
#include "views/cells.hpp"

namespace mf::bindings {
namespace {

template <class T>
Owned<double> project(const Array2<T>& X, const Geometry& geometry, const nb::dict& arrays,
                      bool in_block) {
  std::vector<nb::object> keep;
  const auto kinds = span_of<std::uint8_t>(arrays, "atom_kind", keep);
  FlatForest atoms;  // only its atoms are used
  atoms.atom_kind = kinds;
  atoms.atom_offsets = span_of<std::int64_t>(arrays, "atom_offsets", keep);
  atoms.atom_ints = span_of<std::int32_t>(arrays, "atom_ints", keep);
  atoms.weight_offsets = span_of<std::int64_t>(arrays, "weight_offsets", keep);
  atoms.atom_weights = span_of<float>(arrays, "atom_weights", keep);
  std::vector<std::size_t> largest_patch(geometry.grids.size(), 0);
  CompiledAtom compiled;
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    const Atom atom = atoms.atom(a);
    compile(atom, geometry, compiled);
    if (compiled.table.kind != TableId::Kind::summed) continue;
    std::size_t& largest = largest_patch[static_cast<std::size_t>(compiled.table.grid)];
    largest = std::max(largest, type_of(atom.kind).largest_sum(atom, geometry));
  }
  const Matrix<T> matrix = geometry.rows_of(X.data(), X.shape(0));
  const Dataset<T> data(matrix, cells_of(matrix, geometry.views, 1), geometry.grids,
                        ColumnsAs::values, largest_patch, 1);
  const auto projector = train::make_projector(data, geometry);
  const std::size_t n_rows = X.shape(0), n_atoms = kinds.size();
  std::vector<Row> rows(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) rows[i] = static_cast<Row>(i);
  if (in_block) projector->start_subtree(train::BlockSize::small, rows);
  projector->start_node(rows);
  std::vector<train::Key> widened;
  std::vector<double> out(n_rows * n_atoms);
  for (std::size_t a = 0; a < n_atoms; ++a) {
    const train::Column column = projector->project(atoms.atom(a));
    const std::span<const train::Key> keys = train::keys_of(column, widened);
    for (std::size_t i = 0; i < n_rows; ++i)
      out[i * n_atoms + a] = keys[i] == train::kMissing ? std::numeric_limits<double>::quiet_NaN()
                                                        : column.range.decode(keys[i]);
  }
  return to_numpy(std::move(out), {n_rows, n_atoms});
}

}  // namespace

void stage_projections(nb::module_& m) {
  m.def("project", &project<std::uint8_t>, nb::arg("X").noconvert(), nb::arg("geometry"),
        nb::arg("arrays"), nb::arg("in_block") = false,
        "Values of atoms, rows x atoms, NaN where missing.");
  m.def("project", &project<float>, nb::arg("X").noconvert(), nb::arg("geometry"),
        nb::arg("arrays"), nb::arg("in_block") = false);
}

}  // namespace mf::bindings
