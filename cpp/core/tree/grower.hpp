// The grower: one tree from its in-bag sample.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "projections/sampler.hpp"
#include "split/finder.hpp"
#include "split/project.hpp"
#include "threads/parallel.hpp"
#include "tree/bag.hpp"
#include "tree/leaf_summary.hpp"
#include "tree/options.hpp"
#include "tree/tree.hpp"

namespace mf {

// What all trees of a forest share.
struct GrowInputs {
  const GrowOptions& options;
  const Response& response;
  const RowWeights& rows;
  const Sampler& sampler;
  const std::atomic<bool>& stop;
};

// Holds a worker's scratch; grow() may be called for any tree in any order.
class Grower {
 public:
  Grower(const GrowInputs& inputs, std::unique_ptr<Projector> projector);

  Tree grow(int tree_index);

 private:
  // A node on its way: a slice of the rows, then perhaps a split.
  struct Node {
    std::int32_t index = 0;
    std::size_t begin = 0, end = 0;  // slice of order_
    int depth = 0;
    std::uint64_t seed = 0;
    std::optional<Split> split;
    std::size_t candidate = 0;     // that is split, among those drawn last
    std::optional<AtomList> kept;  // the same, when others are drawn before the node is split
    bool saw_missing = false;

    std::size_t size() const { return end - begin; }
  };

  std::span<const Row> rows_of(const Node& node) const {
    return std::span<const Row>(order_).subspan(node.begin, node.size());
  }
  void start_tree(int tree_index);
  void weigh_rows(const std::vector<std::int32_t>& counts);
  void grow_depth_first(Node root);
  void grow_best_first(Node root);
  void enter_block(const Node& node);
  void open(Node& node);
  void summarise_node(std::size_t node, std::span<const Row> rows);
  bool may_split(const Node& node) const;
  void search(Node& node);
  bool try_candidates(Node& node, bool first_only, Rng& rng);
  std::pair<Node, Node> split(const Node& node, const Atom& atom);
  void send_unseen_missing();

  void estimate_leaves();
  void fill_empty_leaves();
  void record_samples();
  void place_rows(std::int32_t leaf, std::span<const Row> rows);

  const GrowInputs inputs_;
  std::unique_ptr<Projector> projector_;
  std::unique_ptr<SplitFinder> finder_;
  std::unique_ptr<LeafSummary> summary_;

  Tree tree_;
  Bag bag_;
  std::vector<Row> order_;                      // rows of the tree; a node is a slice
  std::vector<std::int32_t> leaf_of_row_;       // where each row has come to rest
  std::vector<Row> spill_;                      // scratch of a partition
  std::vector<std::int32_t> saw_none_missing_;  // nodes split where nothing was missing
  RowSamples samples_;
  std::size_t block_begin_ = 0, block_end_ = 0;  // slice of order_ that the projector copied
  double root_weight_ = 0.0;
  std::uint64_t root_seed_ = 0;

  NodeSample sample_;
  AtomList candidates_;
};

}  // namespace mf
