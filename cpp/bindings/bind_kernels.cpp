// The instruction set of hot loops, and threads.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/instruction_set.hpp"
#include "base/thread_pool.hpp"
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
  m.def("end_idle_threads", &ThreadPool::end_idle_threads, nb::call_guard<nb::gil_scoped_release>(),
        "End the threads that sleep between calls; the next calls start new ones.");
}

}  // namespace mf::bindings
