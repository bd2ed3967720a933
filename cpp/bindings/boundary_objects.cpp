#include "boundary_objects.hpp"

#include <cmath>
#include <string>
#include <utility>

namespace mf::bindings {
namespace {

using boundary::Slot;

// From Python objects to stored ones.
class ObjectDistanceComputer final : public boundary::DistanceComputer {
 public:
  ObjectDistanceComputer(const nb::object& distance, const Objects& points, const Objects& rows)
      : distance_(distance), points_(points), rows_(rows) {}
  void set_query_row(std::size_t row) override { query_ = &rows_[row]; }
  void set_query_point(Slot slot) override { query_ = &points_[slot]; }
  double distance(double proxy) const override { return proxy; }
  void measure(std::span<const Slot> slots, double* proxies) override {
    const nb::gil_scoped_acquire gil;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      proxies[i] = checked(distance_(points_[slots[i]], *query_));
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();  // a metric written in C does not check
    }
  }

 private:
  static double checked(const nb::object& result) {
    const double distance = PyFloat_AsDouble(result.ptr());
    if (distance == -1.0 && PyErr_Occurred() != nullptr) {
      const bool too_large = PyErr_ExceptionMatches(PyExc_OverflowError) != 0;
      PyErr_Clear();
      if (too_large)  // an integer beyond all floats
        throw nb::value_error(
            "metric must return finite numbers >= 0, got a number too large for a float");
      throw nb::type_error(("metric must return a number, got " + shown(result)).c_str());
    }
    if (!(distance >= 0.0) || std::isinf(distance))
      throw nb::value_error(
          ("metric must return finite numbers >= 0, got " + shown(result)).c_str());
    return distance;
  }
  static std::string shown(const nb::object& result) { return nb::repr(result).c_str(); }

  const nb::object& distance_;
  const Objects& points_;
  const Objects& rows_;
  const nb::object* query_ = nullptr;
};

}  // namespace

Objects items(const nb::list& list) {
  Objects result;
  for (const nb::handle item : list) result.push_back(nb::borrow(item));
  return result;
}

boundary::CallContext ObjectPoints::context_for(std::shared_ptr<const Objects> rows) {
  boundary::CallContext context;
  context.make_computer = [this, rows](const boundary::Points&) {
    return std::make_unique<ObjectDistanceComputer>(distance_, objects_, *rows);
  };
  context.check_interrupt = check_signals;
  context.keep = [this, rows](Slot slot, std::size_t row) {
    const nb::gil_scoped_acquire gil;
    if (slot >= objects_.size()) objects_.resize(slot + std::size_t{1});
    nb::object object = (*rows)[row];
    std::swap(objects_[slot], object);
  };
  context.drop = [this](Slot slot) {
    const nb::gil_scoped_acquire gil;
    if (slot >= objects_.size()) return;
    nb::object object;
    std::swap(objects_[slot], object);  // `rows` still refers to it
  };
  return context;
}

boundary::CallContext ObjectPoints::context_for_stored(Objects& removed, std::size_t n_removed) {
  boundary::CallContext context;
  context.make_computer = [this](const boundary::Points&) {
    return std::make_unique<ObjectDistanceComputer>(distance_, objects_, objects_);
  };
  context.check_interrupt = check_signals;
  removed.reserve(n_removed);
  context.drop = [this, &removed](Slot slot) {
    const nb::gil_scoped_acquire gil;
    if (slot >= objects_.size()) return;
    nb::object object;
    std::swap(objects_[slot], object);
    if (removed.size() < removed.capacity()) removed.push_back(std::move(object));
  };
  return context;
}

nb::list ObjectPoints::at(std::span<const Slot> slots) const {
  nb::list result;
  for (const Slot slot : slots) result.append(objects_[slot]);
  return result;
}

int ObjectPoints::traverse(visitproc visit, void* arg) const {
  Py_VISIT(distance_.ptr());
  for (const nb::object& object : objects_) Py_VISIT(object.ptr());
  return 0;
}

void ObjectPoints::clear() {
  auto forget = [](nb::object& held) {
    nb::object nothing = nb::none();
    std::swap(held, nothing);
  };
  for (std::size_t i = 0; i < objects_.size(); ++i) forget(objects_[i]);
  forget(distance_);
}

}  // namespace mf::bindings
