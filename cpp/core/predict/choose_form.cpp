// Choosing the form of a forest.
#include <algorithm>
#include <initializer_list>
#include <memory>

#include "predict/any_walk.hpp"
#include "predict/forms/axis.hpp"
#include "predict/forms/patch.hpp"
#include "predict/forms/sums.hpp"
#include "predict/missing_switch.hpp"
#include "predict/packed_walk.hpp"
#include "predict/walk.hpp"

namespace mf::predict {
namespace {

// Where fewer splits than this fit a form, the rest would cost more than the form saves.
constexpr double kMostSplits = 0.75;
constexpr std::size_t kSample = 10000;  // splits looked at to choose a form; any choice is right

bool all_splits(const FlatForest& forest, std::initializer_list<AtomKind> kinds) {
  for (std::size_t i = 0; i < forest.n_nodes(); ++i)
    if (!forest.is_leaf(i) && std::find(kinds.begin(), kinds.end(),
                                        static_cast<AtomKind>(forest.atom_kind[i])) == kinds.end())
      return false;
  return true;
}

// The share of splits that the form packs.
template <class Form>
double share_packed(const FlatForest& forest, const Geometry& geometry) {
  const Form form(geometry);
  CompiledAtom atom;
  std::size_t n_seen = 0, n_packed = 0;
  for (std::size_t i = 0; i < forest.n_nodes() && n_seen < kSample; ++i) {
    if (forest.is_leaf(i)) continue;
    compile(forest.atom(i), geometry, atom);
    typename Form::Node node{};
    n_packed += form.pack({atom, forest.threshold[i], forest.missing_left[i] != 0}, node) ? 1 : 0;
    ++n_seen;
  }
  return n_seen == 0 ? 1.0 : static_cast<double>(n_packed) / static_cast<double>(n_seen);
}

template <class T>
using ForestPtr = std::unique_ptr<WalkableForest<T>>;

// Null unless at least this share of the splits can be packed.
template <class Form>
ForestPtr<typename Form::Example> try_form(const FlatForest& forest, const Geometry& geometry,
                                           double least) {
  if (!PackedForest<Form>::allows(forest) || share_packed<Form>(forest, geometry) < least)
    return nullptr;
  return std::make_unique<WalkablePackedForest<Form>>(forest, geometry);
}

ForestPtr<std::uint8_t> pack_raw(const FlatForest& forest, const Geometry& geometry, std::uint8_t) {
  if (auto packed = try_form<IntegerAxisForm>(forest, geometry, 1.0)) return packed;
  if (IntegerSumForm::allows(geometry))
    if (auto packed = try_form<IntegerSumForm>(forest, geometry, kMostSplits)) return packed;
  return try_form<WeightedSumForm<std::uint8_t>>(forest, geometry, kMostSplits);
}
ForestPtr<float> pack_raw(const FlatForest& forest, const Geometry& geometry, float) {
  if (auto packed = try_form<FloatAxisForm>(forest, geometry, 1.0)) return packed;
  if (FloatSumForm::allows(geometry))
    if (auto packed = try_form<FloatSumForm>(forest, geometry, kMostSplits)) return packed;
  return try_form<WeightedSumForm<float>>(forest, geometry, kMostSplits);
}

template <class T, class Entry>
ForestPtr<T> pack_patches_in(const FlatForest& forest, const Geometry& geometry) {
  using Short = PatchForm<T, Entry, std::uint16_t>;
  using Wide = PatchForm<T, Entry, std::uint32_t>;
  if (Short::allows(geometry)) return try_form<Short>(forest, geometry, kMostSplits);
  return try_form<Wide>(forest, geometry, kMostSplits);
}

// Whether no sum over a patch of uint8 exceeds 16 bits.
bool sums_are_short(const FlatForest& forest, const Geometry& geometry) {
  constexpr std::size_t kMaxArea = 65535 / 255;
  if (geometry.n_features <= kMaxArea) return true;
  for (std::size_t i = 0; i < forest.n_nodes(); ++i) {
    if (forest.is_leaf(i)) continue;
    const Atom atom = forest.atom(i);
    if (patch_area(atom, geometry.grids[static_cast<std::size_t>(atom.ints[0])]) > kMaxArea)
      return false;
  }
  return true;
}

ForestPtr<std::uint8_t> pack_patches(const FlatForest& forest, const Geometry& geometry,
                                     std::uint8_t) {
  if (sums_are_short(forest, geometry))
    return pack_patches_in<std::uint8_t, std::uint16_t>(forest, geometry);
  return pack_patches_in<std::uint8_t, Sum<std::uint8_t>>(forest, geometry);
}
ForestPtr<float> pack_patches(const FlatForest& forest, const Geometry& geometry, float) {
  auto packed = pack_patches_in<float, double>(forest, geometry);
  if (!packed) return nullptr;
  return std::make_unique<MissingSwitch>(std::move(packed), forest, geometry);
}

}  // namespace

template <class T>
std::unique_ptr<WalkableForest<T>> compile_forest(const FlatForest& forest,
                                                  const Geometry& geometry) {
  ForestPtr<T> packed;
  if (all_splits(forest, {AtomKind::sparse, AtomKind::dictionary}))
    packed = pack_raw(forest, geometry, T{});
  else if (all_splits(forest, {AtomKind::patch}))
    packed = pack_patches(forest, geometry, T{});
  if (packed) return packed;
  return std::make_unique<WalkableAnyForest<T>>(forest, geometry);
}

template std::unique_ptr<WalkableForest<std::uint8_t>> compile_forest(const FlatForest&,
                                                                      const Geometry&);
template std::unique_ptr<WalkableForest<float>> compile_forest(const FlatForest&, const Geometry&);

}  // namespace mf::predict
