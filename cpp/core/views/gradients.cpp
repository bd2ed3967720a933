#include "views/gradients.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

#include "views/orientation.hpp"

namespace mf {
namespace {

// Cells of all pairs of differences of bytes. Only those of the first quarter of directions are
// stored, 256 kB; an even number of orientations looks the same from the others.
class ByteOrientations {
 public:
  struct Entry {
    std::uint8_t channel, first, second;
  };

  explicit ByteOrientations(int n_channels) : entries_(kSide * kSide) {
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        if (x == 0 && y == 0) continue;
        const Orientation o = orientation_of(x, y, n_channels);
        entries_[place(x, y)] = {static_cast<std::uint8_t>(o.channel),
                                 static_cast<std::uint8_t>(whole_cell(o.first)),
                                 static_cast<std::uint8_t>(whole_cell(o.second))};
      }
    const int half = n_channels / 2;
    for (int c = 0; c <= half; ++c) {
      const auto at = static_cast<std::size_t>(c);
      auto channel = [&](int k) {
        return static_cast<std::uint8_t>((k + n_channels) % n_channels);
      };
      channels_[0][at] = {channel(c), channel(c + 1)};
      channels_[1][at] = {channel(half - c), channel(half - c - 1)};  // x < 0
      channels_[2][at] = {channel(-c), channel(-c - 1)};              // y < 0
      channels_[3][at] = {channel(half + c), channel(half + c + 1)};  // both
    }
  }

  // Calls set(channel, cell) for the two channels of a pair.
  template <class Set>
  void operator()(int x, int y, const Set& set) const {
    const Entry& entry = entries_[place(std::abs(x), std::abs(y))];
    const auto quarter = static_cast<std::size_t>((x < 0 ? 1 : 0) + (y < 0 ? 2 : 0));
    const std::array<std::uint8_t, 2>& channels = channels_[quarter][entry.channel];
    set(channels[0], entry.first);
    set(channels[1], entry.second);
  }

 private:
  static constexpr int kSide = 256;
  static std::size_t place(int x, int y) { return static_cast<std::size_t>(y * kSide + x); }

  std::vector<Entry> entries_;
  // By quarter and stored channel.
  std::array<std::array<std::array<std::uint8_t, 2>, GradientView::kMostOrientations / 2 + 1>, 4>
      channels_{};
};

// One table for each number of orientations that is in use.
const ByteOrientations& byte_orientations(int n_channels) {
  static std::array<std::once_flag, GradientView::kMostOrientations + 1> once;
  static std::array<std::unique_ptr<const ByteOrientations>, GradientView::kMostOrientations + 1>
      tables;
  const auto at = static_cast<std::size_t>(n_channels);
  std::call_once(once[at], [&] { tables[at] = std::make_unique<ByteOrientations>(n_channels); });
  return *tables[at];
}

// The differences along one row of one channel. kStep is the step between columns if it is 1, which
// registers can load; otherwise 0.
template <std::ptrdiff_t kStep, class D, class T>
void row_differences(const T* at, std::ptrdiff_t up, std::ptrdiff_t down, std::ptrdiff_t any_step,
                     std::ptrdiff_t n, D* __restrict x, D* __restrict y) {
  const std::ptrdiff_t step = kStep > 0 ? kStep : any_step;
  auto minus = [](T a, T b) { return static_cast<D>(a) - static_cast<D>(b); };
  for (std::ptrdiff_t c = 0; c < n; ++c) y[c] = minus(at[c * step + down], at[c * step + up]);
  for (std::ptrdiff_t c = 1; c + 1 < n; ++c) x[c] = minus(at[(c + 1) * step], at[(c - 1) * step]);
  x[0] = n > 1 ? minus(at[step], at[0]) : D{0};
  if (n > 1) x[n - 1] = minus(at[(n - 1) * step], at[(n - 2) * step]);
}

}  // namespace

ViewPtr GradientView::make(const ViewSpec& spec, std::size_t, std::size_t) {
  const std::vector<int>& numbers = spec.numbers;
  const bool has_channels = numbers.size() == 3 && numbers[0] >= 0;
  const std::size_t n_axes = has_channels ? 3 : 2;
  if (numbers.size() != 3 || spec.shape.size() != n_axes || numbers[0] < -1 ||
      numbers[0] >= static_cast<int>(n_axes) || numbers[1] < 2 || numbers[1] > kMostOrientations ||
      numbers[1] % 2 != 0 || numbers[2] < 0 || numbers[2] > 1)
    throw std::invalid_argument(
        "view: gradients are of images with two axes, and perhaps one of channels, in an even "
        "number of orientations up to 64");
  return std::shared_ptr<const View>(new GradientView(spec, layout_of(spec)));
}

GradientView::Layout GradientView::layout_of(const ViewSpec& spec) {
  std::array<std::ptrdiff_t, 3> length{1, 1, 1}, step{};  // row, column, channel
  std::ptrdiff_t inner = 1;
  for (int axis = static_cast<int>(spec.shape.size()) - 1, place = 1; axis >= 0; --axis) {
    const int role = axis == spec.numbers[0] ? 2 : place--;
    length[static_cast<std::size_t>(role)] = spec.shape[static_cast<std::size_t>(axis)];
    step[static_cast<std::size_t>(role)] = inner;
    inner *= spec.shape[static_cast<std::size_t>(axis)];
  }
  return {length[0], length[1], length[2], step[0], step[1], step[2]};
}

GradientView::GradientView(const ViewSpec& spec, const Layout& layout)
    : View(spec,
           {spec.numbers[1], static_cast<int>(layout.n_rows), static_cast<int>(layout.n_columns)}),
      layout_(layout),
      n_orientations_(spec.numbers[1]),
      whole_(spec.numbers[2] == 1) {}

template <class D, class T, class Visit>
void GradientView::visit_gradients(const T* example, const Visit& visit) const {
  const Layout& of = layout_;
  const auto n = static_cast<std::size_t>(of.n_columns);
  std::vector<D> buffer(4 * n);
  D *x = buffer.data(), *y = x + n, *other_x = y + n, *other_y = other_x + n;
  for (std::ptrdiff_t r = 0; r < of.n_rows; ++r) {
    const T* row = example + r * of.row;
    const std::ptrdiff_t up = r > 0 ? -of.row : 0, down = r + 1 < of.n_rows ? of.row : 0;
    const auto& differences = of.column == 1 ? row_differences<1, D, T> : row_differences<0, D, T>;
    differences(row, up, down, of.column, of.n_columns, x, y);
    for (std::ptrdiff_t k = 1; k < of.n_channels; ++k) {
      differences(row + k * of.channel, up, down, of.column, of.n_columns, other_x, other_y);
      for (std::size_t c = 0; c < n; ++c) {
        const D square = x[c] * x[c] + y[c] * y[c];
        const D other = other_x[c] * other_x[c] + other_y[c] * other_y[c];
        if (other <= square || square != square) continue;  // what is missing stays missing
        x[c] = other_x[c];
        y[c] = other_y[c];
      }
    }
    for (std::size_t c = 0; c < n; ++c) visit(static_cast<std::size_t>(r) * n + c, x[c], y[c]);
  }
}

void GradientView::compute(const std::uint8_t* example, std::uint8_t* cells) const {
  std::fill_n(cells, n_cells(), std::uint8_t{0});
  const std::size_t plane = n_cells() / static_cast<std::size_t>(n_orientations_);
  const ByteOrientations& table = byte_orientations(n_orientations_);
  visit_gradients<int>(example, [&](std::size_t pixel, int x, int y) {
    if ((x | y) == 0) return;
    table(x, y,
          [&](std::size_t channel, std::uint8_t cell) { cells[channel * plane + pixel] = cell; });
  });
}

void GradientView::compute(const float* example, float* cells) const {
  std::fill_n(cells, n_cells(), 0.0F);
  const auto n = static_cast<std::size_t>(n_orientations_);
  const std::size_t plane = n_cells() / n;
  const auto float_cell = [this](double cell) { return to_cell(whole_ ? whole_cell(cell) : cell); };
  visit_gradients<double>(example, [&](std::size_t pixel, double x, double y) {
    if (x != x || y != y) {
      for (std::size_t b = 0; b < n; ++b)
        cells[b * plane + pixel] = std::numeric_limits<float>::quiet_NaN();
      return;
    }
    if (x == 0.0 && y == 0.0) return;
    const Orientation o = orientation_of(x, y, n_orientations_);
    const auto channel = static_cast<std::size_t>(o.channel);
    cells[channel * plane + pixel] = float_cell(o.first);
    cells[(channel + 1 == n ? 0 : channel + 1) * plane + pixel] = float_cell(o.second);
  });
}

std::int32_t GradientView::group_of(std::int32_t cell) const {
  return static_cast<std::int32_t>(cell % (layout_.n_rows * layout_.n_columns));
}

void GradientView::append_features(std::int32_t pixel, std::vector<std::int32_t>& out) const {
  const Layout& of = layout_;
  const std::ptrdiff_t at = pixel / of.n_columns * of.row + pixel % of.n_columns * of.column;
  for (std::ptrdiff_t k = 0; k < of.n_channels; ++k)
    out.push_back(static_cast<std::int32_t>(at + k * of.channel));
}

const char* GradientView::axis_name(std::size_t axis, bool plural) const {
  if (axis == 0) return plural ? "orientations" : "orientation";
  if (axis == 1) return plural ? "rows" : "row";
  return plural ? "columns" : "column";
}

}  // namespace mf
