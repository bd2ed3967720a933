#include "data/balance.hpp"

#include <algorithm>
#include <cmath>

namespace mf {
namespace {

// If a factor exceeds this, or all are below its inverse, factors are rescaled: products could
// overflow.
constexpr double kExtreme = 0x1.0p200;

void moderate(std::vector<double>& factors) {
  const double largest = *std::max_element(factors.begin(), factors.end());
  if (largest >= 1.0 / kExtreme && largest <= kExtreme) return;
  const int exponent = std::ilogb(largest) + 1;
  for (double& factor : factors) factor = std::ldexp(factor, -exponent);
}

}  // namespace

std::vector<double> balanced_weights(const Target& target, std::span<const double> weight) {
  std::vector<double> factors(weight.size(), 1.0);
  for (std::size_t o = 0; o < target.n_outputs; ++o) {
    auto class_of = [&](std::size_t i) {
      return static_cast<std::size_t>(target.labels[i * target.n_outputs + o]);
    };
    std::vector<double> of_class(static_cast<std::size_t>(target.n_classes[o]), 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      of_class[class_of(i)] += weight[i];
      total += weight[i];
    }
    const auto present = static_cast<double>(
        std::count_if(of_class.begin(), of_class.end(), [](double c) { return c > 0.0; }));
    for (std::size_t i = 0; i < weight.size(); ++i)
      if (of_class[class_of(i)] > 0.0) factors[i] *= total / (present * of_class[class_of(i)]);
    if (!factors.empty()) moderate(factors);
  }
  return factors;
}

}  // namespace mf
