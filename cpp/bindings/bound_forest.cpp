#include "bound_forest.hpp"

#include "boundary/row_distances.hpp"
#include "boundary_record.hpp"

namespace mf::bindings {
namespace {

distances::Element element_of(const std::string& dtype) {
  if (dtype == "uint8") return distances::Element::uint8;
  if (dtype == "float32") return distances::Element::float32;
  require(dtype == "float64", "dtype must be uint8, float32 or float64, got " + dtype);
  return distances::Element::float64;
}

boundary::Task task_named(const std::string& name) {
  if (name == "classify") return boundary::Task::classify;
  if (name == "regress") return boundary::Task::regress;
  require(name == "retrieve", "task must be retrieve, classify or regress, got " + name);
  return boundary::Task::retrieve;
}

}  // namespace

BoundForest::BoundForest(const std::string& task, std::size_t n_trees, std::size_t max_children,
                         const nb::object& metric, const std::string& dtype, std::size_t width,
                         std::size_t n_outputs, double tolerance, std::uint64_t seed)
    : forest_({task_named(task), n_trees, max_children, n_outputs, tolerance, seed},
              row_bytes(metric, dtype, width)) {
  require(max_children >= 2 && max_children < 65536, "max_children must be in [2, 65535]");
  if (!nb::isinstance<nb::str>(metric)) {
    objects_ = std::make_unique<ObjectPoints>(metric);
    return;
  }
  metric_name_ = nb::cast<std::string>(metric);
  require(distances::metric_named(metric_name_) != nullptr, "unknown metric " + metric_name_);
  element_ = element_of(dtype);
  width_ = width;
}

nb::object BoundForest::points_of(const Array1<std::int64_t>& ids) const {
  return points_in(
      [&](const State& state) { return state.points().slots_of({ids.data(), ids.size()}); });
}

void BoundForest::remove(const Array1<std::int64_t>& ids, int n_threads) {
  Objects removed;  // freed at the end, as that may run code which calls the forest
  const boundary::CallContext context = context_for_stored(removed, ids.size(), n_threads);
  const nb::gil_scoped_release released;
  forest_.remove({ids.data(), ids.size()}, context);
}

Owned<std::int64_t> BoundForest::ids() const {
  return to_numpy(read_state([](const State& state) {
    std::vector<std::int64_t> ids;
    for (const Slot slot : state.points().in_order()) ids.push_back(state.points().id(slot));
    return ids;
  }));
}

nb::dict BoundForest::record() const {
  boundary::Record record;
  const nb::object points = points_in([&](const State& state) {
    record = boundary::record_of(state);
    return state.points().in_order();
  });
  nb::dict arrays = to_dict(std::move(record));
  arrays[objects_ ? "objects" : "rows"] = points;
  return arrays;
}

void BoundForest::restore(const nb::dict& arrays) {
  boundary::Record record = to_record(arrays);
  const std::size_t n = record.ids.size();
  if (objects_) {
    Objects objects = items(nb::cast<nb::list>(arrays["objects"]));
    require(objects.size() == n, "objects do not fit the points");
    forest_.restore(std::move(record), nullptr, check_signals);
    objects_->adopt(std::move(objects));
    return;
  }
  nb::ndarray<std::uint8_t, nb::numpy, nb::ndim<1>, nb::c_contig> rows;
  require(nb::try_cast(arrays["rows"], rows, false), "rows have the wrong type");
  require(rows.size() == n * forest_.row_bytes(), "rows do not fit the points");
  nb::object kept = arrays["rows"];
  forest_.restore(std::move(record), rows.data(), check_signals);
  kept_rows_ = std::move(kept);
}

int BoundForest::traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const BoundForest& forest = *nb::inst_ptr<BoundForest>(self);
  Py_VISIT(forest.kept_rows_.ptr());
  return forest.objects_ ? forest.objects_->traverse(visit, arg) : 0;
}

int BoundForest::clear(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  const BoundForest& forest = *nb::inst_ptr<BoundForest>(self);
  if (forest.objects_) forest.objects_->clear();
  return 0;
}

std::size_t BoundForest::row_bytes(const nb::object& metric, const std::string& dtype,
                                   std::size_t width) {
  if (!nb::isinstance<nb::str>(metric)) return 0;
  return width * distances::size_of(element_of(dtype));
}

BoundForest::Given BoundForest::read(const nb::list& X, int /*n_threads*/) const {
  require(objects_ != nullptr, "X has another type than the forest");
  auto rows = std::make_shared<const Objects>(items(X));
  const std::size_t n = rows->size();
  return {n, nullptr, element_, objects_->context_for(std::move(rows))};
}

void BoundForest::require_own_type(const Given& given) const {
  require(given.element == element_, "X has another type than the forest");
}

void BoundForest::require_columns(std::size_t n_columns) const {
  const boundary::Options& options = forest_.options();
  require(options.task != Task::retrieve,
          "only a forest that is to classify or to regress can predict");
  require(options.task == Task::classify || n_columns == options.n_outputs,
          "there must be one column for each of the " + std::to_string(options.n_outputs) +
              " outputs, got " + std::to_string(n_columns));
}

boundary::CallContext BoundForest::context_for(distances::Element element, const std::uint8_t* rows,
                                               int n_threads) const {
  const distances::Measure measure{distances::metric_named(metric_name_), element, element_,
                                   width_};
  boundary::CallContext context;
  context.make_computer = [measure, rows](const boundary::Points& points) {
    return std::make_unique<boundary::RowDistanceComputer>(measure, points, rows);
  };
  context.n_threads = n_threads;
  context.check_interrupt = check_signals;
  return context;
}

boundary::CallContext BoundForest::context_for_stored(Objects& removed, std::size_t n_removed,
                                                      int n_threads) const {
  if (objects_) return objects_->context_for_stored(removed, n_removed);
  return context_for(element_, nullptr, n_threads);
}

boundary::Batch BoundForest::batch(const Given& given, const MaybeArray1<std::int32_t>& classes,
                                   const MaybeArray2<double>& values,
                                   const MaybeArray1<std::int64_t>& ids) const {
  const Task task = forest_.options().task;
  const std::size_t n = given.n;
  require((task == Task::classify) == classes.has_value() &&
              (task == Task::regress) == values.has_value(),
          "labels do not fit the task");
  require(!classes || classes->size() == n, "classes must have one entry per row");
  require(!values || (values->shape(0) == n && values->shape(1) == forest_.options().n_outputs),
          "values must have one row per row of X and one column per output");
  require(ids.has_value() == (task == Task::retrieve) && (!ids || ids->size() == n),
          "ids must have one entry per row");
  return {n, given.rows, classes ? classes->data() : nullptr, values ? values->data() : nullptr,
          ids ? ids->data() : nullptr};
}

}  // namespace mf::bindings
