// The search by distances: exact, from nothing but the squared distances between responses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "split/distance_block.hpp"
#include "split/finder.hpp"
#include "split/order.hpp"

namespace mf::train {

// When rows go from right to left in the order of a column, the sum over pairs on the left grows
// with each row by its distances to the rows before it [DRF section 2]. These sums are made for all
// columns of a node together: a row of distances is gathered once and added up for every order,
// in vectors and without a branch. Where there is a search by coordinates too, `points`, large
// nodes use that.
class DistanceFinder final : public SplitFinder {
 public:
  DistanceFinder(const Target& target, const SplitRules& rules, SplitterKind splitter,
                 std::unique_ptr<SplitFinder> points);

  void start_node(const NodeSample& node) override;
  bool pure() const override { return by_points_ ? points_->pure() : pure_; }
  double node_loss() const override;
  void start_column(const Column& column) override;
  void anticipate() override;
  std::optional<Split> decide(double gain_to_beat, Rng& rng) override;

  bool searches_together() const override { return !by_points_; }
  bool full() const override { return n_kept_ + 2 > kMaxKept; }
  void keep(std::size_t candidate, const Column& column, Rng& rng) override;
  std::optional<Split> find_kept(double gain_to_beat) override;

 private:
  // The rows of the node in the order of a column. Missing ones are first or last.
  struct Order {
    std::size_t candidate = 0;
    KeyRange range;
    bool missing_left = false;
    Key one = 0;                      // the threshold of splitter "random"
    std::vector<std::uint32_t> rows;  // positions in the node
    std::vector<Key> keys;            // in the same order
  };
  struct Best {
    double gain = 0.0;
    std::optional<Split> split;
  };

  static constexpr std::size_t kMaxKept =
      32;  // orders, of which a column with missing values has two

  void enter_blocks();
  bool all_equal() const;
  void keep_order(std::size_t candidate, const KeyRange& range, bool missing_left, Key one);
  void place_by_counting(Order& order) const;
  void place_sorted(Order& order);
  void sum_pairs();
  void sum_walking();
  void sum_by_ranks();
  void weigh_row(std::size_t i, const float* weight, float* to) const;
  void scan(const Order& order, const double* lower, Best& best);
  bool is_better(std::size_t n_left, const Best& best) const;
  void consider(const Order& order, std::size_t n_left, Best& best) const;

  const Target& target_;
  SplitRules rules_;
  SplitterKind splitter_;
  std::unique_ptr<SplitFinder> points_;

  const NodeSample* node_ = nullptr;
  bool by_points_ = false;
  bool pure_ = false;
  std::int64_t min_child_ = 1;

  // Blocks of a subtree and of a much smaller subtree inside it: little of a row of distances is
  // then skipped.
  DistanceBlock large_, small_;
  Distances distances_;                // between the rows of the node, among others
  bool is_block_ = false;              // they are exactly those of the node, in its order
  std::vector<std::int32_t> columns_;  // of the rows of the node in the distances
  std::vector<float> weight_, own_weight_;
  std::size_t padded_ = 0;  // rows of the node, rounded up to whole vectors

  Column column_;
  std::vector<Key> widened_;
  std::span<const Key> keys_;
  KeyOrder order_;
  std::vector<Order> kept_;  // the first n_kept_ of them
  std::size_t n_kept_ = 0;
  std::vector<std::int32_t> positions_;
  std::vector<float> tile_;
  std::vector<double> lower_;     // per order and row: distances to the rows before it
  std::vector<double> row_sums_;  // distances to all rows of the node
  double node_loss_ = 0.0;        // sum over pairs / (2 W)

  // After the first k rows of an order have gone left.
  std::vector<double> left_pairs_, right_pairs_, left_weight_, loss_;
  std::vector<std::int64_t> left_count_;
};

}  // namespace mf::train
