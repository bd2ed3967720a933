// Finding the best threshold of a projected column.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "data/response.hpp"
#include "split/keys.hpp"

namespace mf {

enum class CriterionKind : std::uint8_t { gini, entropy, squared_error, absolute_error };

struct SplitRules {
  std::int64_t min_samples_leaf = 1;
  double min_balance = 0.0;  // each child holds at least this share of the node's rows

  std::int64_t min_child(std::int64_t node_count) const;
};

struct Split {
  double threshold = 0.0;  // left iff value <= threshold
  Key last_left = 0;       // the same rule on keys
  bool missing_left = false;
  double gain = 0.0;     // W I(S) - W_L I(S_L) - W_R I(S_R)
  bool perfect = false;  // nothing can beat it
};

// Per-thread search. Virtual once per candidate; the scan inside is compiled per criterion.
class SplitFinder {
 public:
  virtual ~SplitFinder() = default;
  virtual void start_node(const NodeSample& node) = 0;
  virtual bool pure() const = 0;
  // The first best split with a gain above `gain_to_beat` (at least zero), if there is one.
  virtual std::optional<Split> find(std::span<const Key> keys, const KeyRange& range,
                                    double gain_to_beat) = 0;
};

std::unique_ptr<SplitFinder> make_split_finder(CriterionKind kind, const Response& response,
                                               const SplitRules& rules);

}  // namespace mf
