// A boundary forest: trees that differ by their roots, over one table of stored points.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "boundary/points.hpp"
#include "boundary/tree.hpp"
#include "threads/fair_mutex.hpp"

namespace mf::boundary {

enum class Task : std::uint8_t { retrieve, classify, regress };

struct Options {
  Task task = Task::classify;
  std::size_t n_trees = 50;
  std::size_t max_children = 50;
  std::size_t n_outputs = 0;  // regression
  double tolerance = 0.0;     // regression: labels this close are alike
  std::uint64_t seed = 0;
};

// Examples to learn, in order of arrival. What a task does not need is null.
struct Batch {
  std::size_t n = 0;
  const std::uint8_t* rows = nullptr;  // one after the other
  const std::int32_t* classes = nullptr;
  const double* values = nullptr;     // n × n_outputs
  const std::int64_t* ids = nullptr;  // null: the numbers of their arrival
};

// No point has this id.
struct UnknownId : std::invalid_argument {
  explicit UnknownId(std::int64_t id)
      : std::invalid_argument("no point has the id " + std::to_string(id)) {}
};

// Which points may be found.
struct PointFilter {
  std::vector<std::int64_t> ids;
  bool may_be_gone = false;  // ids of no point are left out, rather than an error
};

// What a forest is given to work with.
struct Tools {
  std::function<std::unique_ptr<MovableRuler>()> make_ruler;  // one per thread
  int n_threads = 1;
  std::function<void()> watch;  // throws when somebody wants to stop
  // Told of points that come and go, if somebody else keeps them. `drop` takes changes back and
  // must not throw; it may be called for a point that `keep` has refused.
  std::function<void(Slot slot, std::size_t row)> keep;
  std::function<void(Slot slot)> drop;

  // Points that somebody else keeps are measured one by one.
  bool measures_elsewhere() const { return static_cast<bool>(keep); }
};

// Where the walk of each query ends in each tree, queries × trees.
struct WalkEnds {
  std::size_t n_trees = 0;
  std::vector<Slot> slots;
  std::vector<double> ranks;
};

// Nearest points of each query, nearest first, queries × k.
struct NearestPoints {
  std::size_t k = 0;
  std::vector<Slot> slots;
  std::vector<double> ranks;
};

// A forest as it is stored: points in order of arrival, their slots counted in that order.
struct Record {
  std::vector<std::int64_t> ids, arrivals;
  std::vector<std::int32_t> classes;
  std::vector<double> values;
  std::vector<std::int64_t> tree_offsets{0};  // into the nodes of all trees, preorder
  std::vector<std::int32_t> node_slot, node_children;
  std::vector<std::int32_t> starts;  // while there are fewer than n_trees
  bool starting = true;
  std::int64_t n_seen = 0;
};

class Forest {
 public:
  Forest(const Options& options, std::size_t row_bytes)
      : options_(options), points_(row_bytes, options.task == Task::retrieve) {}

  // Changes happen as a whole: if anything throws, the forest is as it was before.

  // Learns examples one by one.
  void learn(const Batch& batch, const Tools& tools);

  // Learns the same examples in several passes, all but the first in random order.
  struct Passes {
    std::size_t n = 0;
    bool settled = false;  // the last one added nothing
  };
  Passes learn_in_passes(const Batch& batch, std::size_t max_passes, const Tools& tools);

  // Retrieval: takes stored points, all different, out of all trees. The rows of these tools are
  // the stored points, counted by their slots.
  void remove(std::span<const std::int64_t> ids, const Tools& tools);

  // Retrieval: the same, and learns other points under the same ids. No query sees the forest in
  // between.
  void replace(const Batch& batch, const Tools& stored, const Tools& tools);

  // `read` is called with the ends before anything can change.
  void walk(std::size_t n_queries, const Tools& tools,
            const std::function<void(const WalkEnds&)>& read) const;

  // The nearest of the points that the walks of a query measured; of all, where these are too few.
  // If `among` is not null, only of the points there; throws UnknownId.
  void nearest(std::size_t n_queries, std::size_t k, const PointFilter* among, const Tools& tools,
               const std::function<void(const NearestPoints&)>& read) const;

  // Throws UnknownId.
  std::vector<Slot> slots_of(std::span<const std::int64_t> ids) const;
  std::vector<Slot> slots_of(const PointFilter& filter) const;

  const Options& options() const { return options_; }
  const Points& points() const { return points_; }
  const std::vector<Tree>& trees() const { return grown_.trees; }
  std::int32_t class_of(Slot slot) const { return classes_[slot]; }
  const double* values_of(Slot slot) const { return &values_[slot * options_.n_outputs]; }
  std::int64_t n_seen() const { return n_seen_; }
  std::size_t bytes() const;

  // Whoever reads without calling a method above holds this.
  FairMutex::Guard reading(const FairMutex::Watch& watch) const { return mutex_.read(watch); }
  // Throws CalledFromInside in a thread that reads or writes.
  void refuse_from_inside() const { mutex_.refuse_from_inside(); }

  Record record() const;
  // The forest must be new. Throws std::invalid_argument if the record does not hold together.
  void restore(Record record, std::uint8_t* rows, const Tools& tools);

  // The order in which a tree learns the others of the first m examples.
  static std::vector<std::size_t> start_order(std::uint64_t seed, std::size_t tree, std::size_t m);
  static std::vector<std::size_t> pass_order(std::uint64_t seed, std::size_t pass, std::size_t n);

 private:
  friend class Change;

  // All trees. While there are fewer than n_trees examples, every one of them is a root.
  struct Trees {
    std::vector<Tree> trees;
    bool starting = true;
    std::vector<Slot> starts;                      // these first examples
    std::vector<std::vector<double>> start_ranks;  // of each as seen from each, or of the first few
  };

  bool alike(Slot a, Slot b) const;
  // Of ids that must be all different.
  std::vector<Slot> different_slots_of(std::span<const std::int64_t> ids) const;
  Slot store(const Batch& batch, std::size_t row, std::int64_t arrival);
  Trees start_trees(std::vector<Slot> starts, std::vector<std::vector<double>> ranks,
                    const Tools& tools) const;
  void complete_ranks(std::span<const Slot> starts, std::vector<std::vector<double>>& ranks,
                      const Tools& tools) const;
  std::uint64_t removal_seed(std::size_t tree, Slot first) const;
  Tree new_tree() const { return {options_.max_children, options_.task == Task::retrieve}; }

  Options options_;
  Points points_;
  std::vector<std::int32_t> classes_;  // per slot
  std::vector<double> values_;         // per slot × n_outputs
  Trees grown_;
  std::int64_t n_seen_ = 0;
  FairMutex mutex_;  // reading, or writing for a few examples
  // One writer at a time, from its first example to its last. In between the forest is whole.
  FairMutex writers_{FairMutex::AfterFork::free};
};

}  // namespace mf::boundary
