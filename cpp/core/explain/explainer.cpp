#include "explain/explainer.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel.hpp"
#include "explain/kernels/kernels.hpp"
#include "explain/levels.hpp"
#include "explain/share_out.hpp"
#include "predict/general_forest.hpp"
#include "predict/row_tables.hpp"

namespace mf::explain {
namespace {

// Trees that would take more than this for kLanes rows at a time are walked row by row.
constexpr std::size_t kMostBytes = std::size_t{1} << 26;
// Beyond this they are refused.
constexpr std::size_t kMostBytesOfRow = std::size_t{1} << 32;
// Rows fewer than this are walked one by one, as unused lanes take time, too.
constexpr std::size_t kFewRows = 3;

}  // namespace

// What one thread needs to explain up to kLanes rows at a time.
template <class T>
class Explainer::Batch {
 public:
  Batch(const Explainer& explainer, const predict::GeneralForest& general)
      : e_(explainer),
        general_(general),
        lanes_at_once_(e_.bytes_per_lane() * kLanes <= kMostBytes ? kLanes : 1),
        tables_(general.geometry, general.atoms.reads_grid(), kLanes, general.rotation_size) {}

  // Explains rows begin .. begin + n - 1; out is that of all rows, and was filled with 0.
  void explain(const Matrix<T>& X, std::size_t begin, std::size_t n, double* out,
               InterruptCheck& interrupts) {
    tables_.load(X, begin, n);
    rows_ = X.rows(begin, n);
    const std::size_t per_row = e_.geometry_.n_features * e_.forest_.value_width;
    out_ = out + begin * per_row;
    for (std::size_t t = 0; t < e_.trees_.size(); ++t) {
      explain_by_tree(t, interrupts);
      interrupts.poll();
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t f = 0; f < e_.geometry_.n_features; ++f) {
        double* const values = out_ + i * per_row + f * e_.forest_.value_width;
        for (std::size_t c = 0; c < e_.values_.n_columns(); ++c)
          values[e_.values_.place(c)] /= e_.scale();
        e_.values_.complete(values, 0.0);
      }
  }

 private:
  void explain_by_tree(std::size_t t, InterruptCheck& interrupts) {
    const PathTree& tree = e_.trees_[t];
    if (tree.steps.empty() || e_.values_.n_columns() == 0) return;
    if (general_.rotation_size > 0) tables_.start_tree(general_.rotations[t]);
    find_sides(t);
    const std::size_t n = rows_.n_rows;
    const std::size_t lanes = n < kFewRows ? 1 : lanes_at_once_;
    for (std::size_t first = 0; first < n; first += lanes) {
      walk(tree, first, lanes);
      share_out(t, first, std::min(lanes, n - first), lanes);
      if (lanes == 1) interrupts.poll();
    }
  }

  // Which rows go left at each split, a bit for each.
  void find_sides(std::size_t t) {
    const predict::GeneralNode* const nodes = general_.nodes.data() + general_.first_node[t];
    const Term* const terms = general_.atoms.of_tree(t);
    const auto n_nodes =
        static_cast<std::size_t>(e_.forest_.tree_offsets[t + 1] - e_.forest_.tree_offsets[t]);
    goes_left_.resize(n_nodes);
    for (std::size_t i = 0; i < n_nodes; ++i) {
      if (nodes[i].left == 0) continue;
      const predict::GeneralNode& node = nodes[i];
      unsigned bits = 0;
      for (std::size_t r = 0; r < rows_.n_rows; ++r) {
        const double value = node.atom.is_feature ? static_cast<double>(rows_.row(r)[node.atom.at])
                                                  : predict::value_at(node.atom, terms, tables_, r);
        const bool left = value != value ? node.missing_left : value <= node.threshold;
        bits |= (left ? 1U : 0U) << r;
      }
      goes_left_[i] = static_cast<std::uint8_t>(bits);
    }
  }

  // Rows from `first` on are lanes from 0 on.
  void walk(const PathTree& tree, std::size_t first, std::size_t lanes) {
    follows_.resize(tree.steps.size());
    for (std::size_t i = 0; i < tree.steps.size(); ++i) {
      const Step& step = tree.steps[i];
      const unsigned left =
          static_cast<unsigned>(goes_left_[static_cast<std::size_t>(step.split)]) >> first;
      const unsigned before =
          step.before < 0 ? 255U : follows_[static_cast<std::size_t>(step.before)];
      follows_[i] = static_cast<std::uint8_t>((step.to_right ? ~left : left) & before);
    }
    const Quadrature& points = e_.points_of(tree);
    const std::size_t size = points.n_points() * lanes;
    levels_.resize(tree, points.n_points(), lanes);
    scratch_.reserve(2 * padded(points.n_points()) + size);
    const std::size_t n_phi = tree.players.size() * e_.values_.n_columns() * lanes;
    phi_.reserve(n_phi);
    std::fill_n(phi_.data(), n_phi, 0.0);
    const PathWalk walk{
        &tree,          &points,        follows_.data(), levels_.products(), levels_.inverses(),
        levels_.sums(), levels_.open(), scratch_.data(), phi_.data()};
    if (lanes == 1)
      kernels().one_row(walk);
    else
      kernels().some_rows(walk);
  }

  void share_out(std::size_t t, std::size_t first, std::size_t n, std::size_t lanes) {
    const PathTree& tree = e_.trees_[t];
    const auto root = static_cast<std::size_t>(e_.forest_.tree_offsets[t]);
    const std::size_t n_columns = e_.values_.n_columns();
    if (general_.rotation_size > 0) rotation_ = e_.forest_.rotation(t);
    for (std::size_t p = 0; p < tree.players.size(); ++p) {
      const Player& player = tree.players[p];
      const double* const phi = phi_.data() + p * n_columns * lanes;
      if (player.feature < 0)
        shares_.load(e_.forest_.atom(root + static_cast<std::size_t>(player.split)), e_.geometry_,
                     rotation_);
      for (std::size_t r = 0; r < n; ++r) {
        find_gains(phi + r, lanes);
        if (gains_.empty()) continue;
        if (player.feature >= 0) {
          add(first + r, player.feature, 1.0);
          continue;
        }
        const std::vector<double>& shares = shares_.at(rows_.row(first + r));
        for (std::size_t k = 0; k < shares.size(); ++k)
          if (shares[k] > 0.0) add(first + r, shares_.features()[k], shares[k]);
      }
    }
  }

  // What a player gets, without zeros: most players have few classes below their splits.
  void find_gains(const double* phi, std::size_t lanes) {
    gains_.clear();
    for (std::size_t c = 0; c < e_.values_.n_columns(); ++c)
      if (const double gain = phi[c * lanes]; gain != 0.0)
        gains_.push_back({e_.values_.place(c), gain});
  }

  void add(std::size_t row, std::int32_t feature, double share) {
    double* const values =
        out_ + (row * e_.geometry_.n_features + static_cast<std::size_t>(feature)) *
                   e_.forest_.value_width;
    for (const Gain& gain : gains_) values[gain.place] += gain.value * share;
  }

  struct Gain {
    std::size_t place;
    double value;
  };

  const Explainer& e_;
  const predict::GeneralForest& general_;
  const std::size_t lanes_at_once_;
  predict::RotatingTables<T> tables_;
  Matrix<T> rows_;
  double* out_ = nullptr;                // of the first of them
  std::vector<std::uint8_t> goes_left_;  // of each node of a tree
  std::vector<std::uint8_t> follows_;    // of each step
  Levels levels_;
  AlignedNumbers scratch_;
  AlignedNumbers phi_;  // players × columns × lanes
  std::vector<Gain> gains_;
  Rotation rotation_;
  AtomShares shares_;
};

Explainer::Explainer(const FlatForest& forest, const Geometry& geometry, std::vector<int> n_classes,
                     predict::Aggregation aggregation, int n_threads,
                     const InterruptFunction& check_interrupt)
    : forest_(forest),
      geometry_(geometry),
      aggregation_(aggregation),
      values_(forest, std::move(n_classes), aggregation),
      trees_(forest.n_trees()) {
  parallel_for_with_state(
      trees_.size(), n_threads, [&] { return PathTreeBuilder(forest_, geometry_, values_); },
      [&](PathTreeBuilder& builder, std::size_t t) { trees_[t] = builder.build(t); },
      check_interrupt);
  for (const PathTree& tree : trees_) {
    const std::size_t n = n_points_for(tree.most_players);
    while (points_.size() <= n) points_.emplace_back(0);
    if (points_[n].n_points() != n) points_[n] = Quadrature(n);
  }
  if (bytes_per_lane() > kMostBytesOfRow)
    throw std::length_error(
        "the trees are too deep to be explained: their longest paths would take more than 4 GB");
}

const Quadrature& Explainer::points_of(const PathTree& tree) const {
  return points_[n_points_for(tree.most_players)];
}

std::size_t Explainer::bytes_per_lane() const {
  std::size_t most = 0;
  for (const PathTree& tree : trees_) {
    std::size_t n_arrays = 1 + 2 * tree.n_levels();
    for (const std::int32_t n : tree.most_columns) n_arrays += static_cast<std::size_t>(n);
    most = std::max(most, n_arrays * padded(points_of(tree).n_points()) * sizeof(double));
  }
  return most;
}

std::vector<double> Explainer::base_values() const {
  std::vector<double> base(forest_.value_width, 0.0);
  for (const PathTree& tree : trees_)
    for (std::size_t c = 0; c < values_.n_columns(); ++c)
      base[values_.place(c)] += tree.base[c] / scale();
  values_.complete(base.data(), 1.0);
  return base;
}

template <class T>
void Explainer::shap_values(const Matrix<T>& X, int n_threads, double* out,
                            const InterruptFunction& check_interrupt) const {
  std::fill_n(out, X.n_rows * geometry_.n_features * forest_.value_width, 0.0);
  const predict::GeneralForest general(forest_, geometry_);
  parallel_for_with_state(
      (X.n_rows + kLanes - 1) / kLanes, n_threads, [&] { return Batch<T>(*this, general); },
      [&](Batch<T>& batch, std::size_t b, InterruptCheck& interrupts) {
        const std::size_t begin = b * kLanes;
        batch.explain(X, begin, std::min(kLanes, X.n_rows - begin), out, interrupts);
      },
      check_interrupt);
}

template void Explainer::shap_values(const Matrix<std::uint8_t>&, int, double*,
                                     const InterruptFunction&) const;
template void Explainer::shap_values(const Matrix<float>&, int, double*,
                                     const InterruptFunction&) const;

}  // namespace mf::explain
