// Dilated kernels: short weighted sums of points that are some steps apart, slid along a series and
// pooled over an interval [ROCKET, Dempster, Petitjean and Webb 2020]. Kernels are drawn in Python;
// each looks at one series of an example.
//
// The answer of a kernel of m weights and dilation d at t is the sum of w_j x[t + j d]; its
// interval is one of these t. Of a series that ends early dilation and interval are in proportion.
// Cells are missing where a value is that they depend on, or where the series is too short.
//
// numbers  those of the base (series_base.hpp)
//          pools, a set of bits
//          then for each kernel: series, weights m, dilation, begin and end of the interval, bits
//          of the threshold, bits of the m weights (float32)
#pragma once

#include <string>
#include <vector>

#include "views/series_base.hpp"

namespace mf {

class KernelView final : public View {
 public:
  static constexpr const char* kKind = "kernels";
  static constexpr int kMostWeights = 64;

  // In the order of the cells of a kernel: the largest answer, the share of answers above the
  // threshold, their mean, the place of the largest from 0 to 1.
  enum Pool : int { kMaximum, kShare, kMean, kPosition, kPools };

  static ViewPtr make(const ViewSpec& spec, std::size_t n_features, std::size_t n_columns);

  void compute(const float* example, float* cells) const override;
  const char* axis_name(std::size_t axis, bool plural) const override;
  std::string cell_text(std::int32_t cell) const override;

 protected:
  // Cells of one kernel belong to the same features.
  std::int32_t group_of(std::int32_t cell) const override { return cell / plan_.n_pools; }
  void append_features(std::int32_t kernel, std::vector<std::int32_t>& out) const override;

 private:
  struct Kernel {
    int series, dilation, begin, end;
    float threshold;
    std::vector<float> weights;

    int reach(int dilation_used) const {
      return (static_cast<int>(weights.size()) - 1) * dilation_used;
    }
  };
  struct Plan {
    SeriesBase base;
    int n_base = 0;  // values of a series of the base
    unsigned pools = 0;
    int n_pools = 0;
    std::vector<Kernel> kernels;

    bool has(Pool pool) const { return (pools >> pool & 1U) != 0; }
  };
  class Scratch;

  KernelView(const ViewSpec& spec, Plan plan);
  static Plan plan_of(const ViewSpec& spec);

  Plan plan_;
};

}  // namespace mf
