// Dividing what an atom gets among the features that it reads.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "atoms/kind.hpp"

namespace mf::explain {

// The features of one atom, and their shares in it at single rows.
class AtomShares {
 public:
  void load(const Atom& atom, const Geometry& geometry, const Rotation& rotation) {
    const AtomType& type = type_of(atom.kind);
    features_.clear();
    weights_.clear();
    type.features(atom, geometry, rotation, features_);
    is_linear_ = type.is_linear(atom, geometry);
    if (is_linear_) type.weights(atom, geometry, rotation, weights_);
    shares_.resize(features_.size());
  }

  const std::vector<std::int32_t>& features() const { return features_; }

  // Shares by the size of weight times feature. Equal ones where all of these are 0, and for atoms
  // that are no sums of features. If some are missing or infinite, they have equal shares, and the
  // others none: they alone decide where the row goes.
  template <class T>
  const std::vector<double>& at(const T* example) {
    double total = 0.0;
    if (is_linear_)
      for (std::size_t k = 0; k < features_.size(); ++k) {
        shares_[k] =
            std::abs(static_cast<double>(weights_[k]) * static_cast<double>(example[features_[k]]));
        total += shares_[k];
      }
    if (total > 0.0 && std::isfinite(total)) {
      for (double& share : shares_) share /= total;
    } else if (total == 0.0) {
      std::fill(shares_.begin(), shares_.end(), 1.0 / static_cast<double>(shares_.size()));
    } else {
      double n = 0.0;
      for (double& share : shares_) n += share = std::isfinite(share) ? 0.0 : 1.0;
      for (double& share : shares_) share /= n;
    }
    return shares_;
  }

 private:
  std::vector<std::int32_t> features_;
  std::vector<float> weights_;
  bool is_linear_ = false;
  std::vector<double> shares_;
};

}  // namespace mf::explain
