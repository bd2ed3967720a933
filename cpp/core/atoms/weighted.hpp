// Weighted sums of features: what sparse atoms and those of a dictionary have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <string>

#include "atoms/compiled.hpp"

namespace mf {

inline void compile_weighted(std::span<const std::int32_t> features, std::span<const float> weights,
                             CompiledAtom& out) {
  double bound = 0.0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    out.terms.push_back({features[i], weights[i]});
    bound += std::abs(static_cast<double>(weights[i]));
    if (weights[i] != std::nearbyint(weights[i])) out.whole = false;
  }
  // Sums of uint8 must stay within 32 bits to be exact in integers.
  if (bound * 255.0 >= 2147483647.0) out.whole = false;
}

// "x[1] - 0.5*x[7]"; long sums end with how many terms are left out.
inline std::string text_of_weighted(std::span<const std::int32_t> features,
                                    std::span<const float> weights) {
  constexpr std::size_t kShown = 8;
  std::string text;
  const std::size_t shown = std::min(features.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool minus = std::signbit(weights[i]);
    if (i > 0)
      text += minus ? " - " : " + ";
    else if (minus)
      text += "-";
    if (const float size = std::abs(weights[i]); size != 1.0F) {
      char number[32];
      std::snprintf(number, sizeof number, "%.4g*", static_cast<double>(size));
      text += number;
    }
    text += "x[";
    text += std::to_string(features[i]);
    text += "]";
  }
  if (shown < features.size()) {
    text += " + ... (";
    text += std::to_string(features.size() - shown);
    text += " more)";
  }
  return text.empty() ? "0" : text;
}

}  // namespace mf
