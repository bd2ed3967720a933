// Passing arrays between Python and the core. Shapes are checked here, values in Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/row_numbers.hpp"
#include "data/table.hpp"
#include "forest/flat_forest.hpp"

namespace mf::bindings {

namespace nb = nanobind;

template <class T>
using Array1 = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Numbers of rows, which may all be the same one, in its memory: an array of stride 0.
template <class T>
using RowArray = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::device::cpu>;

template <class T>
using Owned = nb::ndarray<nb::numpy, T>;

// A NumPy array that owns the vector.
template <class T, class Allocator>
Owned<T> to_numpy(std::vector<T, Allocator> values, std::initializer_list<std::size_t> shape) {
  using Vector = std::vector<T, Allocator>;
  auto* owned = new Vector(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return Owned<T>(owned->data(), shape, owner);
}
template <class T, class Allocator>
Owned<T> to_numpy(std::vector<T, Allocator> values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

template <class T>
Matrix<T> to_matrix(const Array2<T>& X) {
  return {X.data(), X.shape(0), X.shape(1)};
}

inline void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}
// Takes no std::string: some conditions are checked for each row.
inline void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

template <class T>
RowNumbers<T> to_row_numbers(const RowArray<T>& array, std::size_t n_rows, const char* name) {
  require(array.size() == n_rows, std::string(name) + " must have one entry per row");
  return RowNumbers<T>(array.data(), static_cast<std::ptrdiff_t>(array.stride(0)));
}

// A list or tuple from Python. Not a std::vector: if nanobind cannot allocate one, it ends the
// process.
template <class T>
using Sequence = nb::typed<nb::sequence, T>;

template <class T>
std::vector<T> to_vector(const Sequence<T>& sequence) {
  std::vector<T> items;
  for (const nb::handle item : sequence) items.push_back(nb::cast<T>(item));
  return items;
}

// Runs the handlers of signals such as Ctrl-C, and throws what they raise. Called with the GIL
// released, in the calling thread.
inline void check_signals() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// One array of the dict Python keeps a forest in; `keep` holds a reference so that it stays alive.
template <class T>
std::span<const T> span_of(const nb::dict& arrays, const char* name,
                           std::vector<nb::object>& keep) {
  require(arrays.contains(name), std::string("arrays: ") + name + " is missing");
  nb::object item = arrays[name];
  nb::ndarray<const T, nb::numpy, nb::c_contig, nb::device::cpu> array;
  require(nb::try_cast(item, array, false),
          std::string("arrays: ") + name + " has the wrong dtype or layout");
  keep.push_back(std::move(item));
  return {array.data(), array.size()};
}

// A view of the arrays in a dict as Python keeps them; `keep` holds references so that they stay
// alive.
FlatForest view_forest(const nb::dict& arrays, std::vector<nb::object>& keep);

}  // namespace mf::bindings
