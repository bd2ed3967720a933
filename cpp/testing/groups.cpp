// Compiled atoms of any groups, so that their reductions can be tested without a kind that has
// them.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>

#include "predict/row_tables.hpp"
#include "predict/stored_atoms.hpp"
#include "problem.hpp"
#include "split/project.hpp"
#include "stages.hpp"
#include "views/cells.hpp"

namespace mf::bindings {
namespace {

constexpr Words<Reduction, 3> kReductions{
    "reduction",
    {{{"sum", Reduction::sum}, {"maximum", Reduction::maximum}, {"minimum", Reduction::minimum}}}};

CompiledAtom to_compiled(const Array1<std::int32_t>& columns, const Array1<float>& weights,
                         const Array1<std::int64_t>& group_ends, const std::string& reduction,
                         int grid) {
  require(columns.size() == weights.size(), "columns and weights must have the same length");
  CompiledAtom atom;
  atom.reduction = kReductions.parse(reduction);
  if (grid >= 0) atom.table = TableId::summed(grid);
  for (std::size_t t = 0; t < columns.size(); ++t) {
    atom.terms.push_back({columns(t), weights(t)});
    if (weights(t) != std::nearbyint(weights(t))) atom.whole = false;
  }
  for (std::size_t g = 0; g < group_ends.size(); ++g)
    atom.group_ends.push_back(static_cast<std::uint32_t>(group_ends(g)));
  return atom;
}

// Values at all rows as the grower projects them, and as rows are predicted.
template <class T>
std::pair<Owned<double>, Owned<double>> project_groups(const Array2<T>& X, const Geometry& geometry,
                                                       const Array1<std::int32_t>& columns,
                                                       const Array1<float>& weights,
                                                       const Array1<std::int64_t>& group_ends,
                                                       const std::string& reduction, int grid,
                                                       bool narrow, bool in_block) {
  const CompiledAtom atom = to_compiled(columns, weights, group_ends, reduction, grid);
  const std::size_t n = X.shape(0);
  const std::vector<std::size_t> largest(geometry.grids.size(), narrow ? 1 : std::size_t{1} << 16);
  const Matrix<T> matrix = geometry.rows_of(X.data(), X.shape(0));
  const Dataset<T> data(matrix, cells_of(matrix, geometry.views, 1), geometry.grids,
                        ColumnsAs::values, largest, 1);
  const auto projector = train::make_projector(data, geometry);
  std::vector<Row> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<Row>(i);
  if (in_block) projector->start_subtree(train::BlockSize::small, rows);
  projector->start_node(rows);
  const train::Column column = projector->project_compiled(atom);
  std::vector<double> projected(n), predicted(n);
  std::size_t n_missing = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool missing = column.keys[i] == train::kMissing;
    projected[i] =
        missing ? std::numeric_limits<double>::quiet_NaN() : column.range.decode(column.keys[i]);
    n_missing += missing ? 1 : 0;
    require(missing || (column.keys[i] >= column.range.min && column.keys[i] <= column.range.max),
            "a key lies outside the range of its column");
  }
  require(n_missing == column.range.n_missing, "missing keys are not counted right");

  predict::StoredAtoms atoms(geometry.grids.size());
  atoms.start_tree();
  const predict::StoredAtom stored = atoms.add(atom);
  predict::RowTables<T> tables(geometry, atoms.reads_grid(), n);
  tables.load(matrix, 0, n);
  for (std::size_t i = 0; i < n; ++i)
    predicted[i] = predict::value_at(stored, atoms.of_tree(0), tables, i);
  return {to_numpy(std::move(projected)), to_numpy(std::move(predicted))};
}

template <class T>
void bind_project_groups(nb::module_& m) {
  m.def("project_groups", &project_groups<T>, nb::arg("X").noconvert(), nb::arg("geometry"),
        nb::arg("columns"), nb::arg("weights"), nb::arg("group_ends"), nb::arg("reduction"),
        nb::arg("grid"), nb::arg("narrow"), nb::arg("in_block"),
        "Values of one compiled atom, projected and predicted. grid is -1 for features.");
}

}  // namespace

void stage_groups(nb::module_& m) {
  bind_project_groups<std::uint8_t>(m);
  bind_project_groups<float>(m);
}

}  // namespace mf::bindings
