// The rows of a tree and of a node, with what they weigh and what is to be predicted of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/page_vector.hpp"
#include "data/table.hpp"
#include "data/target.hpp"

namespace mf {

// A response, and how often the row counts; it weighs as much.
struct CountedResponse {
  double value = 0.0;
  std::int32_t count = 0;
};

// What every row brings into a tree: weights and counts, or what is made of them.
struct RowSamples {
  PageVector<double> weight;       // count × class weight × sample weight
  PageVector<std::int32_t> count;  // multiplicity; all together at most 2^31 - 1
  bool unit_weights = false;       // all rows of the tree are known to weigh 1
  bool ones = false;               // `weight` holds nothing else, if it is not empty
  // count << 8 | class in place of both, if every weight is the count, below 2^16, and there is one
  // output of at most 256 classes; otherwise empty. A node reads one number per row instead of
  // three far apart.
  PageVector<std::int32_t> packed = {};
  // The same of one output that is a number, if every weight is the count; otherwise empty.
  PageVector<CountedResponse> responses = {};

  double weight_of(Row row) const {
    const auto i = static_cast<std::size_t>(row);
    if (!packed.empty()) return static_cast<double>(packed[i] >> 8);
    return static_cast<double>(weight.empty() ? count[i] : weight[i]);
  }

  // Packs rows whose weights are their counts.
  void pack(const Target& target) {
    packed.clear();
    responses.clear();
    for (std::size_t i = 0; i < count.size(); ++i)
      if (weight[i] != static_cast<double>(count[i])) return;
    pack_counts(target);
  }

  // The same if all weights are known to be the counts, and need not be there. Returns whether
  // nodes will read what is packed.
  bool pack_counts(const Target& target) {
    packed.clear();
    responses.clear();
    if (target.values != nullptr && target.labels == nullptr && target.n_outputs == 1) {
      pack_responses(target);
      if (target.derivatives == nullptr) weight = PageVector<double>();
      return true;
    }
    if (target.n_classes.size() != 1 || target.n_classes[0] > kPackedClasses) return false;
    std::int32_t most = 0;  // a loop that compilers vectorise
    for (const std::int32_t n : count) most = n > most ? n : most;
    if (most >= kPackedCounts) return false;
    packed = std::move(count);  // in its memory
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = packed[i] << 8 | target.labels[i];
    weight = PageVector<double>();
    return true;
  }

  // Takes the counts out, after which the samples can be filled anew.
  PageVector<std::int32_t> take_counts() {
    responses.clear();
    if (packed.empty()) return std::exchange(count, {});
    for (std::int32_t& row : packed) row >>= 8;
    return std::exchange(packed, {});
  }

 private:
  static constexpr std::int32_t kPackedClasses = 256, kPackedCounts = 65536;

  void pack_responses(const Target& target) {
    responses.resize(count.size());
    for (std::size_t i = 0; i < count.size(); ++i) responses[i] = {target.values[i], count[i]};
  }
};

// The rows of one node gathered into contiguous arrays, shared by all candidates of the node.
struct NodeSample {
  std::size_t n_outputs = 1;
  std::span<const Row> rows;   // where they are
  std::vector<double> values;  // size × n_outputs, if the target has any
  // Of packed samples after unpack() only.
  mutable std::vector<std::int32_t> labels;  // size × n_outputs, if the target has any
  mutable std::vector<double> weight;        // what the criterion sees
  mutable std::vector<std::int32_t> count;   // multiplicity, what min_samples_leaf counts
  double total_weight = 0.0;
  std::int64_t total_count = 0;
  bool weights_are_counts = false;  // known to be, of numbers
  double min_child_weight = 0.0;    // smallest weight of a child; set by the grower
  // Of packed samples, unless they weigh 2^31 or more; otherwise empty.
  PageVector<std::uint32_t> packed;
  std::vector<std::uint32_t> class_counts;  // sum of the counts per class, all below 2^31 together

  std::size_t size() const { return rows.size(); }
  // Writes the labels, weights and counts of packed samples apart, which the search that most nodes
  // have does not read. A node that several threads search must be unpacked before.
  void unpack() const;
  // The rows must not move while the sample is in use.
  void gather(const Target& target, std::span<const Row> of_node, const RowSamples& samples);

 private:
  static constexpr std::size_t kCountedApart = 64, kMaxApart = 32;  // rows, classes

  mutable bool unpacked_ = false;

  void gather_packed(const RowSamples& samples);
  void gather_responses(const RowSamples& samples);
  void gather_apart(const Target& target, const RowSamples& samples);
  void count_classes(const Target& target);
  template <class V>
  void copy_responses(const V* from, std::vector<V>& to) const;
};

inline void NodeSample::gather(const Target& target, std::span<const Row> of_node,
                               const RowSamples& samples) {
  rows = of_node;
  n_outputs = target.n_outputs;
  class_counts.clear();
  unpacked_ = samples.packed.empty();
  if (unpacked_) packed.clear();
  weights_are_counts = !samples.responses.empty();
  if (weights_are_counts) return gather_responses(samples);
  if (unpacked_) {
    gather_apart(target, samples);
    return;
  }
  gather_packed(samples);
  count_classes(target);
}

inline void NodeSample::gather_packed(const RowSamples& samples) {
  forget_larger(packed, rows.size());
  packed.resize(rows.size());
  total_count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    packed[i] = static_cast<std::uint32_t>(samples.packed[static_cast<std::size_t>(rows[i])]);
    total_count += packed[i] >> 8;
  }
  total_weight = static_cast<double>(total_count);
}

inline void NodeSample::gather_responses(const RowSamples& samples) {
  const std::size_t n = rows.size();
  values.resize(n);
  weight.resize(n);
  count.resize(n);
  total_count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const CountedResponse& response = samples.responses[static_cast<std::size_t>(rows[i])];
    values[i] = response.value;
    weight[i] = static_cast<double>(response.count);
    count[i] = response.count;
    total_count += response.count;
  }
  total_weight = static_cast<double>(total_count);  // below 2^31: the sum of the weights
}

inline void NodeSample::unpack() const {
  if (unpacked_) return;
  unpacked_ = true;
  labels.resize(rows.size());
  weight.resize(rows.size());
  count.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto n = static_cast<std::int32_t>(packed[i] >> 8);
    labels[i] = static_cast<std::int32_t>(packed[i] & 0xff);
    count[i] = n;
    weight[i] = static_cast<double>(n);
  }
}

inline void NodeSample::gather_apart(const Target& target, const RowSamples& samples) {
  weight.resize(rows.size());
  count.resize(rows.size());
  total_weight = 0.0;
  total_count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    weight[i] = samples.weight[row];
    count[i] = samples.count[row];
    total_weight += weight[i];
    total_count += count[i];
  }
  if (target.labels != nullptr) copy_responses(target.labels, labels);
  if (target.values != nullptr) copy_responses(target.values, values);
}

template <class V>
void NodeSample::copy_responses(const V* from, std::vector<V>& to) const {
  to.resize(rows.size() * n_outputs);
  if (n_outputs == 1) {
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t o = 0; o < n_outputs; ++o)
      to[i * n_outputs + o] = from[static_cast<std::size_t>(rows[i]) * n_outputs + o];
}

inline void NodeSample::count_classes(const Target& target) {
  if (total_count >= std::int64_t{1} << 31) {
    unpack();
    packed.clear();
    return;
  }
  const auto n_classes = static_cast<std::size_t>(target.n_classes[0]);
  class_counts.assign(n_classes, 0);
  if (n_classes == 2) {  // a loop that compilers vectorise
    std::uint32_t ones = 0;
    for (const std::uint32_t row : packed) ones += (row >> 8) & (~(row & 1) + 1);  // no product
    class_counts[0] = static_cast<std::uint32_t>(total_count) - ones;
    class_counts[1] = ones;
    return;
  }
  if (packed.size() < kCountedApart || n_classes > kMaxApart) {
    for (const std::uint32_t row : packed) class_counts[row & 0xff] += row >> 8;
    return;
  }
  // Every other row apart: adding to the same number again and again would wait for it.
  std::uint32_t apart[4][kMaxApart] = {};
  std::size_t i = 0;
  for (; i + 4 <= packed.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) apart[k][packed[i + k] & 0xff] += packed[i + k] >> 8;
  for (; i < packed.size(); ++i) apart[0][packed[i] & 0xff] += packed[i] >> 8;
  for (std::size_t c = 0; c < n_classes; ++c)
    class_counts[c] = apart[0][c] + apart[1][c] + apart[2][c] + apart[3][c];
}

}  // namespace mf
