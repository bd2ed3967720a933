#include "explain/path_tree.hpp"

#include <algorithm>
#include <span>

#include "atoms/kind.hpp"
#include "atoms/sparse.hpp"

namespace mf::explain {
namespace {

template <class V>
void append_bytes(std::span<const V> numbers, std::string& key) {
  const auto bytes = std::as_bytes(numbers);
  key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

PathTree PathTreeBuilder::build(std::size_t tree) {
  root_ = static_cast<std::size_t>(forest_.tree_offsets[tree]);
  end_ = static_cast<std::size_t>(forest_.tree_offsets[tree + 1]);
  rotation_ = forest_.rotation(tree);
  PathTree out;
  find_players(out);
  add_steps(out);
  find_columns(out);
  return out;
}

void PathTreeBuilder::find_players(PathTree& out) {
  player_of_node_.assign(end_ - root_, -1);
  player_of_atom_.clear();
  for (std::size_t node = root_; node < end_; ++node)
    if (!forest_.is_leaf(node)) player_of_node_[node - root_] = player_of(node, out);
  for (const Player& player : out.players)
    if (player.feature >= 0) player_of_feature_[static_cast<std::size_t>(player.feature)] = -1;
}

// Equal sums are one player, wherever their numbers come from. Those of one feature are that
// feature, whatever the weight: they order rows as it does, or the other way round.
std::int32_t PathTreeBuilder::player_of(std::size_t node, PathTree& out) {
  const Atom atom = forest_.atom(node);
  const AtomType& type = type_of(atom.kind);
  const auto next = static_cast<std::int32_t>(out.players.size());
  const auto split = static_cast<std::int32_t>(node - root_);
  key_.clear();
  features_.clear();
  if (SparseAtoms::is_one_feature(atom)) {  // most splits are, and it is soon told
    features_.push_back(atom.ints[0]);
  } else if (type.is_linear(atom, geometry_)) {
    expand(atom, geometry_, rotation_, features_, weights_);
    append_bytes(std::span<const std::int32_t>(features_), key_);
    append_bytes(std::span<const float>(weights_), key_);
  } else {
    key_.push_back(static_cast<char>(atom.kind));  // sums have keys of even length
    append_bytes(atom.ints, key_);
    append_bytes(atom.weights, key_);
  }
  if (features_.size() == 1) {
    std::int32_t& known = player_of_feature_[static_cast<std::size_t>(features_[0])];
    if (known < 0) {
      known = next;
      out.players.push_back({features_[0], split});
    }
    return known;
  }
  const auto [known, is_new] = player_of_atom_.try_emplace(key_, next);
  if (is_new) out.players.push_back({-1, split});
  return known->second;
}

// Where no training row came, both sides are as likely.
double PathTreeBuilder::share_of(std::size_t split, std::size_t child) const {
  const double all = forest_.weight[split];
  return all > 0.0 ? std::min(1.0, forest_.weight[child] / all) : 0.5;
}

void PathTreeBuilder::add_step(PathTree& out, std::int32_t split, bool to_right,
                               std::int32_t level) {
  const std::size_t node = root_ + static_cast<std::size_t>(split);
  const std::size_t child =
      root_ + static_cast<std::size_t>(forest_.left[node]) + (to_right ? 1 : 0);
  Step step{};
  step.split = split;
  step.to_right = to_right;
  step.level = level;
  step.player = player_of_node_[static_cast<std::size_t>(split)];
  step.before = -1;
  step.to_leaf = forest_.is_leaf(child);
  step.share = share_of(node, child);
  out.steps.push_back(step);
}

void PathTreeBuilder::add_steps(PathTree& out) {
  struct Waiting {
    std::int32_t split, level;
    bool to_right;
  };
  std::vector<Waiting> waiting;
  auto wait_for_children = [&](std::int32_t split, std::int32_t level) {
    waiting.push_back({split, level, true});
    waiting.push_back({split, level, false});
  };
  if (!forest_.is_leaf(root_)) wait_for_children(0, 1);
  std::vector<std::int32_t> last(out.players.size(), -1);  // step of each player on the path
  std::vector<std::int32_t> path;                          // step on each level, from 1
  std::size_t n_players = 0;                               // on the path
  while (!waiting.empty()) {
    const Waiting next = waiting.back();
    waiting.pop_back();
    while (path.size() >= static_cast<std::size_t>(next.level)) {
      const Step& left_behind = out.steps[static_cast<std::size_t>(path.back())];
      last[static_cast<std::size_t>(left_behind.player)] = left_behind.before;
      if (left_behind.before < 0) --n_players;
      path.pop_back();
    }
    add_step(out, next.split, next.to_right, next.level);
    Step& step = out.steps.back();
    const auto number = static_cast<std::int32_t>(out.steps.size() - 1);
    std::int32_t& last_of_player = last[static_cast<std::size_t>(step.player)];
    if (last_of_player < 0) {
      ++n_players;
    } else {
      step.before = last_of_player;
      step.share_before = out.steps[static_cast<std::size_t>(step.before)].share;
      step.share *= step.share_before;
    }
    last_of_player = number;
    path.push_back(number);
    out.most_players = std::max(out.most_players, n_players);
    const std::int32_t child =
        forest_.left[root_ + static_cast<std::size_t>(next.split)] + (next.to_right ? 1 : 0);
    if (!step.to_leaf) wait_for_children(child, next.level + 1);
  }
}

// Which columns are not zero below each step, from the last step to the first; and the base, as
// shares along a path multiply.
void PathTreeBuilder::find_columns(PathTree& out) {
  const std::size_t n_columns = values_.n_columns();
  std::size_t n_levels = 1;
  for (const Step& step : out.steps)
    n_levels = std::max(n_levels, static_cast<std::size_t>(step.level) + 1);
  out.most_columns.assign(n_levels, 0);
  out.base.assign(n_columns, 0.0);
  std::vector<double> leaf(n_columns);
  if (out.steps.empty()) {
    values_.read(root_, out.base.data());
    return;
  }
  std::vector<std::vector<std::uint8_t>> there(n_levels, std::vector<std::uint8_t>(n_columns, 0));
  StepColumns of_steps;
  of_steps.first.resize(out.steps.size());
  for (std::size_t i = out.steps.size(); i-- > 0;) {
    const Step& step = out.steps[i];
    const auto level = static_cast<std::size_t>(step.level);
    if (step.to_leaf) {
      const std::size_t split = root_ + static_cast<std::size_t>(step.split);
      values_.read(root_ + static_cast<std::size_t>(forest_.left[split]) + (step.to_right ? 1 : 0),
                   leaf.data());
      for (std::size_t k = 0; k < n_columns; ++k) there[level][k] = leaf[k] != 0.0 ? 1 : 0;
    }
    of_steps.first[i] = of_steps.columns.size();
    for (std::size_t k = 0; k < n_columns; ++k) {
      if (there[level][k] == 0) continue;
      of_steps.columns.push_back(static_cast<std::int32_t>(k));
      there[level - 1][k] = 1;
      there[level][k] = 0;
    }
  }
  store_columns(out, of_steps);
}

void PathTreeBuilder::store_columns(PathTree& out, const StepColumns& of_steps) {
  const std::size_t n_columns = values_.n_columns();
  std::vector<double> leaf(n_columns);
  std::vector<double> reached(out.n_levels(), 1.0);  // share of the training weight on each level
  std::vector<std::vector<std::int32_t>> place(out.n_levels(),
                                               std::vector<std::int32_t>(n_columns, -1));
  // Most steps of a tree for numbers have all columns, whose list is the same for all of them.
  for (std::size_t k = 0; k < n_columns; ++k)
    out.columns.push_back({static_cast<std::int32_t>(k), static_cast<std::int32_t>(k)});
  for (std::size_t i = 0; i < out.steps.size(); ++i) {
    Step& step = out.steps[i];
    const auto level = static_cast<std::size_t>(step.level);
    const std::span<const std::int32_t> columns = of_steps.of(i);
    step.n_columns = static_cast<std::int32_t>(columns.size());
    step.columns = 0;
    if (columns.size() < n_columns) {
      step.columns = out.columns.size();
      for (const std::int32_t k : columns)
        out.columns.push_back({k, place[level - 1][static_cast<std::size_t>(k)]});
    }
    const std::size_t split = root_ + static_cast<std::size_t>(step.split);
    const std::size_t child =
        root_ + static_cast<std::size_t>(forest_.left[split]) + (step.to_right ? 1 : 0);
    reached[level] = reached[level - 1] * share_of(split, child);
    if (!step.to_leaf) {
      out.most_columns[level] = std::max(out.most_columns[level], step.n_columns);
      std::int32_t at = 0;
      for (const std::int32_t k : columns) place[level][static_cast<std::size_t>(k)] = at++;
      continue;
    }
    values_.read(child, leaf.data());
    step.values = out.values.size();
    for (const std::int32_t k : columns) {
      const double value = leaf[static_cast<std::size_t>(k)];
      out.values.push_back(value);
      out.base[static_cast<std::size_t>(k)] += reached[level] * value;
    }
  }
}

}  // namespace mf::explain
