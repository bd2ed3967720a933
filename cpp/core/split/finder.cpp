#include "split/finder.hpp"

#include <algorithm>
#include <cmath>

namespace mf::train {

std::int64_t SplitRules::min_child(std::int64_t node_count) const {
  const double share = up_to_rounding(min_balance * static_cast<double>(node_count));
  const auto balanced = static_cast<std::int64_t>(std::ceil(share));
  return std::max({min_samples_leaf, balanced, std::int64_t{1}});
}

double midpoint(const KeyRange& range, Key below, Key above) {
  if (range.integer && range.codes == nullptr)
    return 0.5 * range.decode(below) + 0.5 * range.decode(above);
  if (range.codes != nullptr) return midpoint(range.codes->below(below), range.codes->above(above));
  return midpoint(float_of(below), float_of(above));
}

double midpoint(float a, float b) {
  const float middle = a / 2.0F + b / 2.0F;
  return static_cast<double>(middle == b || !std::isfinite(middle) ? a : middle);
}

void Split::find_threshold() {
  threshold = midpoint(codes->below(last_left), codes->above(first_right));
}

Key draw_threshold(const KeyRange& range, Rng& rng) {
  const double low = range.decode(range.min), high = range.decode(range.max);
  const double drawn = low + rng.uniform() * (high - low);
  const Key key = range.integer ? key_of(static_cast<std::int32_t>(std::floor(drawn)))
                                : key_of(static_cast<float>(drawn));
  return range.max > range.min ? std::clamp(key, range.min, range.max - 1) : key;
}

}  // namespace mf::train
