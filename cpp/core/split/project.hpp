// Projecting: one atom over the rows of a node gives one ordered key per row.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data/dataset.hpp"
#include "projections/terms.hpp"
#include "split/keys.hpp"

namespace mf {

// Per-thread evaluator. Virtual once per candidate, the row loop inside is compiled per type.
class Projector {
 public:
  virtual ~Projector() = default;
  // The rotated data of the tree being grown, when its sampler wants one.
  virtual void start_tree(const Rotation& rotation) = 0;
  // keys.size() == rows.size()
  virtual KeyRange project(const Atom& atom, std::span<const Row> rows, std::span<Key> keys) = 0;
  // One example as floats, for samplers that look at the node's data.
  virtual void read_row(Row row, float* out) const = 0;
};

std::unique_ptr<Projector> make_projector(const Dataset<std::uint8_t>& data,
                                          const Geometry& geometry);
std::unique_ptr<Projector> make_projector(const Dataset<float>& data, const Geometry& geometry);

// X[:, dims] Q for one example: every output sums over dims in the same order in growing and
// predicting, and the inner loop runs along outputs so that it vectorises without reordering.
template <class T>
void rotate_row(const T* example, const Rotation& rotation, double* sums, float* out) {
  const std::size_t r = rotation.dims.size();
  std::fill(sums, sums + r, 0.0);
  for (std::size_t j = 0; j < r; ++j) {
    const double x = static_cast<double>(example[rotation.dims[j]]);
    const float* q = rotation.matrix.data() + j * r;
    for (std::size_t k = 0; k < r; ++k) sums[k] += x * static_cast<double>(q[k]);
  }
  for (std::size_t k = 0; k < r; ++k) out[k] = static_cast<float>(sums[k]);
}

}  // namespace mf
