#include "boundary/trees.hpp"

#include <span>
#include <unordered_map>
#include <utility>

#include "boundary/orders.hpp"
#include "threads/parallel.hpp"

namespace mf::boundary {
namespace {

// Reads ranks between the first examples from a table.
class TableRuler final : public Ruler {
 public:
  TableRuler(const std::vector<Slot>& slots, const std::vector<std::vector<double>>& ranks)
      : ranks_(ranks) {
    for (std::size_t i = 0; i < slots.size(); ++i) index_[slots[i]] = i;
  }
  void to(std::size_t query) { query_ = query; }
  void measure(std::span<const Slot> slots, double* ranks) override {
    for (std::size_t i = 0; i < slots.size(); ++i) ranks[i] = ranks_[query_][index_.at(slots[i])];
  }

 private:
  std::unordered_map<Slot, std::size_t> index_;
  const std::vector<std::vector<double>>& ranks_;
  std::size_t query_ = 0;
};

void complete_ranks(std::span<const Slot> starts, std::vector<std::vector<double>>& ranks,
                    const Points& points, const Tools& tools) {
  const std::size_t known = ranks.size(), m = starts.size();
  ranks.resize(m);
  const auto ruler = tools.make_ruler(points);
  Lookout lookout(tools.watch);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t first = i < known ? known : 0;
    ranks[i].resize(m);
    if (first == m) continue;
    ruler->to_point(starts[i]);
    ruler->measure(starts.subspan(first), ranks[i].data() + first);
    lookout.worked();
  }
}

}  // namespace

Trees start_trees(std::vector<Slot> starts, std::vector<std::vector<double>> ranks,
                  const Examples& examples, const Options& options, const Tools& tools) {
  const Points& points = examples.points();
  complete_ranks(starts, ranks, points, tools);
  const std::size_t m = starts.size();
  Trees started;
  started.all.assign(m, empty_tree(options));
  TableRuler ruler(starts, ranks);
  SharedDistances distances;
  Lookout lookout(tools.watch);
  for (std::size_t t = 0; t < m; ++t) {
    Tree& tree = started.all[t];
    tree.set_root(starts[t]);
    for (const std::size_t i : start_order(options.seed, t, m)) {
      ruler.to(i);
      distances.start(ruler, points.n_slots());
      const Tree::Arrival end = tree.walk(distances);
      if (!examples.alike(end.slot, starts[i])) tree.add(end.place, starts[i]);
      lookout.worked(kWalk);
    }
  }
  started.starting = m < options.n_trees;
  if (!started.starting) return started;
  started.starts = std::move(starts);
  started.start_ranks = std::move(ranks);
  return started;
}

}  // namespace mf::boundary
