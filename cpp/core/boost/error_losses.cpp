// Losses of numbers, all of which are means over the outputs when they are reported.
//
// squared_error    g = y - F, h = 1; reported is the squared error
// absolute_error   g = sign(y - F), h = 1; leaves take medians
// poisson          F is the logarithm of the rate: g = y - e^F, h = e^F; reported is the deviance
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/portable_math.hpp"
#include "boost/derivative.hpp"
#include "boost/loss.hpp"
#include "objectives/list.hpp"

namespace mf::boost {
namespace {

class NumberLoss : public Loss {
 public:
  void check(const Target& target) const override {
    if (target.values == nullptr)
      throw std::invalid_argument("y must hold numbers for " + std::string(name()));
  }

 protected:
  // Weighted means of the responses.
  static std::vector<double> means(const Target& target, const RowNumbers<double>& weight) {
    std::vector<double> mean(target.n_outputs, 0.0);
    const double total = sum_of(weight, target.n_rows);
    for (std::size_t o = 0; o < target.n_outputs; ++o) {
      // Around one of the responses, so that equal ones have exactly that mean.
      const double base = target.values[o];
      double sum = 0.0;
      for (std::size_t i = 0; i < target.n_rows; ++i)
        sum += weight[i] * (target.values[i * target.n_outputs + o] - base);
      mean[o] = base + sum / total;
    }
    return mean;
  }

  // Calls one(y, F, g, h) -> loss for every response.
  template <class One>
  void each(const LossRows& rows, double* loss, float* derivatives, bool own_hessians,
            const One& one) const {
    const std::size_t n = rows.target.n_outputs;
    const std::size_t width = own_hessians ? 2 * n : n + 1;
    for (std::size_t i = rows.begin; i < rows.end; ++i) {
      const std::size_t at = i - rows.begin;
      float* out = derivatives + at * width;
      double sum = 0.0;
      for (std::size_t o = 0; o < n; ++o) {
        double g = 0.0, h = 0.0;
        sum += one(rows.target.values[i * n + o], rows.scores[at * n + o], g, h);
        out[o] = as_derivative(g);
        out[n + (own_hessians ? o : 0)] = as_derivative(h);
      }
      loss[at] = sum / static_cast<double>(n);
    }
  }
};

class SquaredLoss final : public NumberLoss {
 public:
  std::string_view name() const override { return "squared_error"; }
  std::size_t n_hessians(const Target&) const override { return 1; }

  std::vector<double> start(const Target& target, const RowNumbers<double>& weight) const override {
    return means(target, weight);
  }
  void evaluate(const LossRows& rows, double* loss, float* derivatives) const override {
    each(rows, loss, derivatives, false, [](double y, double score, double& g, double& h) {
      g = y - score;
      h = 1.0;
      return g * g;
    });
  }
};

class AbsoluteLoss final : public NumberLoss {
 public:
  std::string_view name() const override { return "absolute_error"; }
  std::size_t n_hessians(const Target&) const override { return 1; }
  bool fits_medians() const override { return true; }

  std::vector<double> start(const Target& target, const RowNumbers<double>& weight) const override {
    return train::absolute_error()->fallback(target, weight);
  }
  void evaluate(const LossRows& rows, double* loss, float* derivatives) const override {
    each(rows, loss, derivatives, false, [](double y, double score, double& g, double& h) {
      g = y > score ? 1.0 : y < score ? -1.0 : 0.0;
      h = 1.0;
      return std::abs(y - score);
    });
  }
};

class PoissonLoss final : public NumberLoss {
 public:
  std::string_view name() const override { return "poisson"; }
  // Where the rate is far too small, a Newton step would make it too large by a power of e.
  double max_step() const override { return 4.0; }

  void check(const Target& target) const override {
    NumberLoss::check(target);
    std::vector<double> sums(target.n_outputs, 0.0);
    for (std::size_t i = 0; i < target.n_rows * target.n_outputs; ++i) {
      if (target.values[i] < 0.0)
        throw std::invalid_argument("y must not be negative for poisson, got " +
                                    std::to_string(target.values[i]));
      sums[i % target.n_outputs] += target.values[i];
    }
    for (const double sum : sums)
      if (!(sum > 0.0)) throw std::invalid_argument("y must not be all zero for poisson");
  }

  std::vector<double> start(const Target& target, const RowNumbers<double>& weight) const override {
    constexpr double kSmallest = 1e-300;  // if all responses that have weight are zero
    std::vector<double> start = means(target, weight);
    for (double& mean : start) mean = portable_log(std::max(mean, kSmallest));
    return start;
  }
  void evaluate(const LossRows& rows, double* loss, float* derivatives) const override {
    each(rows, loss, derivatives, true, [](double y, double score, double& g, double& h) {
      const double rate = portable_exp(score);
      g = y - rate;
      h = rate;
      const double deviance = y > 0.0 ? y * (portable_log(y) - score) - g : rate;
      return 2.0 * deviance;
    });
  }
};

}  // namespace

std::shared_ptr<const Loss> squared_loss() { return std::make_shared<SquaredLoss>(); }
std::shared_ptr<const Loss> absolute_loss() { return std::make_shared<AbsoluteLoss>(); }
std::shared_ptr<const Loss> poisson_loss() { return std::make_shared<PoissonLoss>(); }

}  // namespace mf::boost
