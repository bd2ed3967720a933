// The grower: one tree from its in-bag sample.
#pragma once

#include <memory>
#include <vector>

#include "train/finished_tree.hpp"
#include "train/growing_tree.hpp"
#include "train/worker.hpp"

namespace mf::train {

// What growing has taken for arrays of all rows and for nodes. New pages take time: boosting, which
// grows one tree at a time, uses them again in every round.
struct GrowMemory {
  Bag bag;
  std::shared_ptr<GrowingTree> tree;
};

// Belongs to one worker; idle workers may take subtrees from it.
class Grower {
 public:
  // `memory` is what growers of this or former calls have left, and is left for others.
  Grower(Worker& worker, GrowMemory& memory)
      : worker_(worker), inputs_(worker.inputs), bag_(memory.bag), growing_(memory.tree) {}

  FinishedTree grow(int tree_index);

  // That idle workers help with, after a tree.
  BlockLoop loop() const;

 private:
  bool has_many_nodes() const { return last_size_ >= inputs_.rows.n_rows / 2; }  // for its rows
  Memory memory_after(int tree_index) const;
  void start_tree(int tree_index);
  void make_room();
  bool weights_are_counts(const PageVector<std::int32_t>& counts) const;
  double weight_of_bag();
  void weigh_rows(PageVector<std::int32_t> given);
  void fill_weights();
  double impurity_of_bag();
  void grow_structure(int tree_index);
  void summarise_inner_nodes();
  void send_unseen_missing();
  void estimate_leaves();
  void fill_empty_leaves();
  void place_all_rows(FinishedTree& finished, Memory of_tree);
  void place_grown_rows(Memory of_tree);

  Worker& worker_;
  const GrowInputs& inputs_;
  Bag& bag_;
  std::shared_ptr<GrowingTree>& growing_;
  std::size_t last_size_ = 0;  // nodes of the tree before
  AtomList::Size last_atoms_;
};

}  // namespace mf::train
