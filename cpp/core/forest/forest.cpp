#include "forest/forest.hpp"

#include <algorithm>
#include <atomic>

#include "threads/parallel.hpp"

namespace mf {

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
  const GrowInputs inputs{options, response, rows, sampler, stop};
  std::vector<Tree> trees(static_cast<std::size_t>(options.n_trees));
  auto worker = [&] {
    Grower grower(inputs, make_projector(data, geometry));
    for (int t = next++; t < options.n_trees && !stop; t = next++) {
      trees[static_cast<std::size_t>(t)] = grower.grow(options.first_tree + t);
      ++done;
    }
  };
  const int threads = std::clamp(options.n_threads, 1, options.n_trees);
  run_workers(threads, stop, worker, [&] { progress(done, options.n_trees); });
  progress(options.n_trees, options.n_trees);
  return trees;
}

template std::vector<Tree> grow_forest(const Matrix<std::uint8_t>&, const Response&,
                                       const RowWeights&, const Geometry&, const Sampler&,
                                       const GrowOptions&, const Progress&);
template std::vector<Tree> grow_forest(const Matrix<float>&, const Response&, const RowWeights&,
                                       const Geometry&, const Sampler&, const GrowOptions&,
                                       const Progress&);

}  // namespace mf
