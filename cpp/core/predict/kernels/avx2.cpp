// The kernels for machines with AVX2; CMakeLists.txt sets the flags of this file.
#include <cstring>

#include "base/inlining.hpp"
#include "predict/kernels/variants.hpp"

#if defined(__AVX2__)

namespace mf::predict::kernels_avx2 {
namespace {

#include "predict/kernels/body.inc"

}  // namespace

const Kernels* table() { return &kTable; }

}  // namespace mf::predict::kernels_avx2
#else
namespace mf::predict::kernels_avx2 {
const Kernels* table() { return nullptr; }
}  // namespace mf::predict::kernels_avx2
#endif
