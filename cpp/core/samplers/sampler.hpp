// A sampler draws the candidate atoms of a node: the distribution f_A of the papers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "atoms/atom.hpp"
#include "atoms/geometry.hpp"
#include "base/parallel.hpp"
#include "base/rng.hpp"
#include "data/samples.hpp"
#include "data/table.hpp"

namespace mf {

// Throws Stopped if the call is to stop. A draw may take minutes: it calls this several times a
// second, and seldom enough to cost no time.
class StopCheck {
 public:
  StopCheck() = default;
  explicit StopCheck(const std::atomic<bool>& stop) : stop_(&stop) {}

  void operator()() const {
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw Stopped{};
  }

 private:
  const std::atomic<bool>* stop_ = nullptr;  // null: never stops
};

// std::sort for numbers that are all distinct, with checks in between: halves are divided until
// they are short.
inline void sort_distinct(std::vector<std::uint64_t>::iterator first,
                          std::vector<std::uint64_t>::iterator last, const StopCheck& check) {
  constexpr std::ptrdiff_t kShort = 1 << 20;
  while (last - first > kShort) {
    check();
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last);
    sort_distinct(first, middle, check);
    first = middle;
  }
  check();
  std::sort(first, last);
}

// What data-derived samplers may read. Null in DrawContext when only random ones are in use.
struct NodeData {
  std::span<const Row> rows;
  const NodeSample* sample = nullptr;
  const Target* target = nullptr;
  std::function<void(Row, float*)> read_row;
};

// Everything one draw needs; samplers themselves are constant and shared by all threads.
struct DrawContext {
  explicit DrawContext(Rng stream) : rng(stream) {}

  Rng rng;
  int n_candidates = 1;  // d
  // 0 for the node's own draw; later draws happen when every candidate so far was constant.
  int attempt = 0;
  const NodeData* node = nullptr;
  StopCheck check_stop;
  DistinctDraw distinct;
  std::vector<std::uint64_t> cells;  // scratch

  // Single features of floats, one threshold each: features come in random order, and each is
  // followed by the number that its threshold is made of. So a search may draw candidates one by
  // one and end early, or all of them first, and finds the same. All other candidates have their
  // thresholds from what is left of `rng` once they are drawn.
  bool with_thresholds = false;
  RandomOrder order;
  std::vector<Rng> thresholds;  // where `rng` was before the number of each candidate's threshold

  // What the threshold of a candidate is drawn from.
  Rng& threshold_stream(std::size_t candidate) {
    return with_thresholds ? thresholds[candidate] : rng;
  }
};

class Sampler {
 public:
  virtual ~Sampler() = default;

  // Throws std::invalid_argument unless the geometry has all that drawn atoms may refer to. Called
  // once, before the first draw: drawn atoms are not checked again.
  virtual void check(const Geometry& geometry) const = 0;

  // Appends the candidates to out; empty ones are left out.
  virtual void draw(DrawContext& context, AtomList& out) const = 0;

  // Replaces candidates that this sampler has drawn for another node.
  virtual void redraw(DrawContext& context, AtomList& out) const {
    out.clear();
    draw(context, out);
  }

  // Whether atoms read raw features (rather than a summed-area table or rotated data).
  virtual bool reads_raw() const { return true; }
  // Whether every atom is a single feature as it is, so that the order of its values suffices.
  virtual bool only_features() const { return false; }
  // Most pixels of a grid that one group of a drawn atom adds up; see AtomType::largest_sum.
  virtual std::size_t largest_patch(int /*grid*/) const { return 0; }
  // Whether draw() reads context.node.
  virtual bool reads_node() const { return false; }
  // The rotation a tree needs, if any.
  virtual std::optional<Rotation> draw_rotation(Rng&, const StopCheck&) const {
    return std::nullopt;
  }

 protected:
  static void require(bool condition, const std::string& message) {
    if (!condition) throw std::invalid_argument("sampler: " + message);
  }
  // For samplers that draw from all features.
  static void require_features(std::int64_t n_features, const Geometry& geometry) {
    require(n_features == static_cast<std::int64_t>(geometry.n_features),
            "it draws from " + std::to_string(n_features) + " features, the geometry has " +
                std::to_string(geometry.n_features));
  }
};

using SamplerPtr = std::shared_ptr<const Sampler>;

}  // namespace mf
