// Boundary forests.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "bound_forest.hpp"

namespace mf::bindings {
namespace {

template <class Rows>
void bind_for(nb::class_<BoundForest>& bound) {
  bound
      .def("learn", &BoundForest::learn<Rows>, nb::arg("X").noconvert(), nb::arg("classes").none(),
           nb::arg("values").none(), nb::arg("ids").none(), nb::arg("n_threads"))
      .def("learn_in_passes", &BoundForest::learn_in_passes<Rows>, nb::arg("X").noconvert(),
           nb::arg("classes").none(), nb::arg("values").none(), nb::arg("max_passes"),
           nb::arg("n_threads"))
      .def("predict", &BoundForest::predict<Rows>, nb::arg("X").noconvert(), nb::arg("n_columns"),
           nb::arg("power"), nb::arg("n_threads"))
      .def("nearest", &BoundForest::nearest<Rows>, nb::arg("X").noconvert(), nb::arg("k"),
           nb::arg("effort"), nb::arg("among").none(), nb::arg("may_be_gone"), nb::arg("n_threads"))
      .def("replace", &BoundForest::replace<Rows>, nb::arg("X").noconvert(), nb::arg("ids"),
           nb::arg("n_threads"));
}

}  // namespace

void bind_boundary(nb::module_& m) {
  nb::exception<boundary::UnknownId>(m, "UnknownIdError", PyExc_KeyError);
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(BoundForest::traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(BoundForest::clear)},
      {0, nullptr},
  };
  nb::class_<BoundForest> bound(m, "BoundaryForest", nb::type_slots(slots),
                                "Boundary trees over one table of points.");
  bound.def(nb::init<const std::string&, std::size_t, std::size_t, const nb::object&,
                     const std::string&, std::size_t, std::size_t, double, std::uint64_t>(),
            nb::arg("task"), nb::arg("n_trees"), nb::arg("max_children"), nb::arg("metric"),
            nb::arg("dtype"), nb::arg("width"), nb::arg("n_outputs"), nb::arg("tolerance"),
            nb::arg("seed"));
  bind_for<Array2<std::uint8_t>>(bound);
  bind_for<Array2<float>>(bound);
  bind_for<Array2<double>>(bound);
  bind_for<nb::list>(bound);
  bound.def("remove", &BoundForest::remove, nb::arg("ids"), nb::arg("n_threads"))
      .def("refuse_from_inside", &BoundForest::refuse_from_inside,
           "Raise a RuntimeError if a method of the forest has called the caller.")
      .def("contains", &BoundForest::contains, nb::arg("id"))
      .def("points_of", &BoundForest::points_of, nb::arg("ids"))
      .def("n_stored", &BoundForest::n_stored)
      .def("n_seen", &BoundForest::n_seen)
      .def("n_bytes", &BoundForest::n_bytes)
      .def("ids", &BoundForest::ids)
      .def("n_nodes", &BoundForest::n_nodes)
      .def("depths", &BoundForest::depths)
      .def("record", &BoundForest::record)
      .def("restore", &BoundForest::restore, nb::arg("arrays"));
}

}  // namespace mf::bindings
