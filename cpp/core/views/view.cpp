#include "views/view.hpp"

#include <algorithm>

namespace mf {
namespace {

void make_distinct(std::vector<std::int32_t>& numbers) {
  if (!std::is_sorted(numbers.begin(), numbers.end())) std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

void View::features_of(std::span<const std::int32_t> cells, std::vector<std::int32_t>& out) const {
  std::vector<std::int32_t> groups(cells.begin(), cells.end());
  for (std::int32_t& group : groups) group = group_of(group);
  make_distinct(groups);
  out.clear();
  for (const std::int32_t group : groups) append_features(group, out);
  make_distinct(out);
}

}  // namespace mf
