#include "objectives/objective.hpp"

#include <stdexcept>

namespace mf::train {

namespace {

void require(bool condition, const std::string& message) {
  if (!condition) throw std::invalid_argument(message);
}

}  // namespace

std::unique_ptr<CodeSearch> Objective::code_search(const Target&, const SplitRules&,
                                                   SplitterKind) const {
  return nullptr;
}

std::shared_ptr<const Objective> Objective::with(const Parameters& parameters) const {
  throw std::invalid_argument("the criterion " + name() + " has no parameter " +
                              parameters.begin()->first);
}

double Objective::impurity(const Target& target, const NodeSample& node) const {
  const auto search = finder(target, {}, SplitterKind::exact);
  search->start_node(node);
  return search->node_loss() / node.total_weight;
}

std::vector<double> Objective::fallback(const Target& target,
                                        const RowNumbers<double>& weight) const {
  const std::size_t n = target.n_rows;
  std::size_t n_zero = 0;
  while (n_zero < n && !(weight[n_zero] > 0.0)) ++n_zero;
  require(n_zero < n, "weight must not be zero for all rows");
  const auto summary = leaf(target);
  std::vector<double> value(summary->value_width());
  if (summary->summarise_all(target, weight, value.data())) return value;
  std::vector<Row> rows;
  rows.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    if (weight[i] > 0.0) rows.push_back(static_cast<Row>(i));
  RowSamples samples;
  samples.count.assign(n, 1);
  const bool packed =
      weight.same_for_all() && weight[0] == 1.0 && samples.pack_counts(target);  // in less memory
  if (!packed) samples.weight.resize(n);
  for (std::size_t i = 0; i < samples.weight.size(); ++i) samples.weight[i] = weight[i];
  NodeSample node;
  node.gather(target, rows, samples);
  summary->summarise(node, value.data());
  return value;
}

void ClassObjective::check(const Target& target) const {
  require(target.labels != nullptr, "y must hold classes for the criterion " + name());
  require(target.signs.empty() && target.squared_distances == nullptr,
          "classes have neither signs nor squared_distances");
}

std::unique_ptr<LeafSummary> ClassObjective::leaf(const Target& target) const {
  return std::make_unique<ClassShares>(target);
}

void NumberObjective::check(const Target& target) const {
  require(target.values != nullptr, "y must hold numbers for the criterion " + name());
  require(target.signs.empty() && target.squared_distances == nullptr,
          "only the criterion squared_distance has signs and squared_distances");
}

}  // namespace mf::train
