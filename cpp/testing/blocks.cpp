// Rows of a node: their partition, and their places in blocks.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/dealt_blocks.hpp"
#include "split/kernels/kernels.hpp"
#include "stages.hpp"
#include "train/block_rows.hpp"
#include "train/partition.hpp"

namespace mf::bindings {
namespace {

// The rows, the number of those on the left, and what lies behind the rows and behind the scratch.
std::tuple<std::vector<Row>, std::size_t, Row, Row> partition_keys(
    std::vector<Row> rows, const Array1<std::uint32_t>& keys, std::uint32_t last) {
  constexpr Row kBehind = -7;
  const std::size_t n = rows.size();
  require(keys.size() == n, "rows and keys must have the same length");
  std::vector<Row> right(n + 1);
  right[n] = kBehind;
  rows.push_back(kBehind);
  const std::size_t n_left =
      train::kernels().partition_keys(rows.data(), keys.data(), n, last, right.data());
  const Row behind = rows.back();
  rows.pop_back();
  return {std::move(rows), n_left, behind, right[n]};
}

// The rows and the number of those on the left, by codes of the only feature. Blocks are taken from
// the last to the first.
std::pair<std::vector<Row>, std::size_t> partition_codes(std::vector<Row> rows,
                                                         const Array2<float>& X, std::uint32_t last,
                                                         bool missing_left, bool by_blocks) {
  const CodeRows codes(to_matrix(X), {}, 1, [] {});
  for (const Row row : rows)
    require(row >= 0 && static_cast<std::size_t>(row) < X.shape(0), "rows must be rows of X");
  const BlockLoop loop = [](std::size_t n_blocks, const auto& body) {
    for (std::size_t block = n_blocks; block-- > 0;) body(block);
  };
  train::Spill spill;
  const std::size_t n_left = train::stable_partition(rows, codes, 0, last, missing_left, spill,
                                                     by_blocks ? loop : BlockLoop());
  return {std::move(rows), n_left};
}

// The blocks that workers get which ask in the order of their numbers.
std::vector<std::int64_t> deal_blocks(std::size_t n_blocks, int n_workers,
                                      const std::vector<int>& asking) {
  DealtBlocks blocks(n_blocks, n_workers);
  std::vector<std::int64_t> taken;
  for (const int worker : asking) {
    const auto block = blocks.take(worker);
    taken.push_back(block ? static_cast<std::int64_t>(*block) : -1);
  }
  return taken;
}

using Range = std::pair<std::size_t, std::size_t>;

// Enters a block and one inside it, turns the order of the inner one around, gives away parts and
// leaves both. Returns the inner places before, their classes, and the order at the end.
std::tuple<std::vector<Row>, std::vector<std::int32_t>, std::vector<Row>> pass_blocks(
    std::vector<Row> order, const Array1<std::int32_t>& packed, const Range& outer,
    const Range& inner, const std::vector<Range>& given) {
  const auto slice_of = [](const Range& range) { return train::Slice{range.first, range.second}; };
  RowSamples samples;
  samples.packed.assign(packed.data(), packed.data() + packed.size());
  train::BlockRows large, small;
  large.enter(slice_of(outer), order, samples);
  small.enter(slice_of(inner), order, large.samples());
  const auto places = std::span(order).subspan(inner.first, inner.second - inner.first);
  std::vector<Row> before(places.begin(), places.end());
  std::vector<std::int32_t> classes(small.samples().packed.begin(), small.samples().packed.end());
  std::reverse(places.begin(), places.end());
  for (const Range& part : given) {
    if (small.holds(slice_of(part))) small.give(slice_of(part), order);
    if (large.holds(slice_of(part))) large.give(slice_of(part), order);
  }
  small.leave(order);
  large.leave(order);
  large.leave(order);  // nothing is left to be done
  return {std::move(before), std::move(classes), std::move(order)};
}

}  // namespace

void stage_blocks(nb::module_& m) {
  m.def("partition_keys", &partition_keys, nb::arg("rows"), nb::arg("keys").noconvert(),
        nb::arg("last"));
  m.def("partition_codes", &partition_codes, nb::arg("rows"), nb::arg("X").noconvert(),
        nb::arg("last"), nb::arg("missing_left"), nb::arg("by_blocks"));
  m.def("deal_blocks", &deal_blocks, nb::arg("n_blocks"), nb::arg("n_workers"), nb::arg("asking"));
  m.def("pass_blocks", &pass_blocks, nb::arg("order"), nb::arg("packed").noconvert(),
        nb::arg("outer"), nb::arg("inner"), nb::arg("given"));
}

}  // namespace mf::bindings
