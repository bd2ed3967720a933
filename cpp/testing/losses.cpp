// Losses of boosting, row by row.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "boost/loss.hpp"
#include "problem.hpp"
#include "stages.hpp"

namespace mf::bindings {
namespace {

std::pair<Owned<double>, Owned<float>> evaluate_loss(const char* name, const TargetArray& y,
                                                     const std::vector<int>& n_classes,
                                                     const Array2<double>& scores) {
  const std::size_t n = y.shape(0);
  const Target target = to_target(y, n_classes, {}, {}, n);
  const auto loss = boost::find_loss(name);
  loss->check(target);
  require(scores.shape(0) == n && scores.shape(1) == loss->n_scores(target),
          "scores must be rows x scores");
  const std::size_t width = loss->n_scores(target) + loss->n_hessians(target);
  std::vector<double> losses(n);
  std::vector<float> derivatives(n * width);
  loss->evaluate({target, 0, n, scores.data()}, losses.data(), derivatives.data());
  return {to_numpy(std::move(losses)), to_numpy(std::move(derivatives), {n, width})};
}

}  // namespace

void stage_losses(nb::module_& m) {
  m.def("evaluate_loss", &evaluate_loss, nb::arg("loss"), nb::arg("y").noconvert(),
        nb::arg("n_classes"), nb::arg("scores"), "The loss of each row and its derivatives.");
}

}  // namespace mf::bindings
