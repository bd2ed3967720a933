// A boundary forest as Python holds it.
#pragma once

#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "boundary/forest.hpp"
#include "boundary/neighbours.hpp"
#include "boundary/predict.hpp"
#include "boundary_objects.hpp"
#include "distances/metric.hpp"

namespace mf::bindings {

template <class T>
using MaybeArray1 = std::optional<Array1<T>>;
template <class T>
using MaybeArray2 = std::optional<Array2<T>>;

// A forest with its metric: rows of numbers and a metric by name, or objects and a function.
class BoundForest {
  using Slot = boundary::Slot;
  using State = boundary::State;
  using Task = boundary::Task;

 public:
  BoundForest(const std::string& task, std::size_t n_trees, std::size_t max_children,
              const nb::object& metric, const std::string& dtype, std::size_t width,
              std::size_t n_outputs, double tolerance, std::uint64_t seed);

  // Rows, here and below, are an array of numbers or a list of objects.
  template <class Rows>
  void learn(const Rows& X, const MaybeArray1<std::int32_t>& classes,
             const MaybeArray2<double>& values, const MaybeArray1<std::int64_t>& ids,
             int n_threads) {
    const Given given = read(X, n_threads);
    require_own_type(given);
    const boundary::Batch examples = batch(given, classes, values, ids);
    const nb::gil_scoped_release released;
    forest_.learn(examples, given.context);
  }

  template <class Rows>
  std::pair<std::size_t, bool> learn_in_passes(const Rows& X,
                                               const MaybeArray1<std::int32_t>& classes,
                                               const MaybeArray2<double>& values,
                                               std::size_t max_passes, int n_threads) {
    const Given given = read(X, n_threads);
    require_own_type(given);
    const boundary::Batch examples = batch(given, classes, values, std::nullopt);
    const nb::gil_scoped_release released;
    const auto passes = forest_.learn_in_passes(examples, max_passes, given.context);
    return {passes.n, passes.converged};
  }

  template <class Rows>
  Owned<double> predict(const Rows& X, std::size_t n_columns, double power, int n_threads) const {
    require_columns(n_columns);
    const Given given = read(X, n_threads);
    std::vector<double> values = read_state([&](const State& state) {
      return boundary::predict(state, given.n, n_columns, power, given.context);
    });
    return to_numpy(std::move(values), {given.n, n_columns});
  }

  template <class Rows>
  std::pair<Owned<double>, Owned<std::int64_t>> nearest(const Rows& X, std::size_t k,
                                                        std::size_t effort,
                                                        const MaybeArray1<std::int64_t>& among,
                                                        bool may_be_gone, int n_threads) const {
    const Given given = read(X, n_threads);
    std::optional<boundary::PointFilter> some;
    if (among) some = {{among->data(), among->data() + among->size()}, may_be_gone};
    boundary::Neighbours found = read_state([&](const State& state) {
      return boundary::nearest(state, given.n, k, effort, some ? &*some : nullptr, given.context);
    });
    return {to_numpy(std::move(found.distances), {given.n, found.k}),
            to_numpy(std::move(found.ids), {given.n, found.k})};
  }

  // The stored points with these ids: bytes of rows one after the other, or a list of objects.
  nb::object points_of(const Array1<std::int64_t>& ids) const;

  void remove(const Array1<std::int64_t>& ids, int n_threads);

  template <class Rows>
  void replace(const Rows& X, const Array1<std::int64_t>& ids, int n_threads) {
    Objects removed;
    const boundary::CallContext stored = context_for_stored(removed, ids.size(), n_threads);
    Given given = read(X, n_threads);
    require_own_type(given);
    given.context.drop = stored.drop;
    const boundary::Batch examples = batch(given, std::nullopt, std::nullopt, ids);
    const nb::gil_scoped_release released;
    forest_.replace(examples, stored, given.context);
  }

  void refuse_from_inside() const { forest_.refuse_from_inside(); }

  bool contains(std::int64_t id) const {
    return read_state(
        [id](const State& state) { return state.points().find(id) != boundary::kNoSlot; });
  }
  std::size_t n_stored() const {
    return read_state([](const State& state) { return state.points().n_stored(); });
  }
  std::int64_t n_seen() const {
    return read_state([](const State& state) { return state.n_seen; });
  }
  std::size_t n_bytes() const {
    return read_state([](const State& state) { return state.bytes(); });
  }
  Owned<std::int64_t> ids() const;
  Owned<std::int64_t> n_nodes() const {
    return per_tree([](const boundary::Tree& tree) { return tree.size(); });
  }
  Owned<std::int64_t> depths() const {
    return per_tree([](const boundary::Tree& tree) { return tree.depth(); });
  }

  nb::dict record() const;

  // The rows are not copied: a mapped file is read when it is needed.
  void restore(const nb::dict& arrays);

  static int traverse(PyObject* self, visitproc visit, void* arg);
  static int clear(PyObject* self);

 private:
  static std::size_t row_bytes(const nb::object& metric, const std::string& dtype,
                               std::size_t width);

  // The rows of a call, and its context, which measures from them.
  struct Given {
    std::size_t n;
    const std::uint8_t* rows;    // null for objects
    distances::Element element;  // of these rows; not for objects
    boundary::CallContext context;
  };

  template <class T>
  Given read(const Array2<T>& X, int n_threads) const {
    constexpr distances::Element element = distances::kElementOf<T>;
    const bool fits = element == element_ || (element == distances::Element::float64 &&
                                              element_ == distances::Element::float32);
    require(!objects_ && fits, "X has another type than the forest");
    require(X.shape(1) == width_, "X must have " + std::to_string(width_) + " features, got " +
                                      std::to_string(X.shape(1)));
    const auto* rows = reinterpret_cast<const std::uint8_t*>(X.data());
    return {X.shape(0), rows, element, context_for(element, rows, n_threads)};
  }
  Given read(const nb::list& X, int /*n_threads*/) const;

  // New points must have the type of the stored ones; queries may have a wider one.
  void require_own_type(const Given& given) const;

  void require_columns(std::size_t n_columns) const;

  // Measures from rows of this type; without rows the stored points are the rows.
  boundary::CallContext context_for(distances::Element element, const std::uint8_t* rows,
                                    int n_threads) const;
  boundary::CallContext context_for_stored(Objects& removed, std::size_t n_removed,
                                           int n_threads) const;

  boundary::Batch batch(const Given& given, const MaybeArray1<std::int32_t>& classes,
                        const MaybeArray2<double>& values,
                        const MaybeArray1<std::int64_t>& ids) const;

  template <class Reader>
  auto read_state(const Reader& reader) const -> std::invoke_result_t<Reader, const State&> {
    const nb::gil_scoped_release released;
    return forest_.read_state(check_signals, reader);
  }
  // The points in slots_of(state), for Python.
  template <class SlotsOf>
  nb::object points_in(const SlotsOf& slots_of) const {
    std::vector<std::uint8_t> rows;
    nb::object objects;
    read_state([&](const State& state) {
      const std::vector<Slot> slots = slots_of(state);
      if (!objects_) {
        rows = state.points().rows_of(slots);
        return;
      }
      // After the forest's lock, as in learning, where a Python metric takes the interpreter's lock
      // while the forest is locked.
      const nb::gil_scoped_acquire gil;
      objects = objects_->at(slots);
    });
    return objects_ ? objects : nb::cast(to_numpy(std::move(rows)));
  }
  template <class Number>
  Owned<std::int64_t> per_tree(const Number& number) const {
    return to_numpy(read_state([&](const State& state) {
      std::vector<std::int64_t> numbers;
      for (const boundary::Tree& tree : state.trees.all)
        numbers.push_back(static_cast<std::int64_t>(number(tree)));
      return numbers;
    }));
  }

  boundary::Forest forest_;
  // If points are rows of numbers:
  std::string metric_name_;
  distances::Element element_ = distances::Element::float32;
  std::size_t width_ = 0;
  std::unique_ptr<ObjectPoints> objects_;  // null if points are rows of numbers
  nb::object kept_rows_;                   // memory that the forest reads from
};

}  // namespace mf::bindings
