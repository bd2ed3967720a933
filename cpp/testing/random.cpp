// Everything random that does not depend on the data of a node.
#include <nanobind/stl/string.h>

#include "base/rng.hpp"
#include "samplers/list.hpp"
#include "stages.hpp"
#include "train/bag.hpp"

namespace mf::bindings {
namespace {

Owned<double> random_stream(std::uint64_t seed, const std::string& kind, std::size_t n, double a) {
  Rng rng(seed);
  std::vector<double> out(n);
  for (double& x : out) {
    if (kind == "bits")
      x = static_cast<double>(rng.bits() >> 11);
    else if (kind == "uniform")
      x = rng.uniform();
    else if (kind == "normal")
      x = rng.normal();
    else if (kind == "poisson")
      x = rng.poisson(a);
    else {
      require(kind == "below", "unknown kind " + kind);
      x = static_cast<double>(rng.below64(static_cast<std::uint64_t>(a)));
    }
  }
  return to_numpy(std::move(out));
}

Owned<std::int32_t> draw_inbag_codes(const train::GrowOptions& options,
                                     const Array1<std::int32_t>& strata,
                                     const Array1<double>& draw_weight,
                                     const Array1<std::int64_t>& row_count, int tree) {
  const double one = 1.0;
  train::RowWeights rows{RowNumbers(strata.data()), RowNumbers(draw_weight.data()),
                         RowNumbers(&one, 0), RowNumbers(row_count.data()), strata.size()};
  require(draw_weight.size() == strata.size() && row_count.size() == strata.size(),
          "strata, draw_weight and row_count must have the same length");
  Rng rng(tree_seed(options.seed, tree, Stream::bag));
  train::Bag bag;
  const BlockLoop one_by_one = [](std::size_t n, const std::function<void(std::size_t)>& body) {
    for (std::size_t block = 0; block < n; ++block) body(block);
  };
  train::draw_bag(options, rows, rng, one_by_one, bag);
  const auto codes = train::inbag_codes(std::move(bag));
  return to_numpy(std::vector<std::int32_t>(codes.begin(), codes.end()));
}

}  // namespace

void stage_random(nb::module_& m) {
  m.def("random_stream", &random_stream, nb::arg("seed"), nb::arg("kind"), nb::arg("n"),
        nb::arg("a") = 0.0);
  m.def(
      "haar_rotation",
      [](int p, std::uint64_t seed) {
        Rng rng(seed);
        const auto n = static_cast<std::size_t>(p);
        return to_numpy(haar_rotation(rng, p, StopCheck{}), {n, n});
      },
      nb::arg("p"), nb::arg("seed"));
  m.def("draw_bag", &draw_inbag_codes, nb::arg("options"), nb::arg("strata"),
        nb::arg("draw_weight"), nb::arg("row_count"), nb::arg("tree"), "In-bag codes of one tree.");
}

}  // namespace mf::bindings
