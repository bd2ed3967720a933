// Boundary forests.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "bind.hpp"
#include "boundary/combine.hpp"
#include "boundary/forest.hpp"
#include "boundary/rows_ruler.hpp"
#include "metric/metric.hpp"

namespace mf::bindings {
namespace {

// From Python objects to stored ones, by a Python function.
class ObjectsRuler final : public MovableRuler {
 public:
  ObjectsRuler(const nb::object& distance, const std::vector<nb::object>& points,
               const std::vector<nb::object>& rows)
      : distance_(distance), points_(points), rows_(rows) {}
  void to_row(std::size_t row) override { query_ = &rows_[row]; }
  void to_point(Slot slot) override { query_ = &points_[slot]; }
  void measure(std::span<const Slot> slots, double* ranks) override {
    const nb::gil_scoped_acquire gil;
    for (std::size_t i = 0; i < slots.size(); ++i)
      ranks[i] = checked(distance_(points_[slots[i]], *query_));
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

BoundaryTask task_named(const std::string& name) {
  if (name == "classify") return BoundaryTask::classify;
  if (name == "regress") return BoundaryTask::regress;
  require(name == "retrieve", "task must be retrieve, classify or regress, got " + name);
  return BoundaryTask::retrieve;
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
    const auto kind = metric_named(name);
    require(kind.has_value(), "unknown metric " + name);
    metric_ = {*kind, dtype == "uint8", width};
  }

  template <class T>
  void learn(const Array2<T>& X, const MaybeArray1<std::int32_t>& classes,
             const MaybeArray2<double>& values, const MaybeArray1<std::int64_t>& ids,
             int n_threads) {
    check(X);
    learn(batch(X.shape(0), bytes_of(X), classes, values, ids), tools(bytes_of(X), n_threads));
  }
  void learn_objects(const nb::list& X, const MaybeArray1<std::int32_t>& classes,
                     const MaybeArray2<double>& values, const MaybeArray1<std::int64_t>& ids) {
    const std::vector<nb::object> rows = items(X);
    learn(batch(rows.size(), nullptr, classes, values, ids), tools(rows));
  }

  template <class T>
  std::pair<std::size_t, bool> learn_in_passes(const Array2<T>& X,
                                               const MaybeArray1<std::int32_t>& classes,
                                               const MaybeArray2<double>& values,
                                               std::size_t max_passes, int n_threads) {
    check(X);
    return passes(batch(X.shape(0), bytes_of(X), classes, values, std::nullopt), max_passes,
                  tools(bytes_of(X), n_threads));
  }
  std::pair<std::size_t, bool> learn_objects_in_passes(const nb::list& X,
                                                       const MaybeArray1<std::int32_t>& classes,
                                                       const MaybeArray2<double>& values,
                                                       std::size_t max_passes) {
    const std::vector<nb::object> rows = items(X);
    return passes(batch(rows.size(), nullptr, classes, values, std::nullopt), max_passes,
                  tools(rows));
  }

  using Walked = std::pair<Owned<std::int64_t>, Owned<double>>;
  template <class T>
  Walked walk(const Array2<T>& X, int n_threads) const {
    check(X);
    return walk(X.shape(0), tools(bytes_of(X), n_threads));
  }
  template <class T>
  std::pair<Owned<std::int64_t>, Owned<std::int64_t>> effort_of(const Array2<T>& X,
                                                                int n_threads) const {
    check(X);
    return effort(X.shape(0), tools(bytes_of(X), n_threads));
  }
  Walked walk_objects(const nb::list& X) const {
    const std::vector<nb::object> rows = items(X);
    return walk(rows.size(), tools(rows));
  }

  template <class T>
  Owned<double> predict(const Array2<T>& X, std::size_t n_columns, double power,
                        int n_threads) const {
    check(X);
    return predict(X.shape(0), n_columns, power, tools(bytes_of(X), n_threads));
  }
  Owned<double> predict_objects(const nb::list& X, std::size_t n_columns, double power) const {
    const std::vector<nb::object> rows = items(X);
    return predict(rows.size(), n_columns, power, tools(rows));
  }

  using Neighbors = std::pair<Owned<double>, Owned<std::int64_t>>;
  template <class T>
  Neighbors nearest(const Array2<T>& X, std::size_t k, const MaybeArray1<std::int64_t>& among,
                    int n_threads) const {
    check(X);
    return nearest(X.shape(0), k, among, tools(bytes_of(X), n_threads));
  }
  Neighbors nearest_objects(const nb::list& X, std::size_t k,
                            const MaybeArray1<std::int64_t>& among) const {
    const std::vector<nb::object> rows = items(X);
    return nearest(rows.size(), k, among, tools(rows));
  }

  void remove(const Array1<std::int64_t>& ids, int n_threads) {
    const BoundaryTools with = is_of_objects() ? tools(objects_) : tools(nullptr, n_threads);
    const nb::gil_scoped_release released;
    forest_.remove({ids.data(), ids.size()}, with);
  }

  bool contains(std::int64_t id) const {
    return locked([&] { return forest_.points().find(id) != kNoSlot; });
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
      for (const Slot slot : forest_.points().in_order())
        result.push_back(forest_.points().id(slot));
      return 0;
    });
    return to_numpy(std::move(result));
  }
  Owned<std::int64_t> n_nodes() const {
    return per_tree([](const BoundaryTree& tree) { return tree.size(); });
  }
  Owned<std::int64_t> depths() const {
    return per_tree([](const BoundaryTree& tree) { return tree.depth(); });
  }

  nb::dict record() const {
    BoundaryRecord record;
    std::vector<std::uint8_t> rows;
    std::vector<Slot> order;
    locked([&] {
      record = forest_.record();
      order = forest_.points().in_order();
      const std::size_t size = forest_.points().row_bytes();
      if (size == 0) return 0;
      rows.reserve(order.size() * size);
      for (const Slot slot : order) {
        const std::uint8_t* row = forest_.points().row(slot);
        rows.insert(rows.end(), row, row + size);
      }
      return 0;
    });
    nb::dict arrays;
    if (is_of_objects()) {
      nb::list objects;
      for (const Slot slot : order) objects.append(objects_[slot]);
      arrays["objects"] = objects;
    } else {
      arrays["rows"] = to_numpy(std::move(rows));
    }
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
    BoundaryRecord record;
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
    std::vector<nb::object> objects;
    if (is_of_objects()) {
      objects = items(nb::cast<nb::list>(arrays["objects"]));
      require(objects.size() == n, "objects do not fit the points");
    } else {
      nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig> array;
      require(nb::try_cast(arrays["rows"], array, false), "rows have the wrong type");
      require(array.size() == n * forest_.points().row_bytes(), "rows do not fit the points");
      rows = array.data();
      kept_rows_ = arrays["rows"];
    }
    forest_.restore(std::move(record), rows);
    objects_ = std::move(objects);
  }

 private:
  static std::size_t row_bytes(const nb::object& metric, const std::string& dtype,
                               std::size_t width) {
    if (!nb::isinstance<nb::str>(metric)) return 0;
    require(dtype == "uint8" || dtype == "float32", "dtype must be uint8 or float32");
    return width * (dtype == "uint8" ? sizeof(std::uint8_t) : sizeof(float));
  }
  bool is_of_objects() const { return distance_.is_valid(); }
  bool retrieves() const { return forest_.options().task == BoundaryTask::retrieve; }

  template <class T>
  void check(const Array2<T>& X) const {
    require(!is_of_objects() && metric_.bytes == std::is_same_v<T, std::uint8_t>,
            "X has another type than the forest");
    require(X.shape(1) == metric_.width, "X must have " + std::to_string(metric_.width) +
                                             " features, got " + std::to_string(X.shape(1)));
  }
  template <class T>
  static const std::uint8_t* bytes_of(const Array2<T>& X) {
    return reinterpret_cast<const std::uint8_t*>(X.data());
  }
  static std::vector<nb::object> items(const nb::list& list) {
    std::vector<nb::object> result;
    for (const nb::handle item : list) result.push_back(nb::borrow(item));
    return result;
  }
  template <class T>
  static std::vector<T> vector_of(const nb::dict& arrays, const char* name) {
    std::vector<nb::object> keep;
    const std::span<const T> span = span_of<T>(arrays, name, keep);
    return {span.begin(), span.end()};
  }

  BoundaryBatch batch(std::size_t n, const std::uint8_t* rows,
                      const MaybeArray1<std::int32_t>& classes, const MaybeArray2<double>& values,
                      const MaybeArray1<std::int64_t>& ids) const {
    const BoundaryTask task = forest_.options().task;
    require((task == BoundaryTask::classify) == classes.has_value() &&
                (task == BoundaryTask::regress) == values.has_value(),
            "labels do not fit the task");
    require(!classes || classes->size() == n, "classes must have one entry per row");
    require(!values || (values->shape(0) == n && values->shape(1) == forest_.options().n_outputs),
            "values must have one row per row of X and one column per output");
    require(ids.has_value() == retrieves() && (!ids || ids->size() == n),
            "ids must have one entry per row");
    return {n, rows, classes ? classes->data() : nullptr, values ? values->data() : nullptr,
            ids ? ids->data() : nullptr};
  }

  BoundaryTools tools(const std::uint8_t* rows, int n_threads) const {
    BoundaryTools with;
    with.make_ruler = [this, rows] {
      return std::make_unique<RowsRuler>(metric_, forest_.points(), rows);
    };
    with.n_threads = n_threads;
    with.watch = check_signals;
    return with;
  }
  // Python runs one thread at a time.
  BoundaryTools tools(const std::vector<nb::object>& rows) const {
    BoundaryTools with;
    with.make_ruler = [this, &rows] {
      return std::make_unique<ObjectsRuler>(distance_, objects_, rows);
    };
    with.watch = check_signals;
    with.keep = [this, &rows](Slot slot, std::size_t row) {
      const nb::gil_scoped_acquire gil;
      if (slot >= objects_.size()) objects_.resize(slot + 1);
      objects_[slot] = rows[row];
    };
    with.drop = [this](Slot slot) {
      const nb::gil_scoped_acquire gil;
      objects_[slot].reset();
    };
    return with;
  }

  void learn(const BoundaryBatch& batch, const BoundaryTools& with) {
    const nb::gil_scoped_release released;
    forest_.learn(batch, with);
  }
  std::pair<std::size_t, bool> passes(const BoundaryBatch& batch, std::size_t max_passes,
                                      const BoundaryTools& with) {
    const nb::gil_scoped_release released;
    const BoundaryForest::Passes made = forest_.learn_in_passes(batch, max_passes, with);
    return {made.n, made.settled};
  }

  double distance(double rank) const { return is_of_objects() ? rank : metric_.distance(rank); }

  Walked walk(std::size_t n, const BoundaryTools& with) const {
    std::vector<std::int64_t> ids;
    std::vector<double> distances;
    std::size_t n_trees = 0;
    {
      const nb::gil_scoped_release released;
      forest_.walk(n, with, [&](const WalkEnds& ends) {
        n_trees = ends.n_trees;
        for (const Slot slot : ends.slots) ids.push_back(forest_.points().id(slot));
        for (const double rank : ends.ranks) distances.push_back(distance(rank));
      });
    }
    return {to_numpy(std::move(ids), {n, n_trees}), to_numpy(std::move(distances), {n, n_trees})};
  }

  using Effort = std::pair<Owned<std::int64_t>, Owned<std::int64_t>>;
  Effort effort(std::size_t n, const BoundaryTools& with) const {
    BoundaryForest::Effort effort;
    {
      const nb::gil_scoped_release released;
      effort = forest_.effort(n, with);
    }
    return {to_numpy(std::move(effort.n_compared)), to_numpy(std::move(effort.n_measured))};
  }

  Owned<double> predict(std::size_t n, std::size_t n_columns, double power,
                        const BoundaryTools& with) const {
    std::vector<double> out;
    {
      const nb::gil_scoped_release released;
      const std::function<double(double)> to_distance = [this](double rank) {
        return distance(rank);
      };
      forest_.walk(n, with, [&](const WalkEnds& ends) {
        out = combine(forest_, ends, ShepardWeights(power, to_distance), n_columns);
      });
    }
    return to_numpy(std::move(out), {n, n_columns});
  }

  Neighbors nearest(std::size_t n, std::size_t k, const MaybeArray1<std::int64_t>& among,
                    const BoundaryTools& with) const {
    std::vector<std::int64_t> some;
    if (among) some.assign(among->data(), among->data() + among->size());
    std::vector<double> distances;
    std::vector<std::int64_t> ids;
    {
      const nb::gil_scoped_release released;
      forest_.nearest(n, k, among ? &some : nullptr, with, [&](const NearestPoints& found) {
        k = found.k;
        for (const Slot slot : found.slots) ids.push_back(forest_.points().id(slot));
        for (const double rank : found.ranks) distances.push_back(distance(rank));
      });
    }
    return {to_numpy(std::move(distances), {n, k}), to_numpy(std::move(ids), {n, k})};
  }

  template <class Read>
  auto locked(const Read& read) const -> decltype(read()) {
    const nb::gil_scoped_release released;
    const auto lock = forest_.reading();
    return read();
  }
  template <class Number>
  Owned<std::int64_t> per_tree(const Number& number) const {
    std::vector<std::int64_t> result;
    locked([&] {
      for (const BoundaryTree& tree : forest_.trees())
        result.push_back(static_cast<std::int64_t>(number(tree)));
      return 0;
    });
    return to_numpy(std::move(result));
  }

  BoundaryForest forest_;
  Metric metric_;
  nb::object distance_;                      // a Python function, or nothing
  mutable std::vector<nb::object> objects_;  // per slot, if there is such a function
  nb::object kept_rows_;                     // memory that the forest reads from
};

template <class T, class Class>
void bind_for_rows(Class& bound) {
  bound
      .def("learn", &BoundForest::learn<T>, nb::arg("X").noconvert(), nb::arg("classes").none(),
           nb::arg("values").none(), nb::arg("ids").none(), nb::arg("n_threads"))
      .def("learn_in_passes", &BoundForest::learn_in_passes<T>, nb::arg("X").noconvert(),
           nb::arg("classes").none(), nb::arg("values").none(), nb::arg("max_passes"),
           nb::arg("n_threads"))
      .def("walk", &BoundForest::walk<T>, nb::arg("X").noconvert(), nb::arg("n_threads"))
      .def("effort", &BoundForest::effort_of<T>, nb::arg("X").noconvert(), nb::arg("n_threads"))
      .def("predict", &BoundForest::predict<T>, nb::arg("X").noconvert(), nb::arg("n_columns"),
           nb::arg("power"), nb::arg("n_threads"))
      .def("nearest", &BoundForest::nearest<T>, nb::arg("X").noconvert(), nb::arg("k"),
           nb::arg("among").none(), nb::arg("n_threads"));
}

// Distances between all rows, row by row or in tiles: the two must agree.
template <class T>
Owned<double> distances(const std::string& name, const Array2<T>& X, const Array2<T>& Y,
                        bool in_tiles) {
  const auto kind = metric_named(name);
  require(kind.has_value(), "unknown metric " + name);
  require(X.shape(1) == Y.shape(1), "X and Y must be equally wide");
  const Metric metric{*kind, std::is_same_v<T, std::uint8_t>, X.shape(1)};
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

std::vector<std::int64_t> as_int64(const std::vector<std::size_t>& order) {
  return {order.begin(), order.end()};
}

}  // namespace

void bind_boundary(nb::module_& m) {
  nb::exception<UnknownId>(m, "UnknownIdError", PyExc_KeyError);
  nb::class_<BoundForest> bound(m, "BoundaryForest", "Boundary trees over one table of points.");
  bound.def(nb::init<const std::string&, std::size_t, std::size_t, const nb::object&,
                     const std::string&, std::size_t, std::size_t, double, std::uint64_t>(),
            nb::arg("task"), nb::arg("n_trees"), nb::arg("max_children"), nb::arg("metric"),
            nb::arg("dtype"), nb::arg("width"), nb::arg("n_outputs"), nb::arg("tolerance"),
            nb::arg("seed"));
  bind_for_rows<std::uint8_t>(bound);
  bind_for_rows<float>(bound);
  bound
      .def("learn_objects", &BoundForest::learn_objects, nb::arg("X"), nb::arg("classes").none(),
           nb::arg("values").none(), nb::arg("ids").none())
      .def("learn_objects_in_passes", &BoundForest::learn_objects_in_passes, nb::arg("X"),
           nb::arg("classes").none(), nb::arg("values").none(), nb::arg("max_passes"))
      .def("walk_objects", &BoundForest::walk_objects, nb::arg("X"))
      .def("predict_objects", &BoundForest::predict_objects, nb::arg("X"), nb::arg("n_columns"),
           nb::arg("power"))
      .def("nearest_objects", &BoundForest::nearest_objects, nb::arg("X"), nb::arg("k"),
           nb::arg("among").none())
      .def("remove", &BoundForest::remove, nb::arg("ids"), nb::arg("n_threads"))
      .def("contains", &BoundForest::contains, nb::arg("id"))
      .def("n_stored", &BoundForest::n_stored)
      .def("n_seen", &BoundForest::n_seen)
      .def("n_bytes", &BoundForest::n_bytes)
      .def("ids", &BoundForest::ids)
      .def("n_nodes", &BoundForest::n_nodes)
      .def("depths", &BoundForest::depths)
      .def("record", &BoundForest::record)
      .def("restore", &BoundForest::restore, nb::arg("arrays"));
  m.def("distances", &distances<std::uint8_t>, nb::arg("metric"), nb::arg("X").noconvert(),
        nb::arg("Y").noconvert(), nb::arg("in_tiles"));
  m.def("distances", &distances<float>, nb::arg("metric"), nb::arg("X").noconvert(),
        nb::arg("Y").noconvert(), nb::arg("in_tiles"));
  m.def(
      "boundary_order",
      [](std::uint64_t seed, std::size_t tree, std::size_t m_first) {
        return to_numpy(as_int64(BoundaryForest::start_order(seed, tree, m_first)));
      },
      nb::arg("seed"), nb::arg("tree"), nb::arg("m"),
      "The order in which a tree learns the others of the first m examples.");
  m.def(
      "boundary_pass_order",
      [](std::uint64_t seed, std::size_t pass, std::size_t n) {
        return to_numpy(as_int64(BoundaryForest::pass_order(seed, pass, n)));
      },
      nb::arg("seed"), nb::arg("pass_"), nb::arg("n"),
      "The order of the examples in a pass after the first.");
}

}  // namespace mf::bindings
