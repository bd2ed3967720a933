// Sums and mixtures of samplers.
#pragma once

#include <algorithm>

#include "samplers/sampler.hpp"

namespace mf {

// Shared bookkeeping: a composition reads what any of its parts reads.
class Composition : public Sampler {
 public:
  explicit Composition(std::vector<SamplerPtr> parts) : parts_(std::move(parts)) {
    require(!parts_.empty(), "there must be at least one part");
    for (const SamplerPtr& part : parts_) require(part != nullptr, "parts must not be None");
  }

  void check(const Geometry& geometry) const override {
    for (const SamplerPtr& part : parts_) part->check(geometry);
  }

  bool reads_raw() const override {
    for (const SamplerPtr& part : parts_)
      if (part->reads_raw()) return true;
    return false;
  }
  std::size_t largest_patch(int grid) const override {
    std::size_t largest = 0;
    for (const SamplerPtr& part : parts_) largest = std::max(largest, part->largest_patch(grid));
    return largest;
  }
  bool reads_node() const override {
    for (const SamplerPtr& part : parts_)
      if (part->reads_node()) return true;
    return false;
  }
  // One rotation per tree: the first part that wants one draws it.
  std::optional<Rotation> draw_rotation(Rng& rng, const StopCheck& check_stop) const override {
    for (const SamplerPtr& part : parts_)
      if (auto rotation = part->draw_rotation(rng, check_stop)) return rotation;
    return std::nullopt;
  }

 protected:
  std::vector<SamplerPtr> parts_;
};

// Every part contributes its own candidates: d random ones, all data-derived ones.
class SumSampler final : public Composition {
 public:
  using Composition::Composition;

  void draw(DrawContext& context, AtomList& out) const override {
    for (const SamplerPtr& part : parts_) part->draw(context, out);
  }
};

// The kind of each of the d candidates is drawn with the given probabilities.
class MixtureSampler final : public Composition {
 public:
  MixtureSampler(std::vector<SamplerPtr> parts, std::vector<double> weights)
      : Composition(std::move(parts)), weights_(std::move(weights)) {}

  void draw(DrawContext& context, AtomList& out) const override {
    double total = 0.0;
    for (const double w : weights_) total += w;
    std::vector<int> share(parts_.size(), 0);
    for (int c = 0; c < context.n_candidates; ++c) ++share[pick(context.rng.uniform() * total)];
    const int d = context.n_candidates;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (share[k] == 0) continue;
      context.n_candidates = share[k];
      parts_[k]->draw(context, out);
    }
    context.n_candidates = d;
  }

 private:
  std::size_t pick(double u) const {
    std::size_t last_possible = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      if (weights_[k] <= 0.0) continue;
      last_possible = k;
      if (u < weights_[k]) return k;
      u -= weights_[k];
    }
    return last_possible;
  }

  std::vector<double> weights_;
};

}  // namespace mf
