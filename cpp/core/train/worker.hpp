// What a worker needs for any tree: the inputs that all share, and scratch of its own.
#pragma once

#include <array>
#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/page_vector.hpp"
#include "base/work_sharing.hpp"
#include "objectives/leaf_summary.hpp"
#include "samplers/sampler.hpp"
#include "split/code_search.hpp"
#include "split/finder.hpp"
#include "split/project.hpp"
#include "train/bag.hpp"
#include "train/block_rows.hpp"
#include "train/options.hpp"
#include "train/partition.hpp"
#include "train/tree.hpp"

namespace mf::train {

struct Worker;

// What all trees of a call share.
struct GrowInputs {
  const GrowOptions& options;
  const Target& target;
  const RowWeights& rows;
  const Sampler& sampler;
  const std::atomic<bool>& stop;
  JobQueue<Worker>& jobs;
  int n_workers;
  const CodeRows* codes;  // null if large nodes are not searched by codes
  bool floats;            // the examples are no bytes
};

// Trees of so few levels, as those of boosting, have few nodes: growing one takes about as long as
// new memory for its rows.
constexpr int kFewLevels = 12;

struct Worker {
  Worker(const GrowInputs& shared_inputs, int own_number, Projector& own_projector,
         Spill& own_spill)
      : inputs(shared_inputs),
        number(own_number),
        projector(&own_projector),
        finder(inputs.options.objective->finder(
            inputs.target, {inputs.options.min_samples_leaf, inputs.options.min_balance},
            inputs.options.splitter)),
        code_search(inputs.codes == nullptr
                        ? nullptr
                        : inputs.options.objective->code_search(
                              inputs.target,
                              {inputs.options.min_samples_leaf, inputs.options.min_balance},
                              inputs.options.splitter)),
        few(inputs.floats && inputs.sampler.only_features()
                ? inputs.options.objective->few_nodes(
                      inputs.target, {inputs.options.min_samples_leaf, inputs.options.min_balance},
                      inputs.options.splitter)
                : nullptr),
        summary(inputs.options.objective->leaf(inputs.target)),
        spill(own_spill) {
    projector->give_ranks(finder->takes_ranks());
    const bool draws = inputs.options.splitter == SplitterKind::random;
    projector->expect_few(inputs.sampler.only_features() && (draws || finder->takes_ranks()));
    spill.lasts = inputs.options.max_depth >= 0 && inputs.options.max_depth <= kFewLevels;
    draw.with_thresholds = draws && inputs.floats && inputs.sampler.only_features();
  }

  // Fills in the weight and the value of a node; `sample` is then that of the node.
  void summarise(std::span<const Row> rows, const RowSamples& samples, Tree& tree,
                 std::size_t node) {
    sample.gather(inputs.target, rows, samples);
    tree.weight[node] = sample.total_weight;
    summary->summarise(sample, &tree.value[node * summary->value_width()]);
  }

  const GrowInputs inputs;
  const int number;  // below inputs.n_workers, the same for a thread in every call
  Projector* const projector;
  const std::unique_ptr<SplitFinder> finder;
  const std::unique_ptr<CodeSearch> code_search;  // may be null
  const std::unique_ptr<FewNodes> few;            // may be null
  const std::unique_ptr<LeafSummary> summary;
  NodeSample sample;
  AtomList candidates;
  // That of the best split of the node that was searched last, if the projector keeps it.
  std::optional<Column> best_column;
  CodeSums candidate_sums;
  std::vector<std::uint32_t> candidate_features;
  DrawContext draw{Rng(0)};  // of candidates; the memory that it has taken is used again
  Spill& spill;              // of a partition
  // Of the blocks that the worker is in, if their nodes are given as places; by BlockSize.
  std::array<BlockRows, std::size(kBlockSizes)> block_rows;
  std::vector<Row> rows_of_block;  // to be copied
};

}  // namespace mf::train
