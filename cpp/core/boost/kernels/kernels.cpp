#include "boost/kernels/kernels.hpp"

#include "base/instruction_set.hpp"
#include "boost/kernels/variants.hpp"

namespace mf::boost {

const LossKernels& loss_kernels() {
  static const Variants<LossKernels> variants{losses_baseline::table(), losses_avx2::table(),
                                              losses_avx512::table(), nullptr};
  return variant_in_use(variants);
}

}  // namespace mf::boost
