// What is learned: the criterion of splits, the value of a node, and what a target must be.
//
// One file each; list.cpp has the table. A criterion is a class with
//   start(node)       all rows of a node are on the right; computes totals
//   pure()            nothing is left to split
//   reset()           back to all rows on the right
//   move_left(i)      row i of the node changes sides
//   left_weight()     of the rows on the left
//   score()           larger is better; score - node_score() is the gain; a split that must not be
//                     has minus infinity
//   loss()            W I(S) of the node, of which gains are differences
//   scale()           size of the terms of a score; gains far below it are rounding noise
//   perfect(score)    no other split can be better
// and, if kAdditive, bin_size / add_to_bin / move_bin_left to move many rows at once.
// CriterionFinder<Criterion> is the search for it, compiled per criterion.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/row_numbers.hpp"
#include "data/target.hpp"
#include "objectives/leaf_summary.hpp"
#include "split/code_search.hpp"
#include "split/few_nodes.hpp"
#include "split/finder.hpp"

namespace mf::train {

// The views of a target.
inline constexpr std::string_view kClasses = "classes";  // labels
inline constexpr std::string_view kNumbers = "numbers";  // values
inline constexpr std::string_view kPoints = "points";    // values with signs, or squared distances
inline constexpr std::string_view kDerivatives = "derivatives";  // of a loss: a round of boosting

// Numbers that an objective may be given, such as the weight of a penalty.
using Parameters = std::map<std::string, double>;

class Objective {
 public:
  virtual ~Objective() = default;

  // Its name, and other names of it.
  virtual std::vector<std::string_view> names() const = 0;
  std::string name() const { return std::string(names().front()); }
  virtual std::string_view view() const = 0;

  // Throws std::invalid_argument with a message about y unless it can be learned.
  virtual void check(const Target& target) const = 0;

  // Both belong to one thread. The target must outlive them.
  virtual std::unique_ptr<SplitFinder> finder(const Target& target, const SplitRules& rules,
                                              SplitterKind splitter) const = 0;
  virtual std::unique_ptr<LeafSummary> leaf(const Target& target) const = 0;
  // Whether its finders are faster on codes of columns than on values, with this splitter.
  virtual bool prefers_codes(SplitterKind /*splitter*/) const { return false; }
  // The search by codes of columns, for large nodes; null if there is none.
  virtual std::unique_ptr<CodeSearch> code_search(const Target& target, const SplitRules& rules,
                                                  SplitterKind splitter) const;

  // The search of nodes of few rows, whose candidates are single features of floats; null if there
  // is none. It finds what the finder finds.
  virtual std::unique_ptr<FewNodes> few_nodes(const Target& /*target*/, const SplitRules& /*rules*/,
                                              SplitterKind /*splitter*/) const {
    return nullptr;
  }

  // Responses times c have gains times c^power.
  virtual int power() const = 0;
  // The gain that users call 1.
  virtual double gain_unit() const { return 1.0; }

  // The same objective with parameters of its own. Most have none.
  virtual std::shared_ptr<const Objective> with(const Parameters& parameters) const;

  // I(S) of a node, by its search.
  double impurity(const Target& target, const NodeSample& node) const;

  // The value of a node that holds all rows of positive weight. It is predicted for a row for which
  // no tree takes part.
  std::vector<double> fallback(const Target& target, const RowNumbers<double>& weight) const;
};

// Classes: leaves hold their shares, and the size of gains does not depend on y.
class ClassObjective : public Objective {
 public:
  std::string_view view() const override { return kClasses; }
  void check(const Target& target) const override;
  std::unique_ptr<LeafSummary> leaf(const Target& target) const override;
  int power() const override { return 0; }
};

// Real numbers.
class NumberObjective : public Objective {
 public:
  std::string_view view() const override { return kNumbers; }
  void check(const Target& target) const override;
};

// All objectives (list.cpp).
std::span<const std::shared_ptr<const Objective>> objectives();

// The objective of that name; throws std::invalid_argument if there is none, or if it has no such
// parameters.
std::shared_ptr<const Objective> find_objective(std::string_view name,
                                                const Parameters& parameters = {});

}  // namespace mf::train
