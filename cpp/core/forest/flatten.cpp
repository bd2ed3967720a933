#include "forest/flatten.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/freed_memory.hpp"

namespace mf::train {
namespace {

// From so many nodes on several threads are worth their while.
constexpr std::size_t kManyNodes = std::size_t{1} << 17;

// How much of an array the trees before each tree take, and all trees together.
template <class Size>
std::vector<std::size_t> offsets(const std::vector<FinishedTree>& trees, const Size& size) {
  std::vector<std::size_t> out{0};
  for (const FinishedTree& tree : trees) out.push_back(out.back() + size(tree));
  return out;
}

// Writes trees to their places in the flat arrays, one after the other, and frees each: what is
// left of the trees and what is written of the arrays are never much more than the arrays.
class Joiner {
 public:
  Joiner(std::vector<FinishedTree>& trees, FlatArrays& out)
      : trees_(trees),
        out_(out),
        nodes_(offsets(trees, [](const auto& t) { return t.size(); })),
        values_(offsets(trees, [](const auto& t) { return t.value.size() + t.shares.size(); })),
        ints_(
            offsets(trees, [](const auto& t) { return t.atoms.ints.size() + t.features.size(); })),
        weights_(offsets(trees,
                         [](const auto& t) { return t.atoms.weights.size() + t.features.size(); })),
        rows_(offsets(trees, [](const auto& t) { return t.n_rows(); })),
        bags_(offsets(trees, [](const auto& t) { return t.inbag.size(); })),
        same_offsets_(std::all_of(trees.begin(), trees.end(), [](const auto& t) {
          return t.only_features() || t.n_splits() == 0;
        })) {}

  // Arrays in full size, of which nothing is written yet.
  void make_room() {
    const std::size_t n = nodes_.back();
    out_.tree_offsets.assign(nodes_.begin(), nodes_.end());
    out_.left.resize(n);
    out_.kind.resize(n);
    out_.threshold.resize(n);
    out_.missing_left.resize(n);
    out_.gain.resize(n);
    out_.weight.resize(n);
    const bool has_shares = !trees_.empty() && !trees_[0].shares.empty();
    out_.shares.resize(has_shares ? values_.back() : 0);
    out_.means.resize(has_shares ? 0 : values_.back());
    out_.atom_kind.resize(n);
    out_.atom_offsets.resize(n + 1);
    out_.atom_ints.resize(ints_.back());
    out_.weight_offsets.resize(same_offsets_ ? 0 : n + 1);
    out_.atom_weights.resize(weights_.back());
    out_.atom_offsets[0] = 0;
    if (!same_offsets_) out_.weight_offsets[0] = 0;
    out_.leaf_of_row.resize(rows_.back());
    int bits = 8;
    for (const FinishedTree& tree : trees_) bits = std::max(bits, tree.inbag.bits());
    if (bits == 8)
      out_.inbag = FlatVector<std::int8_t>(bags_.back());
    else if (bits == 16)
      out_.inbag = FlatVector<std::int16_t>(bags_.back());
    else
      out_.inbag = FlatVector<std::int32_t>(bags_.back());
  }

  void join(const BlockLoop& loop) {
    std::vector<std::atomic<std::size_t>> n_left(trees_.size());
    for (auto& n_pieces : n_left) n_pieces = kPieces;
    const auto write_piece = [&](std::size_t item) {
      const std::size_t t = item / kPieces;
      write(trees_[t], t, item % kPieces);
      if (--n_left[t] > 0) return;
      const FinishedTree tree = std::move(trees_[t]);  // freed at the end
      freed(tree.size() * kBytesPerNode);
    };
    const std::size_t n_items = kPieces * trees_.size();
    if (loop && nodes_.back() >= kManyNodes) return loop(n_items, write_piece);
    for (std::size_t item = 0; item < n_items; ++item) write_piece(item);
  }

 private:
  // Freed memory that is returned to the system together: otherwise the process would hold both
  // forms of a forest.
  static constexpr std::size_t kMuch = std::size_t{6} << 20;
  static constexpr std::size_t kBytesPerNode = 28;  // of a tree of two classes or one output

  // Of a tree, which threads write at the same time: there may be few trees.
  static constexpr std::size_t kPieces = 3;

  void write(const FinishedTree& tree, std::size_t t, std::size_t piece) {
    if (piece == 0) {
      write_rows(tree, t);
      write_values(tree, t);
    } else if (piece == 1) {
      write_nodes(tree, nodes_[t]);
    } else if (tree.only_features()) {
      write_features(tree, t);
    } else {
      write_atoms(tree, t);
    }
  }

  void write_rows(const FinishedTree& tree, std::size_t t) {
    tree.copy_leaves_to(out_.leaf_of_row.data() + rows_[t]);
    std::visit([&](auto& inbag) { tree.inbag.copy_to(inbag.data() + bags_[t]); }, out_.inbag);
  }

  void write_nodes(const FinishedTree& tree, std::size_t first) {
    std::copy(tree.left.begin(), tree.left.end(), out_.left.data() + first);
    std::transform(tree.left.begin(), tree.left.end(), out_.kind.data() + first, [](auto left) {
      return static_cast<std::uint8_t>(left == 0 ? NodeKind::leaf : NodeKind::numeric);
    });
    write_splits<double>(tree, tree.threshold, out_.threshold.data() + first);
    write_splits<std::uint8_t>(tree, tree.missing_left, out_.missing_left.data() + first);
    write_splits<float>(tree, tree.gain, out_.gain.data() + first);
    double* const weight = out_.weight.data() + first;
    std::copy(tree.weight.begin(), tree.weight.end(), weight);
    std::copy(tree.rounded_weight.begin(), tree.rounded_weight.end(), weight);
  }

  // Zero in leaves. Without branches: every other node is a leaf.
  template <class T>
  static void write_splits(const FinishedTree& tree, std::span<const T> from, T* out) {
    if (from.empty()) {
      std::fill_n(out, tree.size(), T{});
      return;
    }
    std::size_t split = 0;
    for (std::size_t node = 0; node < tree.size(); ++node) {
      const bool is_leaf = tree.is_leaf(node);
      const T number = from[std::min(split, from.size() - 1)];
      out[node] = is_leaf ? T{} : number;
      split += is_leaf ? 0 : 1;
    }
  }

  void write_values(const FinishedTree& tree, std::size_t t) {
    std::copy(tree.shares.begin(), tree.shares.end(), out_.shares.data() + values_[t]);
    std::copy(tree.value.begin(), tree.value.end(), out_.means.data() + values_[t]);
  }

  // Atoms are stored per split; the flat form has one (possibly empty) entry per node, in node
  // order.
  void write_atoms(const FinishedTree& tree, std::size_t t) {
    std::size_t split = 0, i = ints_[t], w = weights_[t];
    for (std::size_t node = 0; node < tree.size(); ++node) {
      AtomKind kind{};
      if (!tree.is_leaf(node)) {
        const Atom atom = tree.atom(split++);
        kind = atom.kind;
        append(atom.ints, out_.atom_ints.data(), i);
        append(atom.weights, out_.atom_weights.data(), w);
      }
      write_atom_ends(nodes_[t] + node, kind, i, w);
    }
  }

  // The same of single features, without branches.
  void write_features(const FinishedTree& tree, std::size_t t) {
    const Atom one = tree.atom(0);
    std::size_t i = ints_[t], w = weights_[t];
    std::copy(tree.features.begin(), tree.features.end(), out_.atom_ints.data() + i);
    std::fill_n(out_.atom_weights.data() + w, tree.features.size(), one.weights[0]);
    for (std::size_t node = 0; node < tree.size(); ++node) {
      const bool is_leaf = tree.is_leaf(node);
      i += is_leaf ? 0 : 1;
      w += is_leaf ? 0 : 1;
      write_atom_ends(nodes_[t] + node, is_leaf ? AtomKind{} : one.kind, i, w);
    }
  }

  void write_atom_ends(std::size_t at, AtomKind kind, std::size_t i, std::size_t w) {
    out_.atom_kind[at] = static_cast<std::uint8_t>(kind);
    out_.atom_offsets[at + 1] = static_cast<std::int64_t>(i);
    if (!same_offsets_) out_.weight_offsets[at + 1] = static_cast<std::int64_t>(w);
  }

  template <class V>
  static void append(std::span<const V> numbers, V* out, std::size_t& n) {
    if (numbers.size() == 1)  // most atoms: no call
      out[n] = numbers[0];
    else
      std::copy(numbers.begin(), numbers.end(), out + n);
    n += numbers.size();
  }

  // Called before the tree is freed, so that some of it is returned later.
  void freed(std::size_t n_bytes) {
    if ((n_freed_ += n_bytes) < kMuch) return;
    n_freed_ = 0;
    return_freed_memory();
  }

  std::vector<FinishedTree>& trees_;
  FlatArrays& out_;
  const std::vector<std::size_t> nodes_, values_, ints_, weights_, rows_, bags_;
  const bool same_offsets_;              // every atom is one feature and its weight
  std::atomic<std::size_t> n_freed_{0};  // bytes
};

// One member of all trees, one after the other.
template <class T, class Member>
FlatVector<T> join(const std::vector<FinishedTree>& trees, const Member& member) {
  FlatVector<T> out;
  for (const FinishedTree& tree : trees)
    out.insert(out.end(), member(tree).begin(), member(tree).end());
  return out;
}

// The paths of all trees one after the other.
void join_pruning_paths(const std::vector<FinishedTree>& trees, FlatArrays& out) {
  const auto alphas = [](const auto& t) -> auto& { return t.pruning_path.alphas; };
  const auto ends = offsets(trees, [&](const auto& t) { return alphas(t).size(); });
  out.path_offsets.assign(ends.begin(), ends.end());
  out.path_alphas = join<double>(trees, alphas);
  out.path_impurities =
      join<double>(trees, [](const auto& t) -> auto& { return t.pruning_path.impurities; });
}

}  // namespace

FlatArrays flatten(std::vector<FinishedTree> trees, const BlockLoop& loop) {
  FlatArrays out;
  if (!trees.empty()) out.rotation_size = trees[0].rotation.dims.size();
  out.rotation_dims =
      join<std::int32_t>(trees, [](const auto& t) -> auto& { return t.rotation.dims; });
  out.rotations = join<float>(trees, [](const auto& t) -> auto& { return t.rotation.matrix; });
  join_pruning_paths(trees, out);
  Joiner joiner(trees, out);
  joiner.make_room();
  joiner.join(loop);
  return out;
}

}  // namespace mf::train
