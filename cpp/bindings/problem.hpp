// The training problem as Python hands it over.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "bind.hpp"
#include "data/target.hpp"
#include "objectives/objective.hpp"
#include "split/finder.hpp"

namespace mf::bindings {

// The words by which Python names the values of an enum, in one table.
template <class Enum, std::size_t N>
struct Words {
  const char* argument;
  std::array<std::pair<const char*, Enum>, N> table;

  Enum parse(const std::string& word) const {
    for (const auto& [name, value] : table)
      if (word == name) return value;
    throw std::invalid_argument(std::string("unknown ") + argument + " " + word);
  }
  std::string word(Enum wanted) const {
    for (const auto& [name, value] : table)
      if (value == wanted) return name;
    return "";
  }
};

constexpr Words<train::SplitterKind, 4> kSplitters{"splitter",
                                                   {{{"exact", train::SplitterKind::exact},
                                                     {"auto", train::SplitterKind::automatic},
                                                     {"histogram", train::SplitterKind::histogram},
                                                     {"random", train::SplitterKind::random}}}};

// An objective as Python holds it.
struct NamedObjective {
  std::shared_ptr<const train::Objective> of;
  const train::Objective* operator->() const { return of.get(); }
};

// y is int32 (classes) or float64 (responses), rows × outputs. Responses on a manifold may have
// coordinates, of which some may count negatively, or squared distances, or both.
using TargetArray = nb::ndarray<nb::numpy, nb::ndim<2>, nb::ro, nb::c_contig>;
using OptionalTarget = std::optional<TargetArray>;
using OptionalSigns = std::optional<Array1<double>>;
using OptionalDistances = std::optional<Array2<float>>;

inline void add_labels(Target& target, const TargetArray& y, const std::vector<int>& n_classes) {
  require(y.dtype() == nb::dtype<std::int32_t>(), "y must be int32 for classification");
  require(n_classes.size() == y.shape(1), "n_classes must have one entry per output");
  target.n_classes = n_classes;
  target.labels = static_cast<const std::int32_t*>(y.data());
  for (std::size_t o = 0; o < target.n_outputs; ++o) {
    const std::int32_t n = n_classes[o];
    bool exist = true;
    for (std::size_t i = 0; i < target.n_rows; ++i) {
      const std::int32_t label = target.labels[i * target.n_outputs + o];
      exist &= label >= 0 && label < n;
    }
    require(exist, "y holds a class that does not exist");
  }
}

inline Target to_target(const OptionalTarget& y, const std::vector<int>& n_classes,
                        const OptionalSigns& signs, const OptionalDistances& squared_distances,
                        std::size_t n_rows) {
  Target target;
  target.n_rows = n_rows;
  if (y) {
    require(y->shape(0) == n_rows, "y must have one row per row of X");
    require(y->shape(1) > 0, "y must have a column");
    target.n_outputs = y->shape(1);
    if (!n_classes.empty()) {
      add_labels(target, *y, n_classes);
    } else {
      require(y->dtype() == nb::dtype<double>(), "y must be float64 for regression");
      target.values = static_cast<const double*>(y->data());
    }
  }
  if (signs) {
    require(signs->size() == target.n_outputs, "signs must have one entry per output");
    target.signs.assign(signs->data(), signs->data() + signs->size());
  }
  if (squared_distances) {
    require(squared_distances->shape(0) == n_rows && squared_distances->shape(1) == n_rows,
            "squared_distances must have one row and one column per row of X");
    target.squared_distances = squared_distances->data();
  }
  return target;
}

}  // namespace mf::bindings
