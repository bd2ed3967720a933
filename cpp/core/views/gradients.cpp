#include "views/gradients.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "views/orientation.hpp"

namespace mf {
namespace {

// Cells of every pair of differences of bytes.
struct ByteOrientation {
  std::uint8_t channel, next, first, second;
};
class ByteOrientations {
 public:
  explicit ByteOrientations(int n_channels) : entries_(kSide * kSide, ByteOrientation{}) {
    for (int y = -kMost; y <= kMost; ++y)
      for (int x = -kMost; x <= kMost; ++x) {
        if (x == 0 && y == 0) continue;
        const Orientation o = orientation_of(x, y, n_channels);
        const int next = o.channel + 1 == n_channels ? 0 : o.channel + 1;
        entries_[place(x, y)] = {static_cast<std::uint8_t>(o.channel),
                                 static_cast<std::uint8_t>(next),
                                 static_cast<std::uint8_t>(whole_cell(o.first)),
                                 static_cast<std::uint8_t>(whole_cell(o.second))};
      }
  }
  const ByteOrientation& operator()(int x, int y) const { return entries_[place(x, y)]; }

 private:
  static constexpr int kMost = 255, kSide = 2 * kMost + 1;
  static std::size_t place(int x, int y) {
    return static_cast<std::size_t>((y + kMost) * kSide + x + kMost);
  }
  std::vector<ByteOrientation> entries_;
};

// One megabyte for each number of orientations that is in use.
const ByteOrientations& byte_orientations(int n_channels) {
  static std::array<std::once_flag, GradientView::kMostOrientations + 1> once;
  static std::array<std::unique_ptr<const ByteOrientations>, GradientView::kMostOrientations + 1>
      tables;
  const auto at = static_cast<std::size_t>(n_channels);
  std::call_once(once[at], [&] { tables[at] = std::make_unique<ByteOrientations>(n_channels); });
  return *tables[at];
}

}  // namespace

ViewPtr GradientView::make(const ViewSpec& spec, std::size_t, std::size_t) {
  const std::vector<int>& numbers = spec.numbers;
  const bool has_channels = numbers.size() == 3 && numbers[0] >= 0;
  const std::size_t n_axes = has_channels ? 3 : 2;
  if (numbers.size() != 3 || spec.shape.size() != n_axes || numbers[0] < -1 ||
      numbers[0] >= static_cast<int>(n_axes) || numbers[1] < 2 || numbers[1] > kMostOrientations ||
      numbers[2] < 0 || numbers[2] > 1)
    throw std::invalid_argument(
        "view: gradients are of images with two axes, and perhaps one of channels, in 2 to 64 "
        "orientations");
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
  std::size_t pixel = 0;
  for (std::ptrdiff_t r = 0; r < of.n_rows; ++r) {
    const T* row = example + r * of.row;
    const std::ptrdiff_t up = r > 0 ? -of.row : 0, down = r + 1 < of.n_rows ? of.row : 0;
    for (std::ptrdiff_t c = 0; c < of.n_columns; ++c, ++pixel) {
      const std::ptrdiff_t left = c > 0 ? -of.column : 0;
      const std::ptrdiff_t right = c + 1 < of.n_columns ? of.column : 0;
      const T* at = row + c * of.column;
      D x{}, y{}, strongest = -1;
      bool known = true;
      for (std::ptrdiff_t k = 0; k < of.n_channels; ++k, at += of.channel) {
        const D dx = static_cast<D>(at[right]) - static_cast<D>(at[left]);
        const D dy = static_cast<D>(at[down]) - static_cast<D>(at[up]);
        const D square = dx * dx + dy * dy;
        known = known && square == square;
        if (square <= strongest) continue;
        x = dx;
        y = dy;
        strongest = square;
      }
      visit(pixel, x, y, known);
    }
  }
}

void GradientView::compute(const std::uint8_t* example, std::uint8_t* cells) const {
  std::fill_n(cells, n_cells(), std::uint8_t{0});
  const std::size_t plane = n_cells() / static_cast<std::size_t>(n_orientations_);
  const ByteOrientations& table = byte_orientations(n_orientations_);
  visit_gradients<int>(example, [&](std::size_t pixel, int x, int y, bool) {
    if ((x | y) == 0) return;
    const ByteOrientation& o = table(x, y);
    cells[o.channel * plane + pixel] = o.first;
    cells[o.next * plane + pixel] = o.second;
  });
}

void GradientView::compute(const float* example, float* cells) const {
  std::fill_n(cells, n_cells(), 0.0F);
  const auto n = static_cast<std::size_t>(n_orientations_);
  const std::size_t plane = n_cells() / n;
  const auto float_cell = [this](double cell) { return to_cell(whole_ ? whole_cell(cell) : cell); };
  visit_gradients<double>(example, [&](std::size_t pixel, double x, double y, bool known) {
    if (!known) {
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
