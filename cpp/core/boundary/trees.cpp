#include "boundary/trees.hpp"

#include <span>
#include <unordered_map>
#include <utility>

#include "base/parallel.hpp"
#include "boundary/learning_order.hpp"

namespace mf::boundary {
namespace {

// Reads proxies between the first examples from a table.
class TableProxies final : public ProxyComputer {
 public:
  TableProxies(const std::vector<Slot>& slots, const std::vector<std::vector<double>>& proxies)
      : proxies_(proxies) {
    for (std::size_t i = 0; i < slots.size(); ++i) index_[slots[i]] = i;
  }
  void to(std::size_t query) { query_ = query; }
  void measure(std::span<const Slot> slots, double* proxies) override {
    for (std::size_t i = 0; i < slots.size(); ++i)
      proxies[i] = proxies_[query_][index_.at(slots[i])];
  }

 private:
  std::unordered_map<Slot, std::size_t> index_;
  const std::vector<std::vector<double>>& proxies_;
  std::size_t query_ = 0;
};

void complete_proxies(std::span<const Slot> starts, std::vector<std::vector<double>>& proxies,
                      const Points& points, const CallContext& context) {
  const std::size_t known = proxies.size(), m = starts.size();
  proxies.resize(m);
  const auto computer = context.make_computer(points);
  InterruptCheck interrupts(context.check_interrupt);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t first = i < known ? known : 0;
    proxies[i].resize(m);
    if (first == m) continue;
    computer->set_query_point(starts[i]);
    computer->measure(starts.subspan(first), proxies[i].data() + first);
    interrupts.poll();
  }
}

}  // namespace

Trees start_trees(std::vector<Slot> starts, std::vector<std::vector<double>> proxies,
                  const Examples& examples, const Options& options, const CallContext& context) {
  const Points& points = examples.points();
  complete_proxies(starts, proxies, points, context);
  const std::size_t m = starts.size();
  Trees started;
  started.all.assign(m, empty_tree(options));
  TableProxies computer(starts, proxies);
  SharedDistances distances;
  InterruptCheck interrupts(context.check_interrupt);
  for (std::size_t t = 0; t < m; ++t) {
    Tree& tree = started.all[t];
    tree.set_root(starts[t]);
    for (const std::size_t i : start_order(options.seed, t, m)) {
      computer.to(i);
      distances.start(computer, points.n_slots());
      const Tree::Arrival end = tree.walk(distances);
      if (!examples.labels_match(end.slot, starts[i])) tree.add(end.place, starts[i]);
      interrupts.poll_after(kWalk);
    }
  }
  started.starting = m < options.n_trees;
  if (!started.starting) return started;
  started.starts = std::move(starts);
  started.start_proxies = std::move(proxies);
  return started;
}

}  // namespace mf::boundary
