// All views. To add one: a header in this folder with a subclass of View, and its line here.
#include <array>

#include "views/columns.hpp"
#include "views/gradients.hpp"
#include "views/intervals.hpp"
#include "views/kernels.hpp"
#include "views/series.hpp"

namespace mf {
namespace {

struct Entry {
  const char* kind;
  ViewPtr (*make)(const ViewSpec&, std::size_t n_features, std::size_t n_columns);
  bool of_features;  // whether the shape in its spec is that of the features
};
constexpr std::array kAll{
    Entry{GradientView::kKind, GradientView::make, true},
    Entry{DifferenceView::kKind, DifferenceView::make, true},
    Entry{SpectrumView::kKind, SpectrumView::make, true},
    Entry{IntervalView::kKind, IntervalView::make, true},
    Entry{KernelView::kKind, KernelView::make, true},
    Entry{ColumnsView::kKind, ColumnsView::make, false},
};

void require(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("view: " + what);
}

// The product of the lengths, or more than `most` if it is larger.
std::size_t size_of(const std::vector<int>& shape, std::size_t most) {
  std::size_t size = 1;
  for (const int length : shape) {
    require(length > 0, "shape must be positive");
    size *= static_cast<std::size_t>(length);
    if (size > most) break;  // before it overflows
  }
  return size;
}

}  // namespace

ViewPtr make_view(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns) {
  for (const Entry& entry : kAll) {
    if (spec.kind != entry.kind) continue;
    const std::size_t size = size_of(spec.shape, kMostCells);
    require(!entry.of_features || size == n_features,
            "shape must hold " + std::to_string(n_features) + " features");
    require(size <= kMostCells, "shape must have at most 2**23 cells");
    ViewPtr view = entry.make(spec, n_features, n_columns);
    require(view->n_cells() <= kMostCells,
            "an example must have at most 2**23 cells, got " + std::to_string(view->n_cells()));
    return view;
  }
  throw std::invalid_argument("view: unknown kind " + spec.kind);
}

}  // namespace mf
