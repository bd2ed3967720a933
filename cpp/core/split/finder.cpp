#include "split/finder.hpp"

#include <algorithm>
#include <cmath>

#include "split/criteria/list.hpp"
#include "split/criterion_finder.hpp"
#include "split/distance_finder.hpp"
#include "split/gini_finder.hpp"

namespace mf::train {

std::int64_t SplitRules::min_child(std::int64_t node_count) const {
  const double share = up_to_rounding(min_balance * static_cast<double>(node_count));
  const auto balanced = static_cast<std::int64_t>(std::ceil(share));
  return std::max({min_samples_leaf, balanced, std::int64_t{1}});
}

double midpoint(const KeyRange& range, Key below, Key above) {
  if (range.integer) return 0.5 * range.decode(below) + 0.5 * range.decode(above);
  const float a = float_of(below), b = float_of(above);
  const float middle = a / 2.0F + b / 2.0F;
  return static_cast<double>(middle == b || !std::isfinite(middle) ? a : middle);
}

Key draw_threshold(const KeyRange& range, Rng& rng) {
  const double low = range.decode(range.min), high = range.decode(range.max);
  const double drawn = low + rng.uniform() * (high - low);
  const Key key = range.integer ? key_of(static_cast<std::int32_t>(std::floor(drawn)))
                                : key_of(static_cast<float>(drawn));
  return range.max > range.min ? std::clamp(key, range.min, range.max - 1) : key;
}

std::unique_ptr<SplitFinder> make_split_finder(CriterionKind kind, const Target& target,
                                               const SplitRules& rules, SplitterKind splitter) {
  switch (kind) {
    case CriterionKind::gini: {
      auto general = std::make_unique<CriterionFinder<Gini>>(target, rules, splitter);
      if (target.n_outputs > 1 || target.n_classes[0] > GiniFinder::kMaxClasses) return general;
      return std::make_unique<GiniFinder>(rules, splitter, std::move(general));
    }
    case CriterionKind::entropy:
      return std::make_unique<CriterionFinder<Entropy>>(target, rules, splitter);
    case CriterionKind::squared_error:
      return std::make_unique<CriterionFinder<SquaredError>>(target, rules, splitter);
    case CriterionKind::absolute_error:
      return std::make_unique<CriterionFinder<AbsoluteError>>(target, rules, splitter);
    case CriterionKind::squared_distance: {
      auto points = std::make_unique<CriterionFinder<SquaredError>>(target, rules, splitter);
      if (target.squared_distances == nullptr) return points;
      return std::make_unique<DistanceFinder>(target, rules, splitter, std::move(points));
    }
  }
  return nullptr;
}

}  // namespace mf::train
