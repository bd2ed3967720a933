// Boundary forests.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "bind.hpp"
#include "boundary/combine.hpp"
#include "boundary/forest.hpp"
#include "boundary/rows_ruler.hpp"
#include "metric/metric.hpp"

namespace mf::bindings {
namespace {

// From Python objects to stored ones, by a Python function.
class ObjectsRuler final : public boundary::MovableRuler {
 public:
  ObjectsRuler(const nb::object& distance, const std::vector<nb::object>& points,
               const std::vector<nb::object>& rows)
      : distance_(distance), points_(points), rows_(rows) {}
  void to_row(std::size_t row) override { query_ = &rows_[row]; }
  void to_point(boundary::Slot slot) override { query_ = &points_[slot]; }
  void measure(std::span<const boundary::Slot> slots, double* ranks) override {
    const nb::gil_scoped_acquire gil;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      ranks[i] = checked(distance_(points_[slots[i]], *query_));
      if (PyErr_CheckSignals() != 0) throw nb::python_error();  // functions in C do not look
    }
  }

 private:
  static double checked(const nb::object& result) {
    const double distance = PyFloat_AsDouble(result.ptr());
    if (distance == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw nb::type_error(("metric must return a number, got " + shown(result)).c_str());
    }
    if (!(distance >= 0.0) || std::isinf(distance))
      throw nb::value_error(
          ("metric must return a finite number >= 0, got " + shown(result)).c_str());
    return distance;
  }
  static std::string shown(const nb::object& result) { return nb::repr(result).c_str(); }

  const nb::object& distance_;
  const std::vector<nb::object>& points_;
  const std::vector<nb::object>& rows_;
  const nb::object* query_ = nullptr;
};

metric::Element element_of(const std::string& dtype) {
  const auto element = metric::element_named(dtype);
  require(element.has_value(), "dtype must be uint8, float32 or float64, got " + dtype);
  return *element;
}

template <class T>
constexpr metric::Element kElementOf = std::is_same_v<T, std::uint8_t> ? metric::Element::uint8
                                       : std::is_same_v<T, float>      ? metric::Element::float32
                                                                       : metric::Element::float64;

boundary::Task task_named(const std::string& name) {
  if (name == "classify") return boundary::Task::classify;
  if (name == "regress") return boundary::Task::regress;
  require(name == "retrieve", "task must be retrieve, classify or regress, got " + name);
  return boundary::Task::retrieve;
}

template <class T>
using MaybeArray1 = std::optional<Array1<T>>;
template <class T>
using MaybeArray2 = std::optional<Array2<T>>;

// A forest with its metric: rows of numbers and a metric by name, or objects and a function.
class BoundForest {
 public:
  BoundForest(const std::string& task, std::size_t n_trees, std::size_t max_children,
              const nb::object& metric, const std::string& dtype, std::size_t width,
              std::size_t n_outputs, double tolerance, std::uint64_t seed)
      : forest_({task_named(task), n_trees, max_children, n_outputs, tolerance, seed},
                row_bytes(metric, dtype, width)) {
    require(max_children >= 2 && max_children < 65536, "max_children must be in [2, 65535]");
    if (!nb::isinstance<nb::str>(metric)) {
      distance_ = metric;
      return;
    }
    const auto name = nb::cast<std::string>(metric);
    const auto kind = metric::metric_named(name);
    require(kind.has_value(), "unknown metric " + name);
    const metric::Element element = element_of(dtype);
    metric_ = {*kind, element, element, width};
  }

  // Rows, here and below, are an array of numbers or a list of objects.
  template <class Rows>
  void learn(const Rows& X, const MaybeArray1<std::int32_t>& classes,
             const MaybeArray2<double>& values, const MaybeArray1<std::int64_t>& ids,
             int n_threads) {
    const Given given = read(X, n_threads);
    require_own_type(given);
    const boundary::Batch examples = batch(given, classes, values, ids);
    const nb::gil_scoped_release released;
    forest_.learn(examples, given.tools);
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
    const auto passes = forest_.learn_in_passes(examples, max_passes, given.tools);
    return {passes.n, passes.settled};
  }

  template <class Rows>
  Owned<double> predict(const Rows& X, std::size_t n_columns, double power, int n_threads) const {
    const Given given = read(X, n_threads);
    std::vector<double> out;
    {
      const nb::gil_scoped_release released;
      const std::function<double(double)> to_distance = [&given](double rank) {
        return given.distance(rank);
      };
      forest_.walk(given.n, given.tools, [&](const boundary::WalkEnds& ends) {
        out = boundary::combine(forest_, ends, boundary::ShepardWeights(power, to_distance),
                                n_columns);
      });
    }
    return to_numpy(std::move(out), {given.n, n_columns});
  }

  template <class Rows>
  std::pair<Owned<double>, Owned<std::int64_t>> nearest(const Rows& X, std::size_t k,
                                                        const MaybeArray1<std::int64_t>& among,
                                                        bool may_be_gone, int n_threads) const {
    const Given given = read(X, n_threads);
    std::vector<std::int64_t> ids;
    boundary::PointFilter some{.may_be_gone = may_be_gone};
    if (among) some.ids.assign(among->data(), among->data() + among->size());
    std::vector<double> distances;
    {
      const nb::gil_scoped_release released;
      forest_.nearest(given.n, k, among ? &some : nullptr, given.tools,
                      [&](const boundary::NearestPoints& found) {
                        k = found.k;
                        for (const boundary::Slot slot : found.slots)
                          ids.push_back(forest_.points().id(slot));
                        for (const double rank : found.ranks)
                          distances.push_back(given.distance(rank));
                      });
    }
    return {to_numpy(std::move(distances), {given.n, k}), to_numpy(std::move(ids), {given.n, k})};
  }

  // The stored points with these ids: bytes of rows one after the other, or a list of objects.
  nb::object points_of(const Array1<std::int64_t>& ids) const {
    std::vector<std::uint8_t> rows;
    nb::list objects;
    locked([&] {
      const std::vector<boundary::Slot> slots = forest_.slots_of({ids.data(), ids.size()});
      if (is_of_objects()) {
        const nb::gil_scoped_acquire gil;  // after the lock, as in `record`
        for (const boundary::Slot slot : slots) objects.append(objects_[slot]);
        return 0;
      }
      const std::size_t size = forest_.points().row_bytes();
      rows.reserve(slots.size() * size);
      for (const boundary::Slot slot : slots) {
        const std::uint8_t* row = forest_.points().row(slot);
        rows.insert(rows.end(), row, row + size);
      }
      return 0;
    });
    if (is_of_objects()) return objects;
    return nb::cast(to_numpy(std::move(rows)));
  }

  void remove(const Array1<std::int64_t>& ids, int n_threads) {
    Objects removed;  // freed in the end: that may run code which asks the forest
    const boundary::Tools tools = tools_of_stored(removed, ids.size(), n_threads);
    const nb::gil_scoped_release released;
    forest_.remove({ids.data(), ids.size()}, tools);
  }

  template <class Rows>
  void replace(const Rows& X, const Array1<std::int64_t>& ids, int n_threads) {
    Objects removed;
    const boundary::Tools stored = tools_of_stored(removed, ids.size(), n_threads);
    Given given = read(X, n_threads);
    require_own_type(given);
    given.tools.drop = stored.drop;
    const boundary::Batch examples = batch(given, std::nullopt, std::nullopt, ids);
    const nb::gil_scoped_release released;
    forest_.replace(examples, stored, given.tools);
  }

  void refuse_from_inside() const { forest_.refuse_from_inside(); }

  bool contains(std::int64_t id) const {
    return locked([&] { return forest_.points().find(id) != boundary::kNoSlot; });
  }
  std::size_t n_stored() const {
    return locked([this] { return forest_.points().n_stored(); });
  }
  std::int64_t n_seen() const {
    return locked([this] { return forest_.n_seen(); });
  }
  std::size_t n_bytes() const {
    return locked([this] { return forest_.bytes(); });
  }
  Owned<std::int64_t> ids() const {
    std::vector<std::int64_t> result;
    locked([&] {
      for (const boundary::Slot slot : forest_.points().in_order())
        result.push_back(forest_.points().id(slot));
      return 0;
    });
    return to_numpy(std::move(result));
  }
  Owned<std::int64_t> n_nodes() const {
    return per_tree([](const boundary::Tree& tree) { return tree.size(); });
  }
  Owned<std::int64_t> depths() const {
    return per_tree([](const boundary::Tree& tree) { return tree.depth(); });
  }

  nb::dict record() const {
    boundary::Record record;
    std::vector<std::uint8_t> rows;
    nb::list objects;
    locked([&] {
      record = forest_.record();
      const std::vector<boundary::Slot> order = forest_.points().in_order();
      if (is_of_objects()) {
        // After the lock: whoever learns holds it, too, while a Python function measures.
        const nb::gil_scoped_acquire gil;
        for (const boundary::Slot slot : order) objects.append(objects_[slot]);
        return 0;
      }
      const std::size_t size = forest_.points().row_bytes();
      rows.reserve(order.size() * size);
      for (const boundary::Slot slot : order) {
        const std::uint8_t* row = forest_.points().row(slot);
        rows.insert(rows.end(), row, row + size);
      }
      return 0;
    });
    nb::dict arrays;
    if (is_of_objects())
      arrays["objects"] = objects;
    else
      arrays["rows"] = to_numpy(std::move(rows));
    arrays["ids"] = to_numpy(std::move(record.ids));
    arrays["arrivals"] = to_numpy(std::move(record.arrivals));
    arrays["classes"] = to_numpy(std::move(record.classes));
    arrays["values"] = to_numpy(std::move(record.values));
    arrays["tree_offsets"] = to_numpy(std::move(record.tree_offsets));
    arrays["node_slot"] = to_numpy(std::move(record.node_slot));
    arrays["node_children"] = to_numpy(std::move(record.node_children));
    arrays["starts"] = to_numpy(std::move(record.starts));
    arrays["starting"] = record.starting;
    arrays["n_seen"] = record.n_seen;
    return arrays;
  }

  // The rows stay where they are: a mapped file is read when it is needed.
  void restore(const nb::dict& arrays) {
    boundary::Record record;
    record.ids = vector_of<std::int64_t>(arrays, "ids");
    record.arrivals = vector_of<std::int64_t>(arrays, "arrivals");
    record.classes = vector_of<std::int32_t>(arrays, "classes");
    record.values = vector_of<double>(arrays, "values");
    record.tree_offsets = vector_of<std::int64_t>(arrays, "tree_offsets");
    record.node_slot = vector_of<std::int32_t>(arrays, "node_slot");
    record.node_children = vector_of<std::int32_t>(arrays, "node_children");
    record.starts = vector_of<std::int32_t>(arrays, "starts");
    record.starting = nb::cast<bool>(arrays["starting"]);
    record.n_seen = nb::cast<std::int64_t>(arrays["n_seen"]);
    const std::size_t n = record.ids.size();
    std::uint8_t* rows = nullptr;
    nb::object kept;
    std::vector<nb::object> objects;
    if (is_of_objects()) {
      objects = items(nb::cast<nb::list>(arrays["objects"]));
      require(objects.size() == n, "objects do not fit the points");
    } else {
      nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig> array;
      require(nb::try_cast(arrays["rows"], array, false), "rows have the wrong type");
      require(array.size() == n * forest_.points().row_bytes(), "rows do not fit the points");
      rows = array.data();
      kept = arrays["rows"];
    }
    forest_.restore(std::move(record), rows, tools_of(metric_, nullptr, 1));
    objects_ = std::move(objects);
    kept_rows_ = std::move(kept);
  }

  // For Python's search for garbage: a metric may hold the forest that holds it. Nobody changes
  // the objects without the interpreter's lock.
  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    const BoundForest& forest = *nb::inst_ptr<BoundForest>(self);
    Py_VISIT(forest.distance_.ptr());
    Py_VISIT(forest.kept_rows_.ptr());
    for (const nb::object& object : forest.objects_) Py_VISIT(object.ptr());
    return 0;
  }
  // Only for garbage. What still calls the forest, a finalizer perhaps, gets a Python error.
  static int clear(PyObject* self) {
    if (!nb::inst_ready(self)) return 0;
    BoundForest& forest = *nb::inst_ptr<BoundForest>(self);
    auto forget = [](nb::object& held) {
      nb::object nothing = nb::none();
      std::swap(held, nothing);
    };
    if (!forest.is_of_objects()) return 0;
    for (std::size_t i = 0; i < forest.objects_.size(); ++i) forget(forest.objects_[i]);
    forget(forest.distance_);
    return 0;
  }

 private:
  static std::size_t row_bytes(const nb::object& metric, const std::string& dtype,
                               std::size_t width) {
    if (!nb::isinstance<nb::str>(metric)) return 0;
    return width * metric::size_of(element_of(dtype));
  }
  bool is_of_objects() const { return distance_.is_valid(); }
  bool retrieves() const { return forest_.options().task == boundary::Task::retrieve; }

  using Objects = std::vector<nb::object>;

  static Objects items(const nb::list& list) {
    Objects result;
    for (const nb::handle item : list) result.push_back(nb::borrow(item));
    return result;
  }
  template <class T>
  static std::vector<T> vector_of(const nb::dict& arrays, const char* name) {
    std::vector<nb::object> keep;
    const std::span<const T> span = span_of<T>(arrays, name, keep);
    return {span.begin(), span.end()};
  }

  // What a call is given: rows, and the tools that measure from them.
  struct Given {
    std::size_t n;
    const std::uint8_t* rows;  // null for objects
    metric::Metric metric;     // from these rows; not for objects
    boundary::Tools tools;

    double distance(double rank) const { return rows == nullptr ? rank : metric.distance(rank); }
  };

  template <class T>
  Given read(const Array2<T>& X, int n_threads) const {
    metric::Metric metric = metric_;
    metric.queries = kElementOf<T>;
    const bool fits =
        metric.queries == metric.rows ||
        (metric.queries == metric::Element::float64 && metric.rows == metric::Element::float32);
    require(!is_of_objects() && fits, "X has another type than the forest");
    require(X.shape(1) == metric_.width, "X must have " + std::to_string(metric_.width) +
                                             " features, got " + std::to_string(X.shape(1)));
    const auto* rows = reinterpret_cast<const std::uint8_t*>(X.data());
    return {X.shape(0), rows, metric, tools_of(metric, rows, n_threads)};
  }
  Given read(const nb::list& X, int /*n_threads*/) const {
    require(is_of_objects(), "X has another type than the forest");
    auto rows = std::make_shared<const Objects>(items(X));
    const std::size_t n = rows->size();
    return {n, nullptr, metric_, tools_of(std::move(rows))};
  }

  // Rows that are stored are of the type of the stored ones; queries may be wider.
  void require_own_type(const Given& given) const {
    require(given.rows == nullptr || given.metric.queries == metric_.rows,
            "X has another type than the forest");
  }

  boundary::Tools tools_of(const metric::Metric& metric, const std::uint8_t* rows,
                           int n_threads) const {
    boundary::Tools tools;
    tools.make_ruler = [this, metric, rows] {
      return std::make_unique<boundary::RowsRuler>(metric, forest_.points(), rows);
    };
    tools.n_threads = n_threads;
    tools.watch = check_signals;
    return tools;
  }
  // Python runs one thread at a time. Without rows the stored objects are the rows.
  boundary::Tools tools_of(std::shared_ptr<const Objects> rows) const {
    boundary::Tools tools;
    tools.make_ruler = [this, rows] {
      return std::make_unique<ObjectsRuler>(distance_, objects_, rows ? *rows : objects_);
    };
    tools.watch = check_signals;
    tools.keep = [this, rows](boundary::Slot slot, std::size_t row) {
      const nb::gil_scoped_acquire gil;
      if (slot >= objects_.size()) objects_.resize(slot + std::size_t{1});
      nb::object object = (*rows)[row];
      std::swap(objects_[slot], object);
    };
    tools.drop = [this](boundary::Slot slot) {
      const nb::gil_scoped_acquire gil;
      if (slot >= objects_.size()) return;
      nb::object object;
      std::swap(objects_[slot], object);  // one of `rows` still
    };
    return tools;
  }
  // Measures from stored points. Up to n_removed objects that are dropped go to `removed`.
  boundary::Tools tools_of_stored(Objects& removed, std::size_t n_removed, int n_threads) const {
    if (!is_of_objects()) return tools_of(metric_, nullptr, n_threads);
    boundary::Tools tools = tools_of(nullptr);
    removed.reserve(n_removed);
    tools.drop = [this, &removed](boundary::Slot slot) {
      const nb::gil_scoped_acquire gil;
      if (slot >= objects_.size()) return;
      nb::object object;
      std::swap(objects_[slot], object);
      if (removed.size() < removed.capacity()) removed.push_back(std::move(object));
    };
    return tools;
  }

  boundary::Batch batch(const Given& given, const MaybeArray1<std::int32_t>& classes,
                        const MaybeArray2<double>& values,
                        const MaybeArray1<std::int64_t>& ids) const {
    const boundary::Task task = forest_.options().task;
    const std::size_t n = given.n;
    require((task == boundary::Task::classify) == classes.has_value() &&
                (task == boundary::Task::regress) == values.has_value(),
            "labels do not fit the task");
    require(!classes || classes->size() == n, "classes must have one entry per row");
    require(!values || (values->shape(0) == n && values->shape(1) == forest_.options().n_outputs),
            "values must have one row per row of X and one column per output");
    require(ids.has_value() == retrieves() && (!ids || ids->size() == n),
            "ids must have one entry per row");
    return {n, given.rows, classes ? classes->data() : nullptr, values ? values->data() : nullptr,
            ids ? ids->data() : nullptr};
  }

  template <class Read>
  auto locked(const Read& read) const -> decltype(read()) {
    const nb::gil_scoped_release released;
    const auto lock = forest_.reading(check_signals);
    return read();
  }
  template <class Number>
  Owned<std::int64_t> per_tree(const Number& number) const {
    std::vector<std::int64_t> result;
    locked([&] {
      for (const boundary::Tree& tree : forest_.trees())
        result.push_back(static_cast<std::int64_t>(number(tree)));
      return 0;
    });
    return to_numpy(std::move(result));
  }

  boundary::Forest forest_;
  metric::Metric metric_;
  nb::object distance_;                      // a Python function, or nothing
  mutable std::vector<nb::object> objects_;  // per slot, if there is such a function
  nb::object kept_rows_;                     // memory that the forest reads from
};

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
           nb::arg("among").none(), nb::arg("may_be_gone"), nb::arg("n_threads"))
      .def("replace", &BoundForest::replace<Rows>, nb::arg("X").noconvert(), nb::arg("ids"),
           nb::arg("n_threads"));
}

// Distances between all rows, row by row or in tiles: the two must agree.
template <class A, class B>
Owned<double> distances(const std::string& name, const Array2<A>& X, const Array2<B>& Y,
                        bool in_tiles) {
  const auto kind = metric::metric_named(name);
  require(kind.has_value(), "unknown metric " + name);
  require(X.shape(1) == Y.shape(1), "X and Y must be equally wide");
  const metric::Metric metric{*kind, kElementOf<A>, kElementOf<B>, X.shape(1)};
  std::vector<const void*> queries, rows;
  for (std::size_t i = 0; i < X.shape(0); ++i) queries.push_back(X.data() + i * X.shape(1));
  for (std::size_t i = 0; i < Y.shape(0); ++i) rows.push_back(Y.data() + i * Y.shape(1));
  std::vector<double> out(queries.size() * rows.size());
  if (in_tiles)
    metric.rank_tile()(queries.data(), queries.size(), rows.data(), rows.size(), metric.width,
                       out.data());
  else
    for (std::size_t i = 0; i < queries.size(); ++i)
      metric.rank_rows()(queries[i], rows.data(), rows.size(), metric.width,
                         out.data() + i * rows.size());
  for (double& rank : out) rank = metric.distance(rank);
  return to_numpy(std::move(out), {X.shape(0), Y.shape(0)});
}

template <class A, class B>
void bind_distances(nb::module_& m) {
  m.def("distances", &distances<A, B>, nb::arg("metric"), nb::arg("X").noconvert(),
        nb::arg("Y").noconvert(), nb::arg("in_tiles"));
}

std::vector<std::int64_t> as_int64(const std::vector<std::size_t>& order) {
  return {order.begin(), order.end()};
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
  bind_distances<std::uint8_t, std::uint8_t>(m);
  bind_distances<float, float>(m);
  bind_distances<double, double>(m);
  bind_distances<double, float>(m);
  m.def(
      "boundary_order",
      [](std::uint64_t seed, std::size_t tree, std::size_t m_first) {
        return to_numpy(as_int64(boundary::Forest::start_order(seed, tree, m_first)));
      },
      nb::arg("seed"), nb::arg("tree"), nb::arg("m"),
      "The order in which a tree learns the others of the first m examples.");
  m.def(
      "boundary_pass_order",
      [](std::uint64_t seed, std::size_t pass, std::size_t n) {
        return to_numpy(as_int64(boundary::Forest::pass_order(seed, pass, n)));
      },
      nb::arg("seed"), nb::arg("pass_"), nb::arg("n"),
      "The order of the examples in a pass after the first.");
}

}  // namespace mf::bindings
