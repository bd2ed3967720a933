#include "views/cells.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace mf {

template <class T>
void compute_cells(const Matrix<T>& rows, const View& view, int n_threads, T* out) {
  constexpr std::size_t kRowsAtOnce = 64;
  parallel_for((rows.n_rows + kRowsAtOnce - 1) / kRowsAtOnce, n_threads, [&](std::size_t chunk) {
    const std::size_t end = std::min(rows.n_rows, (chunk + 1) * kRowsAtOnce);
    for (std::size_t i = chunk * kRowsAtOnce; i < end; ++i)
      view.compute(rows.row(i), out + i * view.n_cells());
  });
}
template void compute_cells(const Matrix<std::uint8_t>&, const View&, int, std::uint8_t*);
template void compute_cells(const Matrix<float>&, const View&, int, float*);

void compute_bank(const Matrix<float>& rows, const std::vector<ViewPtr>& views, int n_threads,
                  float* out, const InterruptFunction& check_interrupt) {
  constexpr std::size_t kRowsAtOnce = 16;
  std::size_t n_cells = 0;
  for (const ViewPtr& view : views) n_cells += view->n_cells();
  parallel_for_with_state(
      (rows.n_rows + kRowsAtOnce - 1) / kRowsAtOnce, n_threads, [] { return 0; },
      [&](int, std::size_t chunk) {
        const std::size_t end = std::min(rows.n_rows, (chunk + 1) * kRowsAtOnce);
        for (std::size_t i = chunk * kRowsAtOnce; i < end; ++i) {
          float* cells = out + i * n_cells;
          for (const ViewPtr& view : views) {
            view->compute(rows.row(i), cells);
            cells += view->n_cells();
          }
        }
      },
      check_interrupt);
}

template <class T>
std::vector<Cells<T>> cells_of(const Matrix<T>& rows, const std::vector<ViewPtr>& views,
                               int n_threads) {
  std::vector<Cells<T>> out;
  for (const ViewPtr& view : views) {
    Cells<T>& cells = out.emplace_back();
    cells.per_row = view->n_cells();
    cells.values.resize(rows.n_rows * cells.per_row);
    compute_cells(rows, *view, n_threads, cells.values.data());
  }
  return out;
}
template std::vector<Cells<std::uint8_t>> cells_of(const Matrix<std::uint8_t>&,
                                                   const std::vector<ViewPtr>&, int);
template std::vector<Cells<float>> cells_of(const Matrix<float>&, const std::vector<ViewPtr>&, int);

}  // namespace mf
