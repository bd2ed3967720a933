// The grower: one tree from its in-bag sample.
#pragma once

#include <memory>
#include <vector>

#include "train/growing_tree.hpp"
#include "train/worker.hpp"

namespace mf::train {

// Belongs to one worker; idle workers may take subtrees from it.
class Grower {
 public:
  explicit Grower(Worker& worker) : worker_(worker), inputs_(worker.inputs) {}

  Tree grow(int tree_index);

 private:
  void start_tree(int tree_index);
  void make_room();
  void weigh_rows(const std::vector<std::int32_t>& counts);
  double impurity_of_bag();
  void grow_structure(int tree_index);
  void summarise_inner_nodes();
  void send_unseen_missing();
  void estimate_leaves();
  void fill_empty_leaves();
  void record_samples();
  void place_grown_rows();

  Worker& worker_;
  const GrowInputs& inputs_;
  Bag bag_;
  std::shared_ptr<GrowingTree> growing_;
  std::size_t last_size_ = 0;  // nodes of the tree before
  AtomList::Size last_atoms_;
};

}  // namespace mf::train
