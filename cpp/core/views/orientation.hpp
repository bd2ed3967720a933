// The direction of a gradient, shared out to the two orientation channels next to it, with the same
// bits on every build.
#pragma once

#include <cmath>

namespace mf {

struct Orientation {
  int channel;           // the first of two; the second is the next, after the last the first
  double first, second;  // magnitude of the gradient times share
};

// The arc tangent of 0 <= z <= 1, to a few units of the last place: two halvings of the angle bring
// z below tan(pi / 16) < 0.2, where twelve terms of the series suffice.
inline double portable_arctan(double z) {
  z /= 1.0 + std::sqrt(1.0 + z * z);
  z /= 1.0 + std::sqrt(1.0 + z * z);
  const double square = z * z;
  double sum = 0.0;
  for (int k = 23; k >= 1; k -= 2) sum = 1.0 / k - square * sum;
  return 4.0 * (z * sum);
}

// Share of a full turn, in [0, 1), of the direction (x, y), which must not be zero.
inline double share_of_turn(double x, double y) {
  constexpr double kTurn = 6.283185307179586476925286766559;
  const double ax = std::abs(x), ay = std::abs(y);
  double turn =
      ay <= ax ? portable_arctan(ay / ax) / kTurn : 0.25 - portable_arctan(ax / ay) / kTurn;
  if (x < 0.0) turn = 0.5 - turn;
  if (y < 0.0) turn = 1.0 - turn;
  return turn < 1.0 ? turn : 0.0;
}

// Of the gradient (x, y), which must be finite and not zero.
inline Orientation orientation_of(double x, double y, int n_channels) {
  const double at = share_of_turn(x, y) * n_channels;
  int channel = static_cast<int>(at);
  if (channel == n_channels) channel = 0;  // rounded up to the full turn
  const double share = at - std::floor(at);
  const double magnitude = std::sqrt(x * x + y * y);
  return {channel, magnitude * (1.0 - share), magnitude * share};
}

// What a byte holds of it: rounded, and cut at 255.
inline double whole_cell(double cell) { return std::fmin(std::floor(cell + 0.5), 255.0); }

}  // namespace mf
