#include "predict/kernels/kernels.hpp"

#include "base/instruction_set.hpp"
#include "predict/kernels/variants.hpp"

namespace mf::predict {

const Kernels& kernels() {
  static const Variants<Kernels> variants{kernels_baseline::table(), kernels_avx2::table(),
                                          kernels_avx512::table(), nullptr};
  return variant_in_use(variants);
}

}  // namespace mf::predict
