// The trainer: all that is prepared once, for any number of forests on the same examples.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "atoms/geometry.hpp"
#include "base/block_loop.hpp"
#include "base/fair_mutex.hpp"
#include "base/thread_pool.hpp"
#include "data/code_rows.hpp"
#include "data/dataset.hpp"
#include "data/table.hpp"
#include "samplers/sampler.hpp"
#include "split/project.hpp"
#include "train/bag.hpp"
#include "train/finished_tree.hpp"
#include "train/grower.hpp"
#include "train/options.hpp"

namespace mf::train {

// Called from the calling thread, about every 50 ms and at the end, with the number of finished
// trees; an exception stops the growth.
using Progress = std::function<void(int done, int total)>;

// Called by the worker that has grown a tree, with a loop that idle workers help with.
using AfterTree = std::function<void(const FinishedTree& tree, const BlockLoop& loop)>;

class Trainer {
 public:
  // Copies what large nodes read: summed-area tables; columns of features when the first forest is
  // grown, as codes or as values, whichever its search prefers. X and the sampler must
  // outlive the trainer. Throws std::invalid_argument if the sampler is made for another geometry.
  template <class T>
  Trainer(const Matrix<T>& X, Geometry geometry, const Sampler& sampler, int n_threads);

  // Grows trees; the same for any number of threads, and whatever was grown before. Callers wait
  // for one another; `progress` that calls this again gets an error, as it would wait for itself.
  std::vector<FinishedTree> grow(const Target& target, const RowWeights& rows,
                                 const GrowOptions& options, const Progress& progress,
                                 const AfterTree& after_tree = {});

  // Frees columns, codes, blocks and all other memory of workers, which the next call of grow()
  // would have to make again.
  void forget_columns();

  // From the next call of grow() on there are codes of all columns, made once, and objectives that
  // can search by codes do.
  void search_codes();

  Trainer(const Trainer&) = delete;  // projectors point into it
  Trainer& operator=(const Trainer&) = delete;

  std::size_t n_rows() const { return n_rows_; }
  int n_threads() const { return n_threads_; }
  const Sampler& sampler() const { return sampler_; }

 private:
  int count_workers(const GrowOptions& options) const;
  ColumnsAs best_columns(const GrowOptions& options) const;
  void prepare_columns(const GrowOptions& options, const Progress& progress);
  void keep_best_columns(const GrowOptions& options, const InterruptFunction& check_interrupt);
  FairMutex::Guard wait_for_others() const;

  const Geometry geometry_;
  const Sampler& sampler_;
  const int n_threads_;
  const std::size_t n_rows_;
  bool has_floats_ = false;
  std::function<std::unique_ptr<Projector>()> new_projector_;              // owns the data
  std::function<void(ColumnsAs, const InterruptFunction&)> keep_columns_;  // changes the data
  ColumnsAs kept_ = ColumnsAs::none;
  std::function<std::unique_ptr<const CodeRows>(const InterruptFunction&)> new_codes_;
  bool searches_codes_ = false;
  FairMutex growing_;  // of what follows
  ThreadPool threads_;
  // One for each worker, with the memory that it has taken for blocks.
  std::vector<std::unique_ptr<Projector>> projectors_;
  std::vector<std::unique_ptr<Spill>> spills_;  // the same
  // One for each worker that grows a tree, whichever it is: rounds of boosting use the first.
  std::vector<std::unique_ptr<GrowMemory>> memories_;
  std::unique_ptr<const CodeRows> codes_;  // null unless they were asked for
};

}  // namespace mf::train
