// Scores: values of leaves that are added up over trees, and what becomes of their sums.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bind.hpp"
#include "forest/check_forest.hpp"
#include "forest/refine.hpp"
#include "predict/link.hpp"
#include "problem.hpp"

namespace mf::bindings {
namespace {

using predict::Link;

constexpr Words<Link, 4> kLinks{"link",
                                {{{"identity", Link::identity},
                                  {"softmax", Link::softmax},
                                  {"logistic", Link::logistic},
                                  {"exp", Link::exp}}}};

std::vector<int> class_counts(const Sequence<int>& given) {
  std::vector<int> n_classes = to_vector<int>(given);
  for (const int n : n_classes) require(n >= 1, "n_classes must be positive");
  return n_classes;
}

Owned<double> link_scores(const char* word, const Array2<double>& scores,
                          const Sequence<int>& given) {
  const Link link = kLinks.parse(word);
  const std::vector<int> n_classes = class_counts(given);
  const std::size_t n_rows = scores.shape(0), width = scores.shape(1);
  require(!n_classes.empty() || link == Link::identity || link == Link::exp,
          "n_classes must not be empty for probabilities");
  require(width == predict::n_scores(link, n_classes, width),
          "scores must have as many columns as the link takes");
  std::vector<double> values;
  {
    const nb::gil_scoped_release released;
    values = predict::apply_link(link, n_classes, {scores.data(), scores.size()}, n_rows);
  }
  const std::size_t columns = n_rows == 0 ? width : values.size() / n_rows;
  return to_numpy(std::move(values), {n_rows, columns});
}

std::size_t count_scores(const char* word, const Sequence<int>& n_classes, std::size_t n_outputs) {
  return predict::n_scores(kLinks.parse(word), class_counts(n_classes), n_outputs);
}

void check_leaves(const train::RefineInputs& inputs) {
  const std::size_t n_rows = inputs.n_rows();
  for (std::size_t t = 0; t < inputs.n_trees(); ++t) {
    const std::int64_t root = inputs.tree_offsets[t], size = inputs.tree_offsets[t + 1] - root;
    const std::int32_t* const leaves = inputs.leaf_of_row + t * n_rows;
    require(std::all_of(leaves, leaves + n_rows,
                        [&](std::int32_t leaf) {
                          return leaf >= 0 && leaf < size &&
                                 inputs.left[static_cast<std::size_t>(root + leaf)] == 0;
                        }),
            "leaf_of_row names a node that is no leaf of its tree");
  }
}

Owned<double> refine_leaves(const nb::dict& arrays, const Array2<std::int32_t>& leaf_of_row,
                            const TargetArray& y, const Sequence<int>& given,
                            const Array1<double>& weight, std::uint64_t seed) {
  const std::vector<int> n_classes = class_counts(given);
  std::vector<nb::object> keep;
  train::RefineInputs inputs;
  inputs.tree_offsets = span_of<std::int64_t>(arrays, "tree_offsets", keep);
  inputs.left = span_of<std::int32_t>(arrays, "left", keep);
  inputs.node_weight = span_of<double>(arrays, "weight", keep);
  check_children(inputs.tree_offsets, inputs.left);
  require(inputs.node_weight.size() == inputs.left.size(),
          "arrays: weight must have one entry per node");
  const std::size_t n_rows = weight.size();
  require(leaf_of_row.shape(0) == inputs.n_trees() && leaf_of_row.shape(1) == n_rows,
          "leaf_of_row must be trees x rows");
  require(n_rows < (std::size_t{1} << 31), "there must be fewer than 2**31 rows");
  require(!n_classes.empty(), "n_classes must not be empty");
  const Target target = to_target(y, n_classes, {}, {}, n_rows);
  inputs.leaf_of_row = leaf_of_row.data();
  inputs.labels = target.labels;
  inputs.n_classes = n_classes;
  inputs.weight = {weight.data(), n_rows};
  require(std::all_of(weight.data(), weight.data() + n_rows, [](double w) { return w >= 0.0; }),
          "weight must not be negative");
  const double sum = std::accumulate(weight.data(), weight.data() + n_rows, 0.0);
  require(std::isfinite(sum) && sum > 0.0, "weight must have a finite sum above 0");
  check_leaves(inputs);
  train::RefineOptions options;
  options.seed = seed;
  std::vector<double> values;
  {
    const nb::gil_scoped_release released;
    values = train::refine(inputs, options, check_signals);
  }
  const std::size_t n_nodes = inputs.left.size(), width = values.size() / n_nodes;
  return to_numpy(std::move(values), {n_nodes, width});
}

}  // namespace

void bind_scores(nb::module_& m) {
  m.def("link_scores", &link_scores, nb::arg("link"), nb::arg("scores").noconvert(),
        nb::arg("n_classes"), "From scores, rows x scores, to what is predicted.");
  m.def("n_scores", &count_scores, nb::arg("link"), nb::arg("n_classes"), nb::arg("n_outputs"),
        "How many scores a link takes for each row.");
  m.def("refine_leaves", &refine_leaves, nb::arg("arrays"), nb::arg("leaf_of_row").noconvert(),
        nb::arg("y").noconvert(), nb::arg("n_classes"), nb::arg("weight").noconvert(),
        nb::arg("seed"), "Scores of all nodes by softmax regression on leaf indicators.");
}

}  // namespace mf::bindings
