#include "predict/leaf_sets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "atoms/kind.hpp"
#include "predict/forms/form.hpp"

namespace mf::predict {
namespace {

// Columns of a group of rows: more of them would leave the second-level cache.
constexpr std::size_t kMaxColumns = 4096;
// Columns of all rows of a batch, if there may be as few rows.
constexpr std::size_t kColumnBytes = std::size_t{1} << 18;
constexpr std::size_t kMinRows = 64, kMaxRows = 1024;
constexpr std::size_t kTreesAtOnce = 8;
// Fewer rows than these are walked, in forests of many different sums and in others.
constexpr std::size_t kWalkedRowsOfSums = 48, kWalkedRows = 16;

}  // namespace

// What making a forest needs.
class LeafSetForest::Packing {
 public:
  Packing(const FlatForest& forest, const Geometry& geometry, bool integers, LeafSetForest& out)
      : forest_(forest), geometry_(geometry), integers_(integers), out_(out) {}

  bool pack() {
    if (!leaves_fit() || !find_features()) return false;
    for (std::size_t t = 0; t < forest_.n_trees(); ++t) {
      root_ = static_cast<std::size_t>(forest_.tree_offsets[t]);
      out_.first_split_.push_back(static_cast<std::uint32_t>(out_.splits_.size()));
      out_.node_of_leaf_.resize((t + 1) * kMaxLeaves, 0);
      n_leaves_ = 0;
      leaves_below(0, out_.node_of_leaf_.data() + t * kMaxLeaves);
      if (out_.n_columns() > kMaxColumns) return false;
    }
    out_.first_split_.push_back(static_cast<std::uint32_t>(out_.splits_.size()));
    return true;
  }

 private:
  // Trees have at most kMaxLeaves leaves, so that recursion is not deep, and there is one.
  bool leaves_fit() const {
    for (std::size_t t = 0; t < forest_.n_trees(); ++t)
      if (forest_.tree_offsets[t + 1] - forest_.tree_offsets[t] >=
          2 * static_cast<std::int64_t>(kMaxLeaves))
        return false;
    return forest_.n_trees() > 0;
  }

  // Columns of all features that atoms read; false if an atom is no sum of features.
  bool find_features() {
    for (std::size_t i = 0; i < forest_.n_nodes(); ++i) {
      if (forest_.is_leaf(i)) continue;
      compile(forest_.atom(i), geometry_, atom_);
      if (!fits()) return false;
      for (const Term& term : atom_.terms) {
        const auto column = static_cast<std::uint32_t>(out_.features_.size());
        if (column_of_feature_.try_emplace(term.column, column).second)
          out_.features_.push_back(term.column);
      }
      if (out_.n_columns() > kMaxColumns) return false;
    }
    return true;
  }

  bool fits() const {
    if (atom_.table.kind != TableId::Kind::raw || atom_.reduction != Reduction::sum) return false;
    if (atom_.terms.empty()) return false;
    // Whole numbers are compared as they are, so they must all be floats.
    double bound = 0.0;
    for (const Term& term : atom_.terms)
      bound += std::abs(static_cast<double>(term.weight)) * 255.0;
    return !integers_ || !atom_.whole || bound <= 16777216.0;
  }

  // Adds the splits of a subtree, numbers its leaves, and returns them as bits.
  std::uint32_t leaves_below(std::int32_t node, std::int32_t* node_of_leaf) {
    const std::size_t i = root_ + static_cast<std::size_t>(node);
    if (forest_.is_leaf(i)) {
      node_of_leaf[n_leaves_] = node;
      return std::uint32_t{1} << n_leaves_++;
    }
    const std::size_t at = out_.splits_.size();
    out_.splits_.emplace_back();
    compile(forest_.atom(i), geometry_, atom_);
    LeafSetSplit split;
    split.column = column();
    split.threshold = float_threshold(forest_.threshold[i]);
    split.missing_right = forest_.missing_left[i] != 0 ? 0 : ~std::uint32_t{0};
    split.left_leaves = leaves_below(forest_.left[i], node_of_leaf);
    out_.splits_[at] = split;
    return split.left_leaves | leaves_below(forest_.left[i] + 1, node_of_leaf);
  }

  // Of the compiled atom.
  std::uint32_t column() {
    for (Term& term : atom_.terms)
      term.column = static_cast<std::int32_t>(column_of_feature_.at(term.column));
    if (atom_.is_one_column()) return static_cast<std::uint32_t>(atom_.terms[0].column);
    const std::string key(reinterpret_cast<const char*>(atom_.terms.data()),
                          atom_.terms.size() * sizeof(Term));
    const auto [place, is_new] =
        column_of_sum_.try_emplace(key, static_cast<std::uint32_t>(out_.n_columns()));
    if (is_new) {
      out_.sums_.push_back({out_.terms_.size(), atom_.terms.size()});
      out_.terms_.insert(out_.terms_.end(), atom_.terms.begin(), atom_.terms.end());
    }
    return place->second;
  }

  const FlatForest& forest_;
  const Geometry& geometry_;
  const bool integers_;
  LeafSetForest& out_;
  CompiledAtom atom_;
  std::unordered_map<std::int32_t, std::uint32_t> column_of_feature_;
  std::unordered_map<std::string, std::uint32_t> column_of_sum_;  // by the bytes of its terms
  std::size_t root_ = 0;                                          // of the tree
  std::uint32_t n_leaves_ = 0;                                    // of the tree so far
};

std::unique_ptr<const LeafSetForest> LeafSetForest::make(const FlatForest& forest,
                                                         const Geometry& geometry, bool integers) {
  auto made = std::make_unique<LeafSetForest>();
  if (!Packing(forest, geometry, integers, *made).pack()) return nullptr;
  return made;
}

template <class T>
bool LeafSetForest::fill_columns(const Matrix<T>& X, std::size_t begin, std::size_t n,
                                 float* columns) const {
  std::array<const T*, kRowsTogether> rows;
  for (std::size_t r = 0; r < kRowsTogether; ++r) rows[r] = X.row(begin + std::min(r, n - 1));
  std::uint32_t missing = 0;
  float* column = columns;
  for (const std::int32_t feature : features_) {
    for (std::size_t r = 0; r < kRowsTogether; ++r) {
      column[r] = static_cast<float>(rows[r][feature]);
      if constexpr (std::is_same_v<T, float>) missing |= column[r] != column[r] ? 1U : 0U;
    }
    column += kRowsTogether;
  }
  for (const Sum& sum : sums_) {
    kernels().sum_columns(columns, terms_.data() + sum.first_term, sum.n_terms, column);
    // Infinite values may cancel.
    if constexpr (std::is_same_v<T, float>)
      for (std::size_t r = 0; r < kRowsTogether; ++r) missing |= column[r] != column[r] ? 1U : 0U;
    column += kRowsTogether;
  }
  return missing != 0;
}

void LeafSetForest::find_leaves(const float* columns, bool missing, std::size_t first_tree,
                                std::size_t n_trees, std::size_t n_rows, std::int32_t* out) const {
  std::array<std::uint8_t, kTreesAtOnce * kRowsTogether> leaves;
  const auto find = missing ? kernels().find_leaves : kernels().find_leaves_of_complete;
  for (std::size_t begin = 0; begin < n_trees; begin += kTreesAtOnce) {
    const std::size_t size = std::min(kTreesAtOnce, n_trees - begin);
    find(columns, splits_.data(), first_split_.data() + first_tree + begin, size, leaves.data());
    for (std::size_t t = 0; t < size; ++t) {
      const std::int32_t* node = node_of_leaf_.data() + (first_tree + begin + t) * kMaxLeaves;
      for (std::size_t r = 0; r < n_rows; ++r)
        out[r * n_trees + begin + t] = node[leaves[t * kRowsTogether + r]];
    }
  }
}

namespace {

template <class T>
class LeafSetWalk final : public Walk<T> {
 public:
  LeafSetWalk(const LeafSetForest& forest, std::size_t n_rows)
      : forest_(forest), columns_((n_rows + kRowsTogether - 1) / kRowsTogether * group_size()) {}

  void load(const Matrix<T>& X, std::size_t begin, std::size_t n) override {
    n_rows_ = n;
    missing_.clear();
    for (std::size_t i = 0; i < n; i += kRowsTogether)
      missing_.push_back(forest_.fill_columns(X, begin + i, std::min(kRowsTogether, n - i),
                                              columns_.data() + i / kRowsTogether * group_size()));
  }
  void leaves(std::size_t first, std::size_t n, std::int32_t* out) override {
    for (std::size_t i = 0; i < n_rows_; i += kRowsTogether)
      forest_.find_leaves(columns_.data() + i / kRowsTogether * group_size(),
                          missing_[i / kRowsTogether], first, n,
                          std::min(kRowsTogether, n_rows_ - i), out + i * n);
  }

 private:
  std::size_t group_size() const { return forest_.n_columns() * kRowsTogether; }

  const LeafSetForest& forest_;
  std::size_t n_rows_ = 0;
  std::vector<float> columns_;  // of each group of rows
  std::vector<bool> missing_;   // whether a value of the group is
};

template <class T>
class SmallTrees final : public WalkableForest<T> {
 public:
  SmallTrees(std::unique_ptr<WalkableForest<T>> packed, std::unique_ptr<const LeafSetForest> sets)
      : packed_(std::move(packed)), sets_(std::move(sets)) {}

  std::size_t rows_at_once() const override {
    const std::size_t bytes = std::max<std::size_t>(1, sets_->n_columns()) * sizeof(float);
    return std::clamp(kColumnBytes / bytes / kRowsTogether * kRowsTogether, kMinRows, kMaxRows);
  }
  std::size_t trees_at_once() const override { return std::min(kTreesAtOnce, sets_->n_trees()); }
  std::unique_ptr<Walk<T>> walk(std::size_t n_rows) const override {
    if (n_rows < fewest_rows()) return packed_->walk(n_rows);
    return std::make_unique<LeafSetWalk<T>>(*sets_, n_rows);
  }

 private:
  // A sum costs several times as much as a comparison.
  std::size_t fewest_rows() const {
    return sets_->n_sums() * 8 > sets_->n_splits() ? kWalkedRowsOfSums : kWalkedRows;
  }

  std::unique_ptr<WalkableForest<T>> packed_;
  std::unique_ptr<const LeafSetForest> sets_;
};

}  // namespace

template <class T>
std::unique_ptr<WalkableForest<T>> with_leaf_sets(std::unique_ptr<WalkableForest<T>> packed,
                                                  std::unique_ptr<const LeafSetForest> sets) {
  if (!sets) return packed;
  return std::make_unique<SmallTrees<T>>(std::move(packed), std::move(sets));
}

template std::unique_ptr<WalkableForest<std::uint8_t>> with_leaf_sets(
    std::unique_ptr<WalkableForest<std::uint8_t>>, std::unique_ptr<const LeafSetForest>);
template std::unique_ptr<WalkableForest<float>> with_leaf_sets(
    std::unique_ptr<WalkableForest<float>>, std::unique_ptr<const LeafSetForest>);

}  // namespace mf::predict
