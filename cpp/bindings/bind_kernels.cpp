// The instruction set of hot loops.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/instruction_set.hpp"
#include "bind.hpp"

namespace mf::bindings {

void bind_kernels(nb::module_& m) {
  supported_instruction_sets();  // a wrong name in the environment is an error of the import
  m.def("supported_kernels", &supported_instruction_sets,
        "Instruction sets that this machine can run and the environment allows.");
  m.def(
      "use_kernels",
      [](const std::string& name) {
        require(use_instruction_set(name), "this machine cannot run the kernels " + name);
      },
      nb::arg("name"), "Choose the instruction set of the hot loops.");
}

}  // namespace mf::bindings
