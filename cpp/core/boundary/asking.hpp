// How queries go through the trees of a forest: one by one, or many together. Who asks holds the
// lock of the state.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "base/parallel.hpp"
#include "boundary/batch_walk.hpp"
#include "boundary/state.hpp"
#include "boundary/tools.hpp"

namespace mf::boundary {

// Fewer queries than this share distances instead of walking together; so do those whose points
// somebody else keeps.
constexpr std::size_t kFewQueries = 16;

inline bool walk_together(std::size_t n_queries, const Tools& tools) {
  return n_queries >= kFewQueries && !tools.measures_elsewhere();
}

// body(distances of query q, q, lookout) for one query after the other, trees sharing distances.
template <class Body>
void ask_one_by_one(const State& state, std::size_t n_queries, const Tools& tools,
                    const Body& body) {
  struct Reader {
    std::unique_ptr<MovableRuler> ruler;
    SharedDistances distances;
  };
  parallel_blocks(
      n_queries, tools.n_threads, [&] { return Reader{tools.make_ruler(state.points()), {}}; },
      [&](Reader& reader, std::size_t q, Lookout& lookout) {
        reader.ruler->to_row(q);
        reader.distances.start(*reader.ruler, state.points().n_slots());
        body(reader.distances, q, lookout);
      },
      tools.watch);
}

// Queries walk through one tree after the other together: measured(query, slot, proxy) for all that
// is measured, and arrive(query, tree, end of its walk).
template <class Measured, class Arrive>
void ask_together(const State& state, std::size_t n_queries, const Tools& tools,
                  const Measured& measured, const Arrive& arrive) {
  constexpr std::size_t kMost = 2048;  // that walk together
  const std::size_t n_threads = static_cast<std::size_t>(std::max(1, tools.n_threads));
  const std::size_t share = (n_queries + n_threads - 1) / n_threads;
  const std::size_t size = std::min(kMost, std::max<std::size_t>(1, share));
  struct Walker {
    std::unique_ptr<MovableRuler> ruler;
    BatchWalk walk;
    std::vector<std::size_t> queries;
  };
  const std::vector<Tree>& trees = state.trees.all;
  parallel_blocks(
      (n_queries + size - 1) / size, tools.n_threads,
      [&] { return Walker{tools.make_ruler(state.points()), {}, {}}; },
      [&](Walker& walker, std::size_t part, Lookout& lookout) {
        const std::size_t begin = part * size;
        walker.queries.resize(std::min(n_queries, begin + size) - begin);
        std::iota(walker.queries.begin(), walker.queries.end(), begin);
        for (std::size_t t = 0; t < trees.size(); ++t) {
          walker.walk.run(
              trees[t], *walker.ruler, walker.queries, lookout, [](std::size_t, const WalkStep&) {},
              [&](std::size_t i, Slot slot, double proxy) { measured(begin + i, slot, proxy); });
          for (std::size_t i = 0; i < walker.queries.size(); ++i)
            arrive(begin + i, t, walker.walk.end(i));
        }
      },
      tools.watch);
}

}  // namespace mf::boundary
