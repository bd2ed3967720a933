#include "data/summed_columns.hpp"

#include <algorithm>

#include "base/inlining.hpp"
#include "data/summed_area.hpp"
#include "data/transpose.hpp"

namespace mf {
namespace {

// Columns of numbers: entry i of column c is base[c * stride + i].
template <class T>
struct Columns {
  T* base = nullptr;
  std::size_t stride = 0;

  T* operator[](std::size_t c) const { return base + c * stride; }
  Columns from(std::size_t c) const { return {base + c * stride, stride}; }
};

// Places n examples; N is n where that is known to the compiler, which then needs no loops over
// rows, and zero otherwise.
template <std::size_t N, class T, class S, class Value>
class TablePlacer {
 public:
  TablePlacer(const Grid& grid, std::size_t n, const Value& value)
      : grid_(grid), n_(n), value_(value) {}

  void place(Columns<const T> features, Columns<S> out) {
    features_ = features;
    place_axis(0, out, grid_.table_size(), nullptr);
  }

 private:
  std::size_t n() const { return N > 0 ? N : n_; }

  // Features go to their places in the padded table, axis by axis, and every slice is added to the
  // next one while both are in cache. `above` is the slice before along the axis around this one,
  // if that is summed: it is added to the last axis on the way.
  void place_axis(int axis, Columns<S> out, std::size_t size, const S* above) {
    const std::size_t step = size / static_cast<std::size_t>(grid_.table_length(axis));
    const bool last = axis + 1 == grid_.n_axes(), around_last = axis + 2 == grid_.n_axes();
    if (grid_.summed[axis]) {  // the leading zero
      for (std::size_t c = 0; c < step; ++c) std::fill_n(out[c], n(), S{0});
      out = out.from(step);
      if (last && above != nullptr) above += out.stride;
    }
    if (last) return place_line(axis, out, above);
    for (int i = 0; i < grid_.shape[axis]; ++i, out = out.from(step)) {
      const S* before = grid_.summed[axis] ? out.base - step * out.stride : nullptr;
      place_axis(axis + 1, out, step, around_last ? before : nullptr);
      if (before != nullptr && !around_last)
        for (std::size_t c = 0; c < step; ++c) add_rows(before + c * out.stride, out[c]);
    }
  }

  // Not inlined: place_axis calls itself, and copies of this loop in copies of it gain nothing.
  MF_NOINLINE void place_line(int axis, Columns<S> out, const S* above) {
    S sum[kTransposedRows] = {};
    for (int j = 0; j < grid_.shape[axis]; ++j, out = out.from(1)) {
      const T* __restrict x = features_.base;
      S* __restrict here = out.base;
      if (grid_.summed[axis])
        for (std::size_t r = 0; r < n(); ++r) sum[r] = static_cast<S>(sum[r] + value_(x[r]));
      else
        for (std::size_t r = 0; r < n(); ++r) sum[r] = value_(x[r]);
      if (above != nullptr) {
        const S* __restrict before = above + static_cast<std::size_t>(j) * out.stride;
        for (std::size_t r = 0; r < n(); ++r) here[r] = static_cast<S>(sum[r] + before[r]);
      } else {
        std::copy_n(sum, n(), here);
      }
      features_ = features_.from(1);
    }
  }

  MF_NOINLINE void add_rows(const S* __restrict from, S* __restrict to) const {
    for (std::size_t r = 0; r < n(); ++r) to[r] = static_cast<S>(to[r] + from[r]);
  }

  const Grid& grid_;
  const std::size_t n_;
  const Value& value_;
  Columns<const T> features_{};
};

template <class T, class S, class Value>
void place_columns(const T* const* examples, std::size_t n, std::size_t n_later,
                   std::size_t n_features, const Grid& grid, S* out, std::size_t stride,
                   std::vector<T>& transposed, const Value& value) {
  transposed.resize(kTransposedRows * n_features);
  transpose(examples, n, n_features, transposed.data(), kTransposedRows, n_later);
  const Columns<const T> features{transposed.data(), kTransposedRows};
  if (n == kTransposedRows)
    TablePlacer<kTransposedRows, T, S, Value>(grid, n, value).place(features, {out, stride});
  else
    TablePlacer<0, T, S, Value>(grid, n, value).place(features, {out, stride});
}

}  // namespace

template <class T, class S>
void summed_columns(const T* const* examples, std::size_t n, std::size_t n_later,
                    std::size_t n_features, const Grid& grid, S* out, std::size_t stride,
                    std::vector<T>& transposed) {
  place_columns(examples, n, n_later, n_features, grid, out, stride, transposed, ValueOf<T, S>{});
}
template void summed_columns(const std::uint8_t* const*, std::size_t, std::size_t, std::size_t,
                             const Grid&, std::uint16_t*, std::size_t, std::vector<std::uint8_t>&);
template void summed_columns(const std::uint8_t* const*, std::size_t, std::size_t, std::size_t,
                             const Grid&, std::uint32_t*, std::size_t, std::vector<std::uint8_t>&);
template void summed_columns(const float* const*, std::size_t, std::size_t, std::size_t,
                             const Grid&, double*, std::size_t, std::vector<float>&);

void missing_columns(const float* const* examples, std::size_t n, std::size_t n_later,
                     std::size_t n_features, const Grid& grid, std::uint32_t* out,
                     std::size_t stride, std::vector<float>& transposed) {
  place_columns(examples, n, n_later, n_features, grid, out, stride, transposed, MissingOf{});
}

}  // namespace mf
