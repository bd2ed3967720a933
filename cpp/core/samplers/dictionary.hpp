// Atoms from a list: a user's sparse matrix, balls of a graph, edges at a node.
#pragma once

#include "samplers/sampler.hpp"

namespace mf {

// d distinct atoms of the shared dictionary, uniformly.
class DictionarySampler final : public Sampler {
 public:
  DictionarySampler(std::int64_t first, std::int64_t n_atoms) : first_(first), n_atoms_(n_atoms) {}

  void check(const Geometry& geometry) const override {
    const Dictionary& listed = geometry.dictionary;
    const auto size = static_cast<std::int64_t>(listed.size());
    require(first_ >= 0 && n_atoms_ >= 1 && first_ <= size && n_atoms_ <= size - first_,
            "it draws atoms that the dictionary of the geometry does not have");
    for (std::int64_t a = first_; a < first_ + n_atoms_; ++a) {
      const auto row = static_cast<std::size_t>(a);
      require(listed.offsets[row] < listed.offsets[row + 1],
              "atom " + std::to_string(a) + " of the dictionary has no features");
    }
  }

  void draw(DrawContext& context, AtomList& out) const override {
    const auto n = static_cast<std::uint64_t>(n_atoms_);
    const auto d = std::min(n, static_cast<std::uint64_t>(context.n_candidates));
    context.distinct.draw_shuffled(context.rng, n, d, context.cells, context.check_stop);
    for (const std::uint64_t atom : context.cells) {
      out.ints.push_back(static_cast<std::int32_t>(first_ + static_cast<std::int64_t>(atom)));
      out.close(AtomKind::dictionary);
    }
  }

 private:
  std::int64_t first_, n_atoms_;
};

// Graph-valued examples: a node uniformly, then the sum over a few distinct edges at it [THESIS].
class EdgeSampler final : public Sampler {
 public:
  // offsets, features: the edges (as features) of every graph node that has some.
  EdgeSampler(std::vector<std::int64_t> offsets, std::vector<std::int32_t> features, int min_edges,
              int max_edges)
      : offsets_(std::move(offsets)),
        features_(std::move(features)),
        min_(min_edges),
        max_(max_edges) {}

  void check(const Geometry& geometry) const override {
    for (const std::int32_t feature : features_)
      require(feature >= 0 && static_cast<std::size_t>(feature) < geometry.n_features,
              "an edge is feature " + std::to_string(feature) + ", the geometry has " +
                  std::to_string(geometry.n_features));
  }

  void draw(DrawContext& context, AtomList& out) const override {
    const auto n_nodes = static_cast<std::uint32_t>(offsets_.size() - 1);
    for (int c = 0; c < context.n_candidates; ++c) {
      context.check_stop();
      const std::size_t node = context.rng.below(n_nodes);
      const std::int64_t begin = offsets_[node], degree = offsets_[node + 1] - begin;
      const std::int64_t wanted = context.rng.between(min_, max_);
      context.distinct.draw(context.rng, static_cast<std::uint64_t>(degree),
                            static_cast<std::uint64_t>(std::min(wanted, degree)), context.cells);
      std::sort(context.cells.begin(), context.cells.end());
      for (const std::uint64_t edge : context.cells) {
        out.ints.push_back(features_[static_cast<std::size_t>(begin) + edge]);
        out.weights.push_back(1.0F);
      }
      out.close(AtomKind::sparse);
    }
  }

 private:
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> features_;
  int min_, max_;
};

}  // namespace mf
