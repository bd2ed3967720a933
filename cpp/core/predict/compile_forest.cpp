// Choosing the form of a forest.
#include <memory>
#include <type_traits>

#include "predict/forms/axis.hpp"
#include "predict/forms/patch.hpp"
#include "predict/forms/sums.hpp"
#include "predict/general_walk.hpp"
#include "predict/missing_switch.hpp"
#include "predict/packed_walk.hpp"
#include "predict/walk.hpp"
#include "projections/atoms/kind.hpp"

namespace mf::predict {
namespace {

constexpr std::size_t kSample = 10000;  // splits looked at to choose a form; any choice is right

// Time of a step through the nodes of a form, through one that it refuses, and through the nodes of
// the general walk.
constexpr double kAxisCost = 1.0, kSumCost = 1.5, kWeightedCost = 2.0, kPatchCost = 1.5;
constexpr double kLongCost = 6.0, kGeneralCost = 8.0;

template <class T>
using ForestPtr = std::unique_ptr<WalkableForest<T>>;

// How many of the steps through some splits a form packs.
template <class Form>
class Trial {
 public:
  Trial(const FlatForest& forest, const Geometry& geometry, double cost, bool allowed)
      : form_(geometry), cost_(cost), allowed_(allowed && PackedForest<Form>::allows(forest)) {}

  // visits: rows that come by.
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

// Calls see(split, visits) for the first splits of the forest. Rows that are predicted are thought
// to take the ways of the training rows, by their weight.
template <class See>
void sample_splits(const FlatForest& forest, const Geometry& geometry, const See& see) {
  CompiledAtom atom;
  std::size_t n_seen = 0;
  for (std::size_t i = 0; i < forest.n_nodes() && n_seen < kSample; ++i) {
    if (forest.is_leaf(i)) continue;
    compile(forest.atom(i), geometry, atom);
    see(Split{atom, forest.threshold[i], forest.missing_left[i] != 0}, forest.weight[i]);
    ++n_seen;
  }
}

template <class Form>
ForestPtr<typename Form::Example> pack(const FlatForest& forest, const Geometry& geometry) {
  return std::make_unique<WalkablePackedForest<Form>>(forest, geometry);
}

// Columns of 16 bits make smaller nodes.
template <class T, class Entry>
ForestPtr<T> pack_patches(const FlatForest& forest, const Geometry& geometry, bool reads_features) {
  using Short = PatchForm<T, Entry, std::uint16_t>;
  ForestPtr<T> packed = Short::allows(geometry, reads_features)
                            ? pack<Short>(forest, geometry)
                            : pack<PatchForm<T, Entry, std::uint32_t>>(forest, geometry);
  if constexpr (std::is_same_v<T, float>)
    return std::make_unique<MissingSwitch>(std::move(packed), forest, geometry);
  else
    return packed;
}

// Entry: of the tables of patches.
template <class Entry, class Axis, class Sum, class Weighted>
ForestPtr<typename Axis::Example> pack_most(const FlatForest& forest, const Geometry& geometry) {
  using T = typename Axis::Example;
  using Patch = PatchForm<T, Entry, std::uint32_t>;
  Trial<Axis> axis(forest, geometry, kAxisCost, true);
  Trial<Sum> sum(forest, geometry, kSumCost, Sum::allows(geometry));
  Trial<Weighted> weighted(forest, geometry, kWeightedCost, true);
  Trial<Patch> patch(forest, geometry, kPatchCost,
                     !geometry.grids.empty() && Patch::allows(geometry, true));
  sample_splits(forest, geometry, [&](const Split& split, double visits) {
    axis.see(split, visits);
    sum.see(split, visits);
    weighted.see(split, visits);
    patch.see(split, visits);
  });
  const double least = std::min({axis.cost(), sum.cost(), weighted.cost(), patch.cost()});
  if (least >= kGeneralCost) return std::make_unique<WalkableGeneralForest<T>>(forest, geometry);
  if (axis.cost() == least) return pack<Axis>(forest, geometry);
  if (sum.cost() == least) return pack<Sum>(forest, geometry);
  if (weighted.cost() == least) return pack<Weighted>(forest, geometry);
  return pack_patches<T, Entry>(forest, geometry, patch.form().reads_features());
}

// Whether no sum of uint8 over a patch exceeds 16 bits.
bool sums_are_short(const FlatForest& forest, const Geometry& geometry) {
  constexpr std::size_t kMostPixels = 65535 / 255;
  if (geometry.grids.empty() || geometry.n_features <= kMostPixels) return true;
  for (std::size_t i = 0; i < forest.n_nodes(); ++i) {
    if (forest.is_leaf(i)) continue;
    const Atom atom = forest.atom(i);
    if (type_of(atom.kind).largest_sum(atom, geometry) > kMostPixels) return false;
  }
  return true;
}

}  // namespace

template <>
ForestPtr<std::uint8_t> compile_forest(const FlatForest& forest, const Geometry& geometry) {
  using Weighted = WeightedSumForm<std::uint8_t>;
  if (sums_are_short(forest, geometry))
    return pack_most<std::uint16_t, IntegerAxisForm, IntegerSumForm, Weighted>(forest, geometry);
  return pack_most<Sum<std::uint8_t>, IntegerAxisForm, IntegerSumForm, Weighted>(forest, geometry);
}

template <>
ForestPtr<float> compile_forest(const FlatForest& forest, const Geometry& geometry) {
  return pack_most<double, FloatAxisForm, FloatSumForm, WeightedSumForm<float>>(forest, geometry);
}

}  // namespace mf::predict
