#include "views/columns.hpp"

#include <algorithm>
#include <numeric>

namespace mf {

ViewPtr ColumnsView::make(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns) {
  if (spec.shape.empty() || spec.numbers.size() != 1 || spec.numbers[0] < 0 ||
      static_cast<std::size_t>(spec.numbers[0]) != n_columns)
    throw std::invalid_argument("view: columns must follow those of other views");
  return std::shared_ptr<const View>(new ColumnsView(spec, n_features, n_columns));
}

ColumnsView::ColumnsView(const ViewSpec& spec, std::size_t n_features, std::size_t before)
    : View(spec, spec.shape), n_features_(n_features), first_(n_features + before) {}

void ColumnsView::compute(const float* example, float* cells) const {
  std::copy_n(example + first_, n_cells(), cells);
}

void ColumnsView::append_features(std::int32_t /*group*/, std::vector<std::int32_t>& out) const {
  out.resize(n_features_);
  std::iota(out.begin(), out.end(), 0);
}

const char* ColumnsView::axis_name(std::size_t /*axis*/, bool plural) const {
  if (cell_shape().size() > 1) return nullptr;
  return plural ? "outputs" : "output";
}

}  // namespace mf
