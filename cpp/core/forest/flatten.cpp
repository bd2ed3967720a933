#include "forest/flatten.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/freed_memory.hpp"
#include "base/parallel.hpp"

namespace mf::train {
namespace {

// From so many nodes on several threads are worth starting.
constexpr std::size_t kManyNodes = std::size_t{1} << 17;

// Joins one member of all trees after the other, and frees it there.
class Joiner {
 public:
  Joiner(std::vector<FinishedTree>& trees, int n_threads)
      : trees_(trees),
        nodes_(offsets([](const FinishedTree& tree) { return tree.size(); })),
        n_threads_(nodes_.back() < kManyNodes ? 1 : n_threads) {}

  std::size_t n_nodes() const { return nodes_.back(); }

  // Where the part of each tree begins, and the size of all.
  template <class Size>
  std::vector<std::size_t> offsets(const Size& size) const {
    std::vector<std::size_t> out{0};
    for (const FinishedTree& tree : trees_) out.push_back(out.back() + size(tree));
    return out;
  }

  // Calls write(tree, its part of the result).
  template <class T, class Write>
  FlatVector<T> join_parts(const std::vector<std::size_t>& begin, const Write& write) {
    FlatVector<T> out(begin.back());
    for_trees([&](FinishedTree& tree, std::size_t t) { write(tree, out.data() + begin[t]); });
    returned(out.size() * sizeof(T));
    return out;
  }

  template <class T, class Member>
  FlatVector<T> join(const Member& member) {
    const auto of = [&](auto& tree) -> auto& { return std::invoke(member, tree); };
    return join_parts<T>(offsets([&](const FinishedTree& tree) { return of(tree).size(); }),
                         [&](FinishedTree& tree, T* out) {
                           const auto from = std::move(of(tree));
                           std::copy(from.begin(), from.end(), out);
                         });
  }

  // Of a member that only splits have; it is zero in leaves.
  template <class T>
  FlatVector<T> join_splits(LargeVector<T> FinishedTree::* member) {
    return join_parts<T>(nodes_, [&](FinishedTree& tree, T* out) {
      const LargeVector<T> from = std::move(tree.*member);
      if (from.empty()) {
        std::fill_n(out, tree.size(), T{});
        return;
      }
      std::size_t split = 0;
      for (std::size_t node = 0; node < tree.size(); ++node) {  // without branches: half are leaves
        const bool is_leaf = tree.is_leaf(node);
        const T number = from[std::min(split, from.size() - 1)];
        out[node] = is_leaf ? T{} : number;
        split += is_leaf ? 0 : 1;
      }
    });
  }

  FlatVector<double> join_weights() {
    return join_parts<double>(nodes_, [](FinishedTree& tree, double* out) {
      const LargeVector<double> weight = std::move(tree.weight);
      const LargeVector<float> rounded = std::move(tree.rounded_weight);
      std::copy(weight.begin(), weight.end(), out);
      std::copy(rounded.begin(), rounded.end(), out);
    });
  }

  FlatVector<std::uint8_t> kinds() {
    return join_parts<std::uint8_t>(nodes_, [](const FinishedTree& tree, std::uint8_t* out) {
      for (std::size_t node = 0; node < tree.size(); ++node)
        out[node] =
            static_cast<std::uint8_t>(tree.is_leaf(node) ? NodeKind::leaf : NodeKind::numeric);
    });
  }

  // How often training rows were drawn.
  template <class T>
  FlatVector<T> join_bags() {
    return join_parts<T>(offsets([](const FinishedTree& tree) { return tree.inbag.size(); }),
                         [](FinishedTree& tree, T* out) {
                           tree.inbag.copy_to(out);
                           tree.inbag = {};
                         });
  }

  FlatVector<std::int32_t> join_leaves() {
    return join_parts<std::int32_t>(offsets([](const FinishedTree& tree) { return tree.n_rows(); }),
                                    [](FinishedTree& tree, std::int32_t* out) {
                                      tree.copy_leaves_to(out);
                                      tree.forget_leaves();
                                    });
  }

  // Atoms are stored per split; the flat form has one (possibly empty) entry per node, in node
  // order.
  void join_atoms(FlatArrays& out) {
    const auto ints = offsets(
        [](const FinishedTree& tree) { return tree.atoms.ints.size() + tree.features.size(); });
    const auto weights = offsets(
        [](const FinishedTree& tree) { return tree.atoms.weights.size() + tree.features.size(); });
    out.atom_kind.resize(n_nodes());
    out.atom_offsets.resize(n_nodes() + 1);
    out.weight_offsets.resize(n_nodes() + 1);
    out.atom_ints.resize(ints.back());
    out.atom_weights.resize(weights.back());
    out.atom_offsets[0] = 0;
    out.weight_offsets[0] = 0;
    for_trees([&](FinishedTree& tree, std::size_t t) {
      if (tree.features.empty())
        write_atoms(tree, nodes_[t], ints[t], weights[t], out);
      else
        write_features(tree, nodes_[t], ints[t], weights[t], out);
      tree.atoms = AtomList{};
      tree.features = LargeVector<std::int32_t>();
    });
    returned(ints.back() * sizeof(std::int32_t) + weights.back() * sizeof(float));
  }

 private:
  // Freed memory that is returned to the system together: otherwise the process would hold both
  // forms of a forest.
  static constexpr std::size_t kMuch = std::size_t{6} << 20;

  template <class Visit>
  void for_trees(const Visit& visit) {
    parallel_for(trees_.size(), n_threads_, [&](std::size_t t) { visit(trees_[t], t); });
  }

  // From node `first`, int i and weight w of the result on.
  static void write_atoms(const FinishedTree& tree, std::size_t first, std::size_t i, std::size_t w,
                          FlatArrays& out) {
    std::size_t split = 0;
    for (std::size_t node = 0; node < tree.size(); ++node) {
      AtomKind kind{};
      if (!tree.is_leaf(node)) {
        const Atom atom = tree.atom(split++);
        kind = atom.kind;
        append(atom.ints, out.atom_ints.data(), i);
        append(atom.weights, out.atom_weights.data(), w);
      }
      const std::size_t at = first + node;
      out.atom_kind[at] = static_cast<std::uint8_t>(kind);
      out.atom_offsets[at + 1] = static_cast<std::int64_t>(i);
      out.weight_offsets[at + 1] = static_cast<std::int64_t>(w);
    }
  }

  // The same of single features.
  static void write_features(const FinishedTree& tree, std::size_t first, std::size_t i,
                             std::size_t w, FlatArrays& out) {
    const Atom one = tree.atom(0);
    std::copy(tree.features.begin(), tree.features.end(), out.atom_ints.data() + i);
    std::fill_n(out.atom_weights.data() + w, tree.features.size(), one.weights[0]);
    for (std::size_t node = 0; node < tree.size(); ++node) {
      const bool is_leaf = tree.is_leaf(node);
      const std::size_t at = first + node;
      i += is_leaf ? 0 : 1;
      w += is_leaf ? 0 : 1;
      out.atom_kind[at] = static_cast<std::uint8_t>(is_leaf ? AtomKind{} : one.kind);
      out.atom_offsets[at + 1] = static_cast<std::int64_t>(i);
      out.weight_offsets[at + 1] = static_cast<std::int64_t>(w);
    }
  }

  template <class V>
  static void append(std::span<const V> numbers, V* out, std::size_t& n) {
    if (numbers.size() == 1)  // most atoms: no call
      out[n] = numbers[0];
    else
      std::copy(numbers.begin(), numbers.end(), out + n);
    n += numbers.size();
  }

  void returned(std::size_t bytes) {
    freed_ += bytes;
    if (freed_ < kMuch) return;
    freed_ = 0;
    return_freed_memory();
  }

  std::vector<FinishedTree>& trees_;
  std::vector<std::size_t> nodes_;  // offsets
  int n_threads_;
  std::size_t freed_ = 0;  // bytes
};

// The paths of all trees one after the other.
void join_pruning_paths(Joiner& joiner, FlatArrays& out) {
  for (const std::size_t offset :
       joiner.offsets([](const FinishedTree& tree) { return tree.pruning_path.alphas.size(); }))
    out.path_offsets.push_back(static_cast<std::int64_t>(offset));
  out.path_alphas = joiner.join<double>([](auto& t) -> auto& { return t.pruning_path.alphas; });
  out.path_impurities =
      joiner.join<double>([](auto& t) -> auto& { return t.pruning_path.impurities; });
}

}  // namespace

FlatArrays flatten(std::vector<FinishedTree> trees, int n_threads) {
  FlatArrays out;
  Joiner joiner(trees, n_threads);
  for (const std::size_t offset : joiner.offsets([](const auto& tree) { return tree.size(); }))
    out.tree_offsets.push_back(static_cast<std::int64_t>(offset));
  // All that asks which nodes are leaves, or how many there are, comes before `left`.
  out.leaf_of_row = joiner.join_leaves();
  int bits = 8;
  for (const FinishedTree& tree : trees) bits = std::max(bits, tree.inbag.bits());
  if (bits == 8)
    out.inbag = joiner.join_bags<std::int8_t>();
  else if (bits == 16)
    out.inbag = joiner.join_bags<std::int16_t>();
  else
    out.inbag = joiner.join_bags<std::int32_t>();
  joiner.join_atoms(out);
  out.kind = joiner.kinds();
  out.threshold = joiner.join_splits(&FinishedTree::threshold);
  out.missing_left = joiner.join_splits(&FinishedTree::missing_left);
  out.gain = joiner.join_splits(&FinishedTree::gain);
  out.left = joiner.join<std::int32_t>(&FinishedTree::left);
  out.weight = joiner.join_weights();
  out.shares = joiner.join<float>(&FinishedTree::shares);
  out.means = joiner.join<double>(&FinishedTree::value);
  if (!trees.empty()) out.rotation_size = trees[0].rotation.dims.size();
  out.rotation_dims = joiner.join<std::int32_t>([](auto& t) -> auto& { return t.rotation.dims; });
  out.rotations = joiner.join<float>([](auto& t) -> auto& { return t.rotation.matrix; });
  join_pruning_paths(joiner, out);
  return out;
}

}  // namespace mf::train
