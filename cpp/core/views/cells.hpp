// The cells of views: of all training rows at once, or of one example at a time.
#pragma once

#include <vector>

#include "base/interrupt.hpp"
#include "data/dataset.hpp"
#include "data/grid.hpp"
#include "views/view.hpp"

namespace mf {

// The cells of one view, rows x cells.
template <class T>
void compute_cells(const Matrix<T>& rows, const View& view, int n_threads, T* out);

// The cells of all views, for a dataset.
template <class T>
std::vector<Cells<T>> cells_of(const Matrix<T>& rows, const std::vector<ViewPtr>& views,
                               int n_threads);

// The cells of several views of floats side by side, rows x cells of all. Views are computed row by
// row: one that is slow does not hold up the others.
void compute_bank(const Matrix<float>& rows, const std::vector<ViewPtr>& views, int n_threads,
                  float* out, const InterruptFunction& check_interrupt);

// An example and its views, each computed when it is first asked for.
template <class T>
class ExampleViews {
 public:
  // The views must outlive this.
  explicit ExampleViews(const std::vector<ViewPtr>& views) : views_(views), cells_(views.size()) {}

  void load(const T* example) {
    example_ = example;
    for (auto& of_view : cells_) of_view.is_known = false;
  }
  const T* example() const { return example_; }
  // What lies on a grid: the features, or the cells of a view.
  const T* source(const Grid& grid) {
    return grid.view < 0 ? example_ : cells(static_cast<std::size_t>(grid.view));
  }

 private:
  struct Known {
    bool is_known = false;
    std::vector<T> cells;
  };

  const T* cells(std::size_t view) {
    Known& of_view = cells_[view];
    if (!of_view.is_known) {
      of_view.cells.resize(views_[view]->n_cells());
      views_[view]->compute(example_, of_view.cells.data());
      of_view.is_known = true;
    }
    return of_view.cells.data();
  }

  const std::vector<ViewPtr>& views_;
  std::vector<Known> cells_;
  const T* example_ = nullptr;
};

}  // namespace mf
