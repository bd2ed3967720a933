// Integrals of polynomials over [0, 1] as sums over a few points.
#pragma once

#include <cstddef>
#include <vector>

namespace mf::explain {

// Arrays of points are as long as this, so that vectors have no rest.
inline std::size_t padded(std::size_t n_points) { return (n_points + 7) / 8 * 8; }

// Gauss-Legendre quadrature: exact for polynomials of degree 2 points - 1.
struct Quadrature {
  explicit Quadrature(std::size_t n_points);

  std::size_t n_points() const { return weight.size(); }

  std::vector<double> t;                // in (0, 1), ascending; padded with 1
  std::vector<double> u;                // 1 - t, without its rounding
  std::vector<double> minus_inverse_u;  // -1 / u
  std::vector<double> weight;           // of each point; their sum is 1
};

// How many points integrate the products of n_factors - 1 factors o t + z (1 - t), 0 <= o, z <= 1,
// to all digits. Half as many as factors are exact. Such a product is a sum of Bernstein
// polynomials, of weights at most 1 after division by n_factors; each is a bump of width about
// 1 / sqrt(n_factors), and with 4 sqrt(n_factors) points its integral is off by less than 3e-15.
std::size_t n_points_for(std::size_t n_factors);

}  // namespace mf::explain
