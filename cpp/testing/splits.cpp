// The impurity of a node, and the best split of one column.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "data/dataset.hpp"
#include "samplers/axis.hpp"
#include "split/block_ranks.hpp"
#include "split/finder.hpp"
#include "split/project.hpp"
#include "stages.hpp"
#include "whole_node.hpp"

namespace mf::bindings {
namespace {

// A column of values as the projector would give it.
template <class V>
train::Column to_column(const Array1<V>& values, std::vector<train::Key>& keys) {
  train::Column column;
  column.range.integer = !std::is_same_v<V, float>;
  keys.resize(values.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if constexpr (std::is_same_v<V, float>)
      keys[i] = train::key_of(values(i));
    else
      keys[i] = train::key_of(std::int32_t{values(i)});
    if (keys[i] == train::kMissing) {
      ++column.range.n_missing;
      continue;
    }
    column.range.min = std::min(column.range.min, keys[i]);
    column.range.max = std::max(column.range.max, keys[i]);
  }
  if constexpr (std::is_same_v<V, std::uint8_t>)
    column.bytes = {values.data(), values.size()};
  else
    column.keys = keys;
  return column;
}

// The same of ranks, as if the node were a whole block.
train::Column to_ranks(const train::Column& column, const Array1<float>& values,
                       train::BlockRanks& ranks) {
  require(values.size() <= train::BlockRanks::kMaxRows, "a block has at most 4096 rows");
  ranks.start(values.size(), 1);
  ranks.sort(0, values.data());
  train::Column ranked;
  ranked.range = column.range;
  ranked.ranks = {ranks.ranks(0), values.size()};
  ranked.sorted = ranks.sorted(0);
  return ranked;
}

template <class V>
std::optional<std::tuple<double, double, bool>> find_split(
    const Array1<V>& values, const OptionalTarget& y, const Array1<double>& weight,
    const Array1<std::int64_t>& count, const std::string& criterion,
    const std::vector<int>& n_classes, std::int64_t min_samples_leaf, double min_balance,
    const std::string& splitter, std::uint64_t seed, const OptionalSigns& signs,
    const OptionalDistances& squared_distances, std::optional<double> gain_to_beat,
    bool anticipated, bool ranked) {
  const Target target = to_target(y, n_classes, signs, squared_distances, values.size());
  const auto objective = train::find_objective(criterion);
  objective->check(target);
  require(weight.size() == values.size() && count.size() == values.size(),
          "weight and count must have one entry per value");
  const WholeNode whole(target, weight, {count.data(), count.data() + count.size()});
  std::vector<train::Key> keys;
  train::Column column = to_column(values, keys);
  if (column.constant()) return std::nullopt;
  train::BlockRanks ranks;
  if constexpr (std::is_same_v<V, float>)
    if (ranked) column = to_ranks(column, values, ranks);
  const auto finder =
      objective->finder(target, {min_samples_leaf, min_balance}, kSplitters.parse(splitter));
  require(!ranked || (column.is_ranked() && finder->takes_ranks()),
          "only floats have ranks, and not every search takes them");
  finder->start_node(whole.sample);
  Rng rng(seed);
  finder->start_column(column);
  if (anticipated) finder->anticipate();
  const auto split = finder->decide(gain_to_beat.value_or(train::kNoSplitYet), rng);
  if (!split) return std::nullopt;
  return std::tuple{split->threshold, split->gain, split->missing_left};
}

using FoundAmong = std::optional<std::tuple<std::size_t, double, double, std::uint64_t>>;

// The split of a node of few rows, which are a block, by candidates that are drawn: all at once, or
// one after the other as in larger nodes.
FoundAmong find_among(const Array2<float>& X, const Array1<Row>& rows, const OptionalTarget& y,
                      const Array1<double>& weight, const Array1<std::int64_t>& count,
                      const std::string& criterion, const std::vector<int>& n_classes,
                      std::int64_t min_samples_leaf, const std::string& splitter,
                      std::uint64_t seed, int n_candidates, bool together) {
  const Target target = to_target(y, n_classes, {}, {}, X.shape(0));
  RowSamples samples{{weight.data(), weight.data() + weight.size()},
                     {count.data(), count.data() + count.size()}};
  samples.pack(target);
  const std::vector<Row> node(rows.data(), rows.data() + rows.size());
  Geometry geometry;
  geometry.n_features = X.shape(1);
  const Matrix<float> matrix(X.data(), X.shape(0), X.shape(1));
  const Dataset<float> data(matrix, {}, {}, ColumnsAs::values, {}, 1);
  const auto projector = train::make_projector(data, geometry);
  const auto objective = train::find_objective(criterion);
  const train::SplitRules rules{min_samples_leaf, 0.0};
  const train::SplitterKind kind = kSplitters.parse(splitter);
  const auto finder = objective->finder(target, rules, kind);
  projector->give_ranks(finder->takes_ranks());
  projector->start_subtree(train::BlockSize::small, node);
  projector->start_node(node);
  const AxisSampler sampler(static_cast<int>(X.shape(1)));
  DrawContext draw{Rng(seed)};
  draw.n_candidates = n_candidates;
  draw.with_thresholds = kind == train::SplitterKind::random;
  AtomList candidates;
  if (together) {
    const auto few = objective->few_nodes(target, rules, kind);
    require(few && few->start(*projector, node, samples, 0.0), "the node cannot be searched");
    std::vector<double> value(objective->leaf(target)->value_width());
    if (few->open(train::first_rows(node.size()), value.data()).pure) return std::nullopt;
    const train::FewCut cut = few->search(draw, sampler, candidates);
    require(!cut.some_missing, "the search cannot take all candidates at once");
    if (!cut.found) return std::nullopt;
    const double threshold =
        train::midpoint(train::float_of(cut.last_left), train::float_of(cut.first_right));
    return std::tuple{cut.feature, threshold, cut.gain, cut.left};
  }
  NodeSample sample;
  sample.gather(target, node, samples);
  finder->start_node(sample);
  if (finder->pure()) return std::nullopt;
  sampler.redraw(draw, candidates);
  FoundAmong best;
  double gain_to_beat = train::kNoSplitYet;
  std::vector<train::Key> widened;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const train::Column column = projector->project(candidates[c]);
    if (column.constant()) continue;
    const auto split = finder->find(column, gain_to_beat, draw.threshold_stream(c));
    if (!split) continue;
    std::uint64_t left = 0;
    const auto keys = train::keys_of(column, widened);
    for (std::size_t i = 0; i < keys.size(); ++i)
      left |= std::uint64_t{keys[i] <= split->last_left} << i;
    best = std::tuple{static_cast<std::size_t>(candidates[c].ints[0]), split->threshold,
                      split->gain, left};
    gain_to_beat = split->gain;
    if (split->perfect) break;
  }
  return best;
}

double node_impurity(const OptionalTarget& y, const Array1<double>& weight,
                     const std::string& criterion, const std::vector<int>& n_classes,
                     const OptionalSigns& signs, const OptionalDistances& squared_distances) {
  const Target target = to_target(y, n_classes, signs, squared_distances, weight.size());
  const WholeNode whole(target, weight, std::vector<std::int32_t>(weight.size(), 1));
  return train::find_objective(criterion)->impurity(target, whole.sample);
}

template <class V>
void bind_find_split(nb::module_& m) {
  m.def("find_split", &find_split<V>, nb::arg("values").noconvert(), nb::arg("y").none(),
        nb::arg("weight"), nb::arg("count"), nb::arg("criterion"), nb::arg("n_classes"),
        nb::arg("min_samples_leaf"), nb::arg("min_balance"), nb::arg("splitter") = "exact",
        nb::arg("seed") = 0, nb::arg("signs") = nb::none(),
        nb::arg("squared_distances").noconvert() = nb::none(), nb::arg("gain_to_beat") = 0.0,
        nb::arg("anticipated") = false, nb::arg("ranked") = false,
        "Best split of one column: threshold, gain, missing_left; or None.");
}

}  // namespace

void stage_splits(nb::module_& m) {
  m.def("node_impurity", &node_impurity, nb::arg("y").none(), nb::arg("weight"),
        nb::arg("criterion"), nb::arg("n_classes"), nb::arg("signs") = nb::none(),
        nb::arg("squared_distances").noconvert() = nb::none(),
        "Impurity of a node that holds all rows.");
  m.def("find_among", &find_among, nb::arg("X").noconvert(), nb::arg("rows"), nb::arg("y").none(),
        nb::arg("weight"), nb::arg("count"), nb::arg("criterion"), nb::arg("n_classes"),
        nb::arg("min_samples_leaf"), nb::arg("splitter"), nb::arg("seed"), nb::arg("n_candidates"),
        nb::arg("together"),
        "Best split of a node of few rows by features that are drawn: feature, threshold, gain and "
        "the rows on the left as bits; or None.");
  bind_find_split<std::int32_t>(m);
  bind_find_split<float>(m);
  bind_find_split<std::uint8_t>(m);
}

}  // namespace mf::bindings
