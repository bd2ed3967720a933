#include "explain/quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mf::explain {
namespace {

struct Legendre {
  double value, derivative;
};

Legendre legendre(std::size_t n, double x) {
  double before = 1.0, value = x;
  for (std::size_t k = 2; k <= n; ++k) {
    const auto order = static_cast<double>(k);
    const double next = ((2.0 * order - 1.0) * x * value - (order - 1.0) * before) / order;
    before = value;
    value = next;
  }
  return {value, static_cast<double>(n) * (x * value - before) / (x * x - 1.0)};
}

}  // namespace

Quadrature::Quadrature(std::size_t n_points)
    : t(padded(n_points), 1.0),
      u(padded(n_points), 0.0),
      minus_inverse_u(n_points),
      weight(n_points) {
  constexpr int kNewtonSteps = 8;  // three or four suffice
  const auto n = static_cast<double>(n_points);
  for (std::size_t i = 0; i < (n_points + 1) / 2; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    if (2 * i + 1 == n_points) x = 0.0;
    for (int step = 0; step < kNewtonSteps; ++step) {
      const Legendre p = legendre(n_points, x);
      x -= p.value / p.derivative;
    }
    const double slope = legendre(n_points, x).derivative;
    const std::size_t mirrored = n_points - 1 - i;
    t[mirrored] = u[i] = (1.0 + x) / 2.0;
    t[i] = u[mirrored] = (1.0 - x) / 2.0;
    weight[i] = weight[mirrored] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
  for (std::size_t i = 0; i < n_points; ++i) minus_inverse_u[i] = -1.0 / u[i];
}

std::size_t n_points_for(std::size_t n_factors) {
  const auto enough =
      static_cast<std::size_t>(std::ceil(4.0 * std::sqrt(static_cast<double>(n_factors))));
  return std::max<std::size_t>(1, std::min((n_factors + 1) / 2, enough));
}

}  // namespace mf::explain
