// The variants of the kernels; a table is null if it was not compiled.
#pragma once

#include "boost/kernels/kernels.hpp"

namespace mf::boost {
namespace losses_baseline {
const LossKernels* table();
}
namespace losses_avx2 {
const LossKernels* table();
}
namespace losses_avx512 {
const LossKernels* table();
}
}  // namespace mf::boost
