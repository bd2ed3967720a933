#include "train/block_rows.hpp"

#include <algorithm>
#include <numeric>

namespace mf::train {
namespace {

// What the rows have in an array of which they are indices.
template <class T>
void gather(const PageVector<T>& from, std::span<const Row> rows, PageVector<T>& to) {
  to.resize(from.empty() ? 0 : rows.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[static_cast<std::size_t>(rows[i])];
}

}  // namespace

void BlockRows::enter(Slice slice, std::span<Row> order, const RowSamples& samples) {
  const std::span<Row> rows = order.subspan(slice.begin, slice.size());
  slice_ = slice;
  given_.clear();
  gather(samples.packed, rows, samples_.packed);
  gather(samples.responses, rows, samples_.responses);
  outer_.assign(rows.begin(), rows.end());
  std::iota(rows.begin(), rows.end(), Row{0});
}

void BlockRows::restore(std::span<Row> places) const {
  for (Row& place : places) place = outer_[static_cast<std::size_t>(place)];
}

void BlockRows::give(Slice part, std::span<Row> order) {
  restore(order.subspan(part.begin, part.size()));
  given_.push_back(part);
}

void BlockRows::leave(std::span<Row> order) {
  if (!is_entered()) return;
  std::sort(given_.begin(), given_.end(),
            [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
  std::size_t begin = slice_.begin;
  for (const Slice& part : given_) {
    restore(order.subspan(begin, part.begin - begin));
    begin = part.end;
  }
  restore(order.subspan(begin, slice_.end - begin));
  outer_.clear();
}

}  // namespace mf::train
