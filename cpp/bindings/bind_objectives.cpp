// Objectives by their names.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "data/balance.hpp"
#include "problem.hpp"

namespace mf::bindings {
namespace {

// All names of the objectives that learn one view of a target.
std::vector<std::string> names_of(const char* view) {
  std::vector<std::string> names;
  for (const auto& objective : train::objectives()) {
    if (objective->view() != view) continue;
    for (const std::string_view name : objective->names()) names.emplace_back(name);
  }
  require(!names.empty(), std::string("there is no objective for ") + view);
  return names;
}

Owned<double> fallback(const NamedObjective& objective, const OptionalTarget& y,
                       const Sequence<int>& n_classes, const RowArray<double>& weight,
                       const OptionalSigns& signs, const OptionalDistances& squared_distances) {
  const Target target =
      to_target(y, to_vector<int>(n_classes), signs, squared_distances, weight.size());
  objective->check(target);
  return to_numpy(objective->fallback(target, to_row_numbers(weight, weight.size(), "weight")));
}

Owned<double> balanced(const TargetArray& y, const Sequence<int>& n_classes,
                       const Array1<double>& weight) {
  const Target target = to_target(y, to_vector<int>(n_classes), {}, {}, weight.size());
  require(target.is_classification(), "n_classes must have one entry per output");
  return to_numpy(balanced_weights(target, {weight.data(), weight.size()}));
}

}  // namespace

void bind_objectives(nb::module_& m) {
  nb::class_<NamedObjective>(m, "Objective", "What a forest learns, and what belongs to it.")
      .def_prop_ro("name", [](const NamedObjective& o) { return o->name(); })
      .def_prop_ro(
          "view", [](const NamedObjective& o) { return std::string(o->view()); },
          "What is seen of a target: classes, numbers, points or derivatives.")
      .def_prop_ro(
          "power", [](const NamedObjective& o) { return o->power(); },
          "Responses times c have gains times c**power.")
      .def_prop_ro(
          "gain_unit", [](const NamedObjective& o) { return o->gain_unit(); },
          "The gain of the core that users call 1.")
      .def(
          "check",
          [](const NamedObjective& o, const TargetArray& y, const Sequence<int>& n_classes) {
            o->check(to_target(y, to_vector<int>(n_classes), {}, {}, y.shape(0)));
          },
          nb::arg("y").noconvert(), nb::arg("n_classes") = nb::tuple(),
          "Raise a ValueError unless y can be learned.")
      .def("fallback", &fallback, nb::arg("y").noconvert().none(), nb::arg("n_classes"),
           nb::arg("weight"), nb::arg("signs") = nb::none(),
           nb::arg("squared_distances").noconvert() = nb::none(),
           "The value of a row of which no tree knows anything: that of a node with all rows.");

  m.def(
      "objective",
      [](const char* name, const nb::typed<nb::dict, nb::str, double>& parameters) {
        train::Parameters numbers;
        for (const auto& [key, value] : parameters)
          numbers[nb::cast<std::string>(key)] = nb::cast<double>(value);
        return NamedObjective{train::find_objective(name, numbers)};
      },
      nb::arg("name"), nb::arg("parameters") = nb::dict(),
      "The objective of that name, with parameters of its own, if it has any.");
  m.def("objectives", &names_of, nb::arg("view"),
        "Names of all objectives that learn classes, numbers, points or derivatives.");
  m.def("balanced_weights", &balanced, nb::arg("y").noconvert(), nb::arg("n_classes"),
        nb::arg("weight"), "Factors of rows that give all classes the same weight.");
}

}  // namespace mf::bindings
