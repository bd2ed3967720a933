// The factories of samplers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "problem.hpp"
#include "samplers/list.hpp"

namespace mf::bindings {
namespace {

constexpr Words<AxisRule, 4> kAxisRules{"axis rule",
                                        {{{"contiguous", AxisRule::contiguous},
                                          {"wrap", AxisRule::wrap},
                                          {"free", AxisRule::free},
                                          {"channel", AxisRule::channel}}}};
constexpr Words<Placement, 3> kPlacements{"placement",
                                          {{{"uniform", Placement::uniform},
                                            {"corner", Placement::corner},
                                            {"interior", Placement::interior}}}};

SamplerPtr patch_sampler(const std::vector<int>& shape, int grid,
                         const std::vector<std::string>& axes, const std::vector<int>& min_size,
                         const std::vector<int>& max_size, const std::string& placement) {
  require(axes.size() == shape.size() && min_size.size() == shape.size() &&
              max_size.size() == shape.size(),
          "axes, min_size and max_size must have one entry per axis");
  std::vector<PatchAxis> rules;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    PatchAxis axis{kAxisRules.parse(axes[a]), shape[a], min_size[a], max_size[a]};
    if (axis.rule == AxisRule::channel) axis.min_size = axis.max_size = 1;
    require(1 <= axis.min_size && axis.min_size <= axis.max_size && axis.max_size <= axis.length,
            "patch sizes must be between 1 and the length of the axis");
    rules.push_back(axis);
  }
  return std::make_shared<PatchSampler>(grid, std::move(rules), kPlacements.parse(placement));
}

SamplerPtr edge_sampler(const Array1<std::int64_t>& offsets, const Array1<std::int32_t>& features,
                        int min_edges, int max_edges) {
  require(1 <= min_edges && min_edges <= max_edges, "edges must satisfy 1 <= min <= max");
  // Nodes without edges repeat an offset; they are never drawn.
  std::vector<std::int64_t> begins(offsets.data(), offsets.data() + offsets.size());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  require(begins.size() >= 2, "the graph has no edges");
  require(begins.front() == 0 && std::is_sorted(begins.begin(), begins.end()) &&
              begins.back() == static_cast<std::int64_t>(features.size()),
          "offsets and features of the edges do not fit together");
  return std::make_shared<EdgeSampler>(
      std::move(begins),
      std::vector<std::int32_t>(features.data(), features.data() + features.size()), min_edges,
      max_edges);
}

// Arguments of the samplers of sparse atoms: None, or a factor of the weight for each feature.
using Factors = std::optional<Array1<float>>;

FeatureFactors feature_factors(int n_features, const Factors& factors) {
  if (!factors) return {};
  require(factors->size() == static_cast<std::size_t>(n_features),
          "factors must be one number per feature, " + std::to_string(n_features) + ", got " +
              std::to_string(factors->size()));
  for (std::size_t j = 0; j < factors->size(); ++j)
    require(std::isfinite((*factors)(j)) && (*factors)(j) > 0.0F,
            "factors must be positive and finite, got " + std::to_string((*factors)(j)));
  return FeatureFactors({factors->data(), factors->data() + factors->size()});
}

}  // namespace

void bind_projections(nb::module_& m) {
  nb::class_<Sampler>(m, "Sampler", "Draws the candidate atoms of a node.")
      .def_prop_ro("reads_node", &Sampler::reads_node,
                   "Whether atoms depend on the rows of the node.");
  m.def(
      "axis_sampler", [](int p) -> SamplerPtr { return std::make_shared<AxisSampler>(p); },
      nb::arg("n_features"));
  m.def(
      "forest_rc_sampler",
      [](int p, int nonzeros, const Factors& factors) -> SamplerPtr {
        return std::make_shared<ForestRcSampler>(p, nonzeros, feature_factors(p, factors));
      },
      nb::arg("n_features"), nb::arg("n_nonzeros"), nb::arg("factors") = nb::none());
  m.def(
      "rerf_sampler",
      [](int p, const std::string& variant, const Factors& factors) -> SamplerPtr {
        require(variant == "paper" || variant == "2016",
                "variant must be paper or 2016, got " + variant);
        return std::make_shared<RerfSampler>(p, variant == "2016", feature_factors(p, factors));
      },
      nb::arg("n_features"), nb::arg("variant"), nb::arg("factors") = nb::none());
  m.def(
      "sporf_sampler",
      [](int p, double rate, const std::string& count, const Factors& given) -> SamplerPtr {
        require(count == "fixed" || count == "poisson",
                "count must be fixed or poisson, got " + count);
        const FeatureFactors factors = feature_factors(p, given);
        if (count == "fixed") return std::make_shared<SporfSampler>(p, rate, factors);
        return std::make_shared<SporfPoissonSampler>(p, rate, factors);
      },
      nb::arg("n_features"), nb::arg("rate"), nb::arg("count"), nb::arg("factors") = nb::none());
  m.def(
      "rotation_sampler",
      [](int p, int max_dims) -> SamplerPtr {
        return std::make_shared<RotationSampler>(p, max_dims);
      },
      nb::arg("n_features"), nb::arg("max_dims"));
  m.def(
      "principal_axes_sampler",
      [](int p, int n_components, int max_rows) -> SamplerPtr {
        return std::make_shared<PrincipalAxesSampler>(p, n_components, max_rows);
      },
      nb::arg("n_features"), nb::arg("n_components"), nb::arg("max_rows"));
  m.def(
      "mean_difference_sampler",
      [](int p) -> SamplerPtr { return std::make_shared<MeanDifferenceSampler>(p); },
      nb::arg("n_features"));
  m.def("patch_sampler", &patch_sampler, nb::arg("shape"), nb::arg("grid"), nb::arg("axes"),
        nb::arg("min_size"), nb::arg("max_size"), nb::arg("placement"));
  m.def(
      "dictionary_sampler",
      [](std::int64_t first, std::int64_t n_atoms) -> SamplerPtr {
        return std::make_shared<DictionarySampler>(first, n_atoms);
      },
      nb::arg("first"), nb::arg("n_atoms"));
  m.def("edge_sampler", &edge_sampler, nb::arg("offsets"), nb::arg("features"),
        nb::arg("min_edges"), nb::arg("max_edges"));
  m.def(
      "sum_sampler",
      [](std::vector<SamplerPtr> parts) -> SamplerPtr {
        return std::make_shared<SumSampler>(std::move(parts));
      },
      nb::arg("parts"));
  m.def(
      "mixture_sampler",
      [](std::vector<SamplerPtr> parts, std::vector<double> weights) -> SamplerPtr {
        require(parts.size() == weights.size(), "parts and weights must have the same length");
        return std::make_shared<MixtureSampler>(std::move(parts), std::move(weights));
      },
      nb::arg("parts"), nb::arg("weights"));
}

}  // namespace mf::bindings
