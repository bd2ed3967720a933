// The variants of the kernels; a table is null if it was not compiled.
#pragma once

#include "predict/kernels/kernels.hpp"

namespace mf::predict {
namespace kernels_baseline {
const Kernels* table();
}
namespace kernels_avx2 {
const Kernels* table();
}
namespace kernels_avx512 {
const Kernels* table();
}
}  // namespace mf::predict
