// Making rotations, and the product of rows and a tree's rotation: hot loops, compiled once per
// instruction set and chosen when the program runs. All variants give the same bits.
#pragma once

#include <cstddef>

namespace mf {

struct RotationKernels {
  // Columns of a rotation that lie side by side in a panel.
  static constexpr std::size_t kPanelColumns = 16;

  // out = x Q for rows of `size` numbers. x are whole numbers of 8 bits or floats, written as
  // doubles, so that its products with floats are exact; they are added in order, then rounded.
  // panels: ceil(size / kPanelColumns) × size × kPanelColumns, the last one filled up with zeros.
  void (*rotate)(const double* x, std::size_t n_rows, std::size_t size, const float* panels,
                 float* out);
  // panel = H_0 H_1 ... panel: reflections of its columns, size × kPanelColumns, the last of
  // n_reflections first. H_k leaves the first k rows as they are; its unit normal has size - k
  // numbers, and lies behind those of the reflections before it.
  void (*reflect)(const double* normals, std::size_t size, std::size_t n_reflections,
                  double* panel);
};

// The variant in use.
const RotationKernels& rotation_kernels();

}  // namespace mf
