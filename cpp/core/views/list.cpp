// All views. To add one: a header in this folder with a subclass of View, and its line here.
#include <array>

#include "views/gradients.hpp"

namespace mf {
namespace {

struct Entry {
  const char* kind;
  ViewPtr (*make)(const ViewSpec&);
};
constexpr std::array kAll{Entry{GradientView::kKind, GradientView::make}};

void require(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("view: " + what);
}

// The product of the lengths, or more than `most` if it is larger.
std::size_t size_of(const std::vector<int>& shape, std::size_t most) {
  std::size_t size = 1;
  for (const int length : shape) {
    require(length > 0, "shape must be positive");
    size *= static_cast<std::size_t>(length);
    if (size > most) return size;  // before it overflows
  }
  return size;
}

}  // namespace

ViewPtr make_view(const ViewSpec& spec, std::size_t n_features, std::size_t /*n_columns*/) {
  for (const Entry& entry : kAll) {
    if (spec.kind != entry.kind) continue;
    require(size_of(spec.shape, n_features) == n_features,
            "shape must hold " + std::to_string(n_features) + " features");
    ViewPtr view = entry.make(spec);
    require(view->n_cells() <= kMostCells, "it must have at most 2**23 cells for an example, got " +
                                               std::to_string(view->n_cells()));
    return view;
  }
  throw std::invalid_argument("view: unknown kind " + spec.kind);
}

}  // namespace mf
