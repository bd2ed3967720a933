#include "predict/importance.hpp"

#include "atoms/kind.hpp"

namespace mf::predict {
namespace {

// Gains of the splits of one tree, shared out.
class TreeGains {
 public:
  explicit TreeGains(const Geometry& geometry)
      : geometry_(geometry), of_feature_(geometry.n_features) {
    for (const ViewPtr& view : geometry.views) of_cell_.emplace_back(view->n_cells());
  }

  void start_tree() {
    total_ = 0.0;
    of_feature_.assign(of_feature_.size(), 0.0);
    for (std::vector<double>& cells : of_cell_) cells.assign(cells.size(), 0.0);
  }
  void add_split(const Atom& atom, const Rotation& rotation, double gain,
                 std::vector<double>& usage) {
    const AtomType& type = type_of(atom.kind);
    places_.clear();
    type.features(atom, geometry_, rotation, places_);
    total_ += gain;
    for (const std::int32_t f : places_) usage[static_cast<std::size_t>(f)] += 1.0;
    share_out(gain, of_feature_);
    const int view = type.view(atom, geometry_);
    if (view < 0) return;
    places_.clear();
    type.cells(atom, geometry_, places_);
    share_out(gain, of_cell_[static_cast<std::size_t>(view)]);
  }
  void add_to(Importances& out) const {
    if (total_ <= 0.0) return;
    add_shares(of_feature_, out.gain);
    for (std::size_t v = 0; v < of_cell_.size(); ++v) add_shares(of_cell_[v], out.view_gain[v]);
  }

 private:
  void share_out(double gain, std::vector<double>& to) const {
    const double share = gain / static_cast<double>(places_.size());
    for (const std::int32_t place : places_) to[static_cast<std::size_t>(place)] += share;
  }
  void add_shares(const std::vector<double>& gains, std::vector<double>& to) const {
    for (std::size_t j = 0; j < gains.size(); ++j) to[j] += gains[j] / total_;
  }

  const Geometry& geometry_;
  double total_ = 0.0;
  std::vector<double> of_feature_;
  std::vector<std::vector<double>> of_cell_;  // of each view
  std::vector<std::int32_t> places_;
};

}  // namespace

Importances importances(const FlatForest& forest, const Geometry& geometry) {
  Importances out{std::vector<double>(geometry.n_features, 0.0),
                  std::vector<double>(geometry.n_features, 0.0),
                  {}};
  for (const ViewPtr& view : geometry.views) out.view_gain.emplace_back(view->n_cells(), 0.0);
  TreeGains gains(geometry);
  for (std::size_t t = 0; t < forest.n_trees(); ++t) {
    const Rotation rotation = forest.rotation(t);
    gains.start_tree();
    for (auto node = static_cast<std::size_t>(forest.tree_offsets[t]);
         node < static_cast<std::size_t>(forest.tree_offsets[t + 1]); ++node)
      if (!forest.is_leaf(node))
        gains.add_split(forest.atom(node), rotation, static_cast<double>(forest.gain[node]),
                        out.usage);
    gains.add_to(out);
  }
  const auto n_trees = static_cast<double>(forest.n_trees());
  for (double& g : out.gain) g /= n_trees;
  for (std::vector<double>& cells : out.view_gain)
    for (double& g : cells) g /= n_trees;
  return out;
}

}  // namespace mf::predict
