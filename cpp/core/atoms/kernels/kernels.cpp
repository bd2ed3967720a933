#include "atoms/kernels/kernels.hpp"

#include "atoms/kernels/variants.hpp"
#include "base/instruction_set.hpp"

namespace mf {

const RotationKernels& rotation_kernels() {
  static const Variants<RotationKernels> variants{
      rotation_baseline::table(), rotation_avx2::table(), rotation_avx512::table(), nullptr};
  return variant_in_use(variants);
}

}  // namespace mf
