// How queries go through the trees of a forest: one by one, or many together. The caller holds the
// read lock of the state.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/parallel.hpp"
#include "boundary/batch_walk.hpp"
#include "boundary/call_context.hpp"
#include "boundary/state.hpp"

namespace mf::boundary {

// Fewer queries than this share distances between trees instead of walking together; so do all
// queries for points that are Python objects.
constexpr std::size_t kFewQueries = 16;

inline bool walk_together(std::size_t n_queries, const CallContext& context) {
  return n_queries >= kFewQueries && !context.points_are_objects();
}

// body(distances of query q, q, interrupts) for one query after the other, trees sharing distances.
template <class Body>
void walk_one_by_one(const State& state, std::size_t n_queries, const CallContext& context,
                     const Body& body) {
  struct Reader {
    std::unique_ptr<DistanceComputer> computer;
    SharedDistances distances;
  };
  parallel_for_with_state(
      n_queries, context.n_threads,
      [&] { return Reader{context.make_computer(state.points()), {}}; },
      [&](Reader& reader, std::size_t q, InterruptCheck& interrupts) {
        reader.computer->set_query_row(q);
        reader.distances.start(*reader.computer, state.points().n_slots());
        body(reader.distances, q, interrupts);
      },
      context.check_interrupt);
}

// Queries walk together through one tree after the other. Calls measured(query, slot, proxy) for
// every distance, unless it is NotMeasured, and arrive(query, tree, end of its walk).
template <class Measured, class Arrive>
void walk_in_batches(const State& state, std::size_t n_queries, const CallContext& context,
                     const Measured& measured, const Arrive& arrive) {
  constexpr std::size_t kMost = 2048;  // queries that walk together
  // As many parts for every thread: one more would keep the others waiting.
  const std::size_t n_threads = static_cast<std::size_t>(std::max(1, context.n_threads));
  const std::size_t n_rounds = (n_queries + n_threads * kMost - 1) / (n_threads * kMost);
  const std::size_t n_parts = std::max<std::size_t>(1, n_rounds * n_threads);
  const std::size_t size = std::max<std::size_t>(1, (n_queries + n_parts - 1) / n_parts);
  struct Walker {
    std::unique_ptr<DistanceComputer> computer;
    BatchWalk walk;
    std::vector<std::size_t> queries;
  };
  const std::vector<Tree>& trees = state.trees.all;
  parallel_for_with_state(
      (n_queries + size - 1) / size, context.n_threads,
      [&] { return Walker{context.make_computer(state.points()), {}, {}}; },
      [&](Walker& walker, std::size_t part, InterruptCheck& interrupts) {
        const std::size_t begin = part * size;
        walker.queries.resize(std::min(n_queries, begin + size) - begin);
        std::iota(walker.queries.begin(), walker.queries.end(), begin);
        for (std::size_t t = 0; t < trees.size(); ++t) {
          auto walk = [&](const auto& of_part) {
            walker.walk.run(
                trees[t], *walker.computer, walker.queries, interrupts,
                [](std::size_t, const WalkStep&) {}, of_part);
          };
          if constexpr (std::is_same_v<Measured, NotMeasured>)
            walk(measured);
          else
            walk([&](std::size_t i, Slot slot, double proxy) { measured(begin + i, slot, proxy); });
          for (std::size_t i = 0; i < walker.queries.size(); ++i)
            arrive(begin + i, t, walker.walk.end(i));
        }
      },
      context.check_interrupt);
}

}  // namespace mf::boundary
