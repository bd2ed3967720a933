// Choosing the form of a forest.
#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>

#include "atoms/kind.hpp"
#include "predict/forms/axis.hpp"
#include "predict/forms/patch.hpp"
#include "predict/forms/sums.hpp"
#include "predict/general_walk.hpp"
#include "predict/leaf_sets.hpp"
#include "predict/missing_switch.hpp"
#include "predict/packed_walk.hpp"
#include "predict/walk.hpp"

namespace mf::predict {
namespace {

constexpr std::size_t kSample =
    10000;  // splits in the sample that chooses a form; any form gives the right leaves

// Time of a step through the nodes of a form, through one that it refuses, and through the nodes of
// the general walk, in steps through nodes of one feature. Measured on MNIST with 100 fully grown
// trees; what a row's tables cost is shared out to its steps.
constexpr double kAxisCost = 1.0, kSumCost = 1.5, kWeightedCost = 2.0, kPatchCost = 1.5;
constexpr double kMixedSumCost = 1.8, kLongCost = 20.0, kGeneralCost = 10.0;

template <class T>
using ForestPtr = std::unique_ptr<WalkableForest<T>>;

// How many of the steps through some splits a form packs.
template <class Form>
class Trial {
 public:
  Trial(const FlatForest& forest, const Geometry& geometry, double cost, bool allowed)
      : form_(geometry), cost_(cost), allowed_(allowed && PackedForest<Form>::allows(forest)) {}

  // visits: rows that reach the split.
  void see(const Split& split, double visits) {
    typename Form::Node node{};
    seen_ += visits;
    if (allowed_ && packs(form_, split, node)) packed_ += visits;
  }
  // Of a step, on average.
  double cost() const {
    if (!allowed_) return kLongCost + kGeneralCost;
    const double share = seen_ > 0.0 ? packed_ / seen_ : 1.0;
    return share * cost_ + (1.0 - share) * kLongCost;
  }
  const Form& form() const { return form_; }

 private:
  Form form_;
  double cost_;
  bool allowed_;
  double seen_ = 0.0, packed_ = 0.0;
};

// Calls see(split, visits) for the first splits of the forest. Predicted rows are assumed to reach
// splits in proportion to the weight of the training rows there.
template <class See>
void sample_splits(const FlatForest& forest, const Geometry& geometry, const See& see) {
  CompiledAtom atom;
  std::size_t n_seen = 0;
  for (std::size_t i = 0; i < forest.n_nodes() && n_seen < kSample; ++i) {
    if (forest.is_leaf(i)) continue;
    compile(forest.atom(i), geometry, atom);
    const double weight = forest.weight[i];  // may be any number in a forged file
    const double visits = weight > 0.0 && weight < 1e300 ? weight : 0.0;
    see(Split{atom, forest.threshold[i], forest.missing_left[i] != 0}, visits);
    ++n_seen;
  }
}

template <class Form>
ForestPtr<typename Form::Example> pack(const FlatForest& forest, const Geometry& geometry) {
  return std::make_unique<WalkablePackedForest<Form>>(forest, geometry);
}

// Summed-area tables do not show missing values: forms over them are only for rows without any.
template <class T>
ForestPtr<T> when_complete(ForestPtr<T> packed, const FlatForest& forest,
                           const Geometry& geometry) {
  if constexpr (std::is_same_v<T, float>)
    return std::make_unique<MissingSwitch>(std::move(packed), forest, geometry);
  else
    return packed;
}

// Columns of 16 bits make smaller nodes.
template <class T, class Entry>
ForestPtr<T> pack_patches(const FlatForest& forest, const Geometry& geometry, bool reads_features) {
  using Short = PatchForm<T, Entry, std::uint16_t>;
  using Wide = PatchForm<T, Entry, std::uint32_t>;
  return when_complete<T>(Short::allows(geometry, reads_features) ? pack<Short>(forest, geometry)
                                                                  : pack<Wide>(forest, geometry),
                          forest, geometry);
}

// The forms that differ between types of data.
template <class T>
struct Forms;
template <>
struct Forms<std::uint8_t> {
  using Axis = IntegerAxisForm;
  template <class Entry>
  using Sum = IntegerSumForm<Entry>;
};
template <>
struct Forms<float> {
  using Axis = FloatAxisForm;
  template <class Entry>
  using Sum = FloatSumForm<Entry>;
};

// Entries of tables for patches, and for patches and sums of features together.
template <class T, class Entry, class MixedEntry>
ForestPtr<T> pack_most(const FlatForest& forest, const Geometry& geometry) {
  using Axis = typename Forms<T>::Axis;
  using Sum = typename Forms<T>::template Sum<T>;
  using MixedSum = typename Forms<T>::template Sum<MixedEntry>;
  using Weighted = WeightedSumForm<T>;
  using Patch = PatchForm<T, Entry, std::uint32_t>;
  const bool has_grids = !geometry.grids.empty();
  Trial<Axis> axis(forest, geometry, kAxisCost, true);
  Trial<Sum> sum(forest, geometry, kSumCost, Sum::allows(geometry));
  Trial<Weighted> weighted(forest, geometry, kWeightedCost, true);
  Trial<Patch> patch(forest, geometry, kPatchCost, has_grids && Patch::allows(geometry, true));
  Trial<MixedSum> mixed(forest, geometry, kMixedSumCost, has_grids && MixedSum::allows(geometry));
  sample_splits(forest, geometry, [&](const Split& split, double visits) {
    axis.see(split, visits);
    sum.see(split, visits);
    weighted.see(split, visits);
    patch.see(split, visits);
    mixed.see(split, visits);
  });
  const double least =
      std::min({axis.cost(), sum.cost(), weighted.cost(), patch.cost(), mixed.cost()});
  if (least >= kGeneralCost) return std::make_unique<WalkableGeneralForest<T>>(forest, geometry);
  if (axis.cost() == least) return pack<Axis>(forest, geometry);
  if (sum.cost() == least) return pack<Sum>(forest, geometry);
  if (weighted.cost() == least) return pack<Weighted>(forest, geometry);
  if (mixed.cost() == least)
    return when_complete<T>(pack<MixedSum>(forest, geometry), forest, geometry);
  return pack_patches<T, Entry>(forest, geometry, patch.form().reads_features());
}

// The largest sum of uint8 that a group of an atom can have over a summed-area table.
std::size_t largest_sum(const FlatForest& forest, const Geometry& geometry) {
  if (geometry.grids.empty()) return 0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < forest.n_nodes(); ++i) {
    if (forest.is_leaf(i)) continue;
    const Atom atom = forest.atom(i);
    largest = std::max(largest, type_of(atom.kind).largest_sum(atom, geometry));
  }
  return 255 * largest;
}

ForestPtr<std::uint8_t> pack_integers(const FlatForest& forest, const Geometry& geometry) {
  using Short = std::uint16_t;
  using Wide = Sum<std::uint8_t>;
  const std::size_t largest = largest_sum(forest, geometry);
  if (largest <= std::numeric_limits<std::int16_t>::max())
    return pack_most<std::uint8_t, Short, Short>(forest, geometry);
  if (largest <= std::numeric_limits<std::uint16_t>::max())
    return pack_most<std::uint8_t, Short, Wide>(forest, geometry);
  return pack_most<std::uint8_t, Wide, Wide>(forest, geometry);
}

}  // namespace

template <>
ForestPtr<std::uint8_t> compile_forest(const FlatForest& forest, const Geometry& geometry) {
  return with_leaf_sets(pack_integers(forest, geometry),
                        LeafSetForest::make(forest, geometry, true));
}

template <>
ForestPtr<float> compile_forest(const FlatForest& forest, const Geometry& geometry) {
  return with_leaf_sets(pack_most<float, Sum<float>, Sum<float>>(forest, geometry),
                        LeafSetForest::make(forest, geometry, false));
}

}  // namespace mf::predict
