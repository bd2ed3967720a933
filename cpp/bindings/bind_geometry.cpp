// Geometry: views, grids and the dictionary.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <tuple>

#include "atoms/geometry.hpp"
#include "bind.hpp"
#include "views/cells.hpp"

namespace mf::bindings {
namespace {

// NumPy has no arrays of more axes. Compiling a patch calls itself once per axis.
constexpr std::size_t kMostAxes = 64;
// A row that is predicted has one table for each grid: 2^26 entries are up to 512 MB.
constexpr std::size_t kMostEntries = std::size_t{1} << 26;
// Atoms name rows of the dictionary by 32-bit integers.
constexpr std::size_t kMostViews = 1024;
// Importances hold a number for each cell: up to 256 MB.
constexpr std::size_t kMostCellsTogether = std::size_t{1} << 25;
constexpr std::size_t kMostAtoms = (std::size_t{1} << 31) - 1;

// The arguments may come from a damaged or forged file, here and below: all are checked.
// Words come as char*: if nanobind cannot allocate a std::string, it ends the process.
int add_view(Geometry& geometry, const char* kind, const std::vector<int>& shape,
             const std::vector<int>& numbers) {
  require(geometry.views.size() < kMostViews, "there must be at most 1024 views");
  const ViewSpec spec{kind, shape, numbers};
  for (std::size_t v = 0; v < geometry.views.size(); ++v)
    if (geometry.views[v]->spec() == spec) return static_cast<int>(v);
  ViewPtr view = make_view(spec, geometry.n_features, geometry.row_width() - geometry.n_features);
  std::size_t n_cells = view->n_cells();
  for (const ViewPtr& other : geometry.views) n_cells += other->n_cells();
  require(n_cells <= kMostCellsTogether, "views must have at most 2**25 cells together");
  geometry.views.push_back(std::move(view));
  return static_cast<int>(geometry.views.size() - 1);
}

int add_grid(Geometry& geometry, const std::vector<int>& shape, const std::vector<bool>& summed,
             int view) {
  require(!shape.empty() && shape.size() == summed.size(),
          "shape and summed must have one entry per axis");
  require(shape.size() <= kMostAxes,
          "shape must have at most 64 axes, got " + std::to_string(shape.size()));
  require(view >= -1 && view < static_cast<int>(geometry.views.size()),
          "view must be one of the geometry or -1, got " + std::to_string(view));
  const Grid grid{shape, summed, view};
  const View* lies_on_it = geometry.view_on(grid);
  const std::size_t n_places = lies_on_it ? lies_on_it->n_cells() : geometry.n_features;
  std::size_t size = 1;
  for (const int length : shape) {
    require(length > 0, "shape must be positive");
    size *= static_cast<std::size_t>(length);
    if (size > n_places) break;  // before it overflows
  }
  require(size == n_places,
          "shape must hold " + std::to_string(n_places) + (lies_on_it ? " cells" : " features"));
  std::size_t table_size = 1;
  for (int axis = 0; axis < grid.n_axes(); ++axis) {
    table_size *= static_cast<std::size_t>(grid.table_length(axis));  // < 2^26 * 2^24
    require(table_size <= kMostEntries,
            "shape has too many axes: its summed-area table must have at most 2**26 entries");
  }
  for (std::size_t g = 0; g < geometry.grids.size(); ++g) {
    const Grid& other = geometry.grids[g];
    if (other.shape == shape && other.summed == summed && other.view == view)
      return static_cast<int>(g);
    table_size += geometry.grids[g].table_size();
  }
  require(table_size <= kMostEntries,
          "there are too many grids: their summed-area tables must have at most 2**26 entries "
          "together");
  geometry.grids.push_back(grid);
  return static_cast<int>(geometry.grids.size() - 1);
}

std::int64_t add_dictionary(Geometry& geometry, const Array1<std::int64_t>& offsets,
                            const Array1<std::int32_t>& features, const Array1<float>& weights) {
  require(offsets.size() >= 1 && features.size() == weights.size() && offsets(0) == 0 &&
              offsets(offsets.size() - 1) == static_cast<std::int64_t>(features.size()),
          "offsets, features and weights of the dictionary do not fit together");
  Dictionary& d = geometry.dictionary;
  for (std::size_t i = 1; i < offsets.size(); ++i)
    require(offsets(i) >= offsets(i - 1), "offsets of the dictionary must ascend");
  for (std::size_t i = 0; i < features.size(); ++i) {
    require(features(i) >= 0 && static_cast<std::size_t>(features(i)) < geometry.n_features,
            "features of the dictionary must be below " + std::to_string(geometry.n_features));
    require(std::isfinite(weights(i)), "weights of the dictionary must be finite");
  }
  require(offsets.size() - 1 <= kMostAtoms - d.size(),
          "the dictionary must have fewer than 2**31 atoms");
  const auto first = static_cast<std::int64_t>(d.size());
  const auto base = static_cast<std::int64_t>(d.features.size());
  for (std::size_t i = 1; i < offsets.size(); ++i) d.offsets.push_back(base + offsets(i));
  d.features.insert(d.features.end(), features.data(), features.data() + features.size());
  d.weights.insert(d.weights.end(), weights.data(), weights.data() + weights.size());
  return first;
}

nb::list grids(const Geometry& geometry) {
  nb::list out;
  for (const Grid& grid : geometry.grids) {
    nb::list shape, summed;
    for (const int length : grid.shape) shape.append(length);
    for (const bool is_summed : grid.summed) summed.append(is_summed);
    out.append(nb::make_tuple(shape, summed, grid.view));
  }
  return out;
}

nb::list views(const Geometry& geometry) {
  nb::list out;
  for (const ViewPtr& view : geometry.views) {
    nb::list shape, numbers;
    for (const int length : view->spec().shape) shape.append(length);
    for (const int number : view->spec().numbers) numbers.append(number);
    out.append(nb::make_tuple(view->spec().kind, shape, numbers));
  }
  return out;
}

std::vector<int> cell_shape(const Geometry& geometry, std::size_t view) {
  require(view < geometry.views.size(), "view must be one of the geometry");
  return geometry.views[view]->cell_shape();
}

// Cells of a view, rows x cells.
template <class T>
Owned<T> cells(const Geometry& geometry, std::size_t view, const Array2<T>& X, int n_threads) {
  require(view < geometry.views.size(), "view must be one of the geometry");
  require(X.shape(1) == geometry.row_width(),
          "X must have " + std::to_string(geometry.row_width()) + " columns");
  require(std::is_same_v<T, float> || geometry.views[view]->takes_bytes(),
          "X must be float32 for this view");
  const ViewPtr computed = geometry.views[view];
  const Matrix<T> rows = geometry.rows_of(X.data(), X.shape(0));
  std::vector<T> out(rows.n_rows * computed->n_cells());
  {
    const nb::gil_scoped_release released;
    compute_cells(rows, *computed, n_threads, out.data());
  }
  return to_numpy(std::move(out), {rows.n_rows, computed->n_cells()});
}

std::size_t n_cells(const Geometry& geometry) {
  std::size_t n = 0;
  for (const ViewPtr& view : geometry.views) n += view->n_cells();
  return n;
}

// Cells of all views side by side, rows x cells.
Owned<float> bank(const Geometry& geometry, const Array2<float>& X, int n_threads) {
  require(X.shape(1) == geometry.row_width(),
          "X must have " + std::to_string(geometry.row_width()) + " columns");
  const std::vector<ViewPtr> views = geometry.views;
  const Matrix<float> rows = geometry.rows_of(X.data(), X.shape(0));
  const std::size_t width = n_cells(geometry);
  std::vector<float> out(rows.n_rows * width);
  {
    const nb::gil_scoped_release released;
    compute_bank(rows, views, n_threads, out.data(), check_signals);
  }
  return to_numpy(std::move(out), {rows.n_rows, width});
}

// View and number in it of a cell among those of all views.
std::pair<const View*, std::int32_t> find_cell(const Geometry& geometry, std::int64_t cell) {
  std::int64_t first = 0;
  for (const ViewPtr& view : geometry.views) {
    const auto n = static_cast<std::int64_t>(view->n_cells());
    if (cell >= first && cell < first + n)
      return {view.get(), static_cast<std::int32_t>(cell - first)};
    first += n;
  }
  throw std::invalid_argument("cell must be one of " + std::to_string(first) + ", got " +
                              std::to_string(cell));
}

std::pair<Owned<std::int64_t>, Owned<std::int32_t>> cell_features(
    const Geometry& geometry, const Array1<std::int64_t>& cells) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> features, of_cell;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [view, cell] = find_cell(geometry, cells(i));
    view->features_of({&cell, 1}, of_cell);
    features.insert(features.end(), of_cell.begin(), of_cell.end());
    offsets.push_back(static_cast<std::int64_t>(features.size()));
  }
  return {to_numpy(std::move(offsets)), to_numpy(std::move(features))};
}

nb::str cell_text(const Geometry& geometry, std::int64_t number) {
  const auto [view, cell] = find_cell(geometry, number);
  const std::string text = view->cell_text(cell);
  return nb::str(text.c_str(), text.size());
}

std::tuple<Owned<std::int64_t>, Owned<std::int32_t>, Owned<float>> dictionary(
    const Geometry& geometry) {
  const Dictionary& d = geometry.dictionary;
  return {to_numpy(d.offsets), to_numpy(d.features), to_numpy(d.weights)};
}

}  // namespace

void bind_geometry(nb::module_& m) {
  nb::class_<Geometry>(m, "Geometry", "Grids and dictionary that stored atoms refer to.")
      .def(
          "__init__",
          [](Geometry* self, std::size_t n_features) {
            // Sums of that many uint8 are exact in 32 bits.
            require(n_features > 0 && n_features < (std::size_t{1} << 23),
                    "n_features must be between 1 and 2**23 - 1");
            new (self) Geometry{n_features, {}, {}, {}};
          },
          nb::arg("n_features"))
      .def("add_view", &add_view, nb::arg("kind"), nb::arg("shape"), nb::arg("numbers"),
           "Register a view of the examples; returns its number.")
      .def("add_grid", &add_grid, nb::arg("shape"), nb::arg("summed"), nb::arg("view") = -1,
           "Register a grid of features, or of the cells of a view; returns its number.")
      .def("add_dictionary", &add_dictionary, nb::arg("offsets"), nb::arg("features"),
           nb::arg("weights"), "Append sparse atoms; returns the number of the first.")
      .def_ro("n_features", &Geometry::n_features)
      .def_prop_ro("grids", &grids,
                   nb::sig("def grids(self) -> list[tuple[list[int], list[bool], int]]"),
                   "Shape, summed axes and view of each grid; -1 for the features themselves.")
      .def_prop_ro("views", &views,
                   nb::sig("def views(self) -> list[tuple[str, list[int], list[int]]]"),
                   "Kind, shape and numbers of each view.")
      .def("cell_shape", &cell_shape, nb::arg("view"), "Shape of the cells of a view.")
      .def("cells", &cells<std::uint8_t>, nb::arg("view"), nb::arg("X").noconvert(),
           nb::arg("n_threads"), "Cells of a view, rows x cells.")
      .def("cells", &cells<float>, nb::arg("view"), nb::arg("X").noconvert(), nb::arg("n_threads"))
      .def_prop_ro("n_cells", &n_cells, "Cells of all views together.")
      .def("bank", &bank, nb::arg("X").noconvert(), nb::arg("n_threads"),
           "Cells of all views side by side, rows x cells.")
      .def(
          "cell_features", &cell_features, nb::arg("cells"), nb::rv_policy::move,
          "Features of some of all cells: those of cell i are features[offsets[i]:offsets[i + 1]].")
      .def("cell_text", &cell_text, nb::arg("cell"), "What one of all cells is, for people.")
      .def_prop_ro("takes_bytes", &Geometry::takes_bytes, "Whether rows may be uint8.")
      .def_prop_ro("row_width", &Geometry::row_width,
                   "Columns of a row: features, and what views take from behind them.")
      .def_prop_ro("dictionary", &dictionary, nb::rv_policy::move,
                   "Copies of offsets, features and weights; row a is atom a.");
}

}  // namespace mf::bindings
