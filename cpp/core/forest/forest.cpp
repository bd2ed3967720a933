#include "forest/forest.hpp"

#include <algorithm>
#include <atomic>

#include "threads/parallel.hpp"

namespace mf::train {
namespace {

// One per tree, or more where trees have rows enough to be shared.
int count_workers(const GrowOptions& options, std::size_t n_rows) {
  const std::size_t per_tree = std::max<std::size_t>(1, n_rows / kMinGivenRows);
  const std::size_t useful = static_cast<std::size_t>(options.n_trees) * per_tree;
  return static_cast<int>(
      std::min(useful, static_cast<std::size_t>(std::max(1, options.n_threads))));
}

}  // namespace

template <class T>
std::vector<Tree> grow_forest(const Matrix<T>& X, const Response& response, const RowWeights& rows,
                              const Geometry& geometry, const Sampler& sampler,
                              const GrowOptions& options, const Progress& progress) {
  if (options.n_trees <= 0) return {};
  std::vector<std::size_t> largest_patch;
  for (std::size_t g = 0; g < geometry.grids.size(); ++g)
    largest_patch.push_back(sampler.largest_patch(static_cast<int>(g)));
  const Dataset<T> data(X, geometry.grids, sampler.reads_raw(), largest_patch, options.n_threads);
  std::atomic<bool> stop{false};
  std::atomic<int> next{0}, done{0};
  Handout<Worker> handout(stop);
  Pending unfinished{options.n_trees};
  const GrowInputs inputs{options, response, rows, sampler, stop, handout};
  std::vector<Tree> trees(static_cast<std::size_t>(options.n_trees));
  auto work = [&] {
    Worker worker(inputs, make_projector(data, geometry));
    Grower grower(worker);
    for (int t = next++; t < options.n_trees && !stop; t = next++) {
      trees[static_cast<std::size_t>(t)] = grower.grow(options.first_tree + t);
      ++done;
      handout.done(unfinished);
    }
    handout.help(worker, unfinished);
  };
  run_workers(count_workers(options, rows.n_rows), stop, work,
              [&] { progress(done, options.n_trees); });
  progress(options.n_trees, options.n_trees);
  return trees;
}

template std::vector<Tree> grow_forest(const Matrix<std::uint8_t>&, const Response&,
                                       const RowWeights&, const Geometry&, const Sampler&,
                                       const GrowOptions&, const Progress&);
template std::vector<Tree> grow_forest(const Matrix<float>&, const Response&, const RowWeights&,
                                       const Geometry&, const Sampler&, const GrowOptions&,
                                       const Progress&);

}  // namespace mf::train
