// Functions of numbers.
#include "base/portable_math.hpp"
#include "stages.hpp"

namespace mf::bindings {
namespace {

template <class Function>
Owned<double> each(const Array1<double>& x, const Function& function) {
  std::vector<double> out(x.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = function(x.data()[i]);
  return to_numpy(std::move(out));
}

}  // namespace

void stage_math(nb::module_& m) {
  m.def(
      "portable_exp", [](const Array1<double>& x) { return each(x, portable_exp); }, nb::arg("x"));
  m.def(
      "portable_log", [](const Array1<double>& x) { return each(x, portable_log); }, nb::arg("x"));
}

}  // namespace mf::bindings
