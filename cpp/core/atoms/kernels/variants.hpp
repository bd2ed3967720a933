// The variants of the kernels; a table is null if it was not compiled.
#pragma once

#include "atoms/kernels/kernels.hpp"

namespace mf {
namespace rotation_baseline {
const RotationKernels* table();
}
namespace rotation_avx2 {
const RotationKernels* table();
}
namespace rotation_avx512 {
const RotationKernels* table();
}
}  // namespace mf
