// Log loss: minus the logarithm of the probability of the label, summed over the outputs.
//
// An output of K > 2 classes has K scores, whose softmax are the probabilities p:
//   g_k = [y = k] - p_k,  h_k = p_k (1 - p_k),  steps times (K - 1) / K (Friedman 2001)
// One of two classes has one score, the log odds of the second: g = y - p, h = p (1 - p). One of a
// single class has a score that is never used.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/portable_math.hpp"
#include "boost/derivative.hpp"
#include "boost/kernels/kernels.hpp"
#include "boost/loss.hpp"
#include "data/class_weights.hpp"

namespace mf::boost {
namespace {

std::size_t scores_of(int n_classes) {
  return n_classes > 2 ? static_cast<std::size_t>(n_classes) : 1;
}

// One output of one row: scores, label; returns the loss. Kernels have the same of many rows.
double odds_of(double score, bool second, float* g, float* h) {
  const double e = portable_exp(score < 0.0 ? score : -score);  // at most 1
  const double sum = 1.0 + e;
  const double p = (score < 0.0 ? e : 1.0) / sum;  // of the second class
  const double rest = (score < 0.0 ? 1.0 : e) / sum;
  *g = as_derivative(second ? rest : -p);
  *h = as_derivative(p * rest);
  return portable_log(sum) + (score > 0.0 ? score : 0.0) - (second ? score : 0.0);
}

double evaluate_softmax(const double* scores, std::size_t n, std::size_t label, double* p, float* g,
                        float* h) {
  const double largest = *std::max_element(scores, scores + n);
  for (std::size_t k = 0; k < n; ++k) p[k] = portable_exp(scores[k] - largest);
  double sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) sum += p[k];
  for (std::size_t k = 0; k < n; ++k) {
    const double share = p[k] / sum;
    g[k] = as_derivative((k == label ? 1.0 : 0.0) - share);
    h[k] = as_derivative(share * (1.0 - share));
  }
  return portable_log(sum) - (scores[label] - largest);
}

class LogLoss final : public Loss {
 public:
  std::string_view name() const override { return "log_loss"; }
  double max_step() const override { return 4.0; }

  void check(const Target& target) const override {
    if (target.labels == nullptr) throw std::invalid_argument("y must hold classes for log_loss");
  }

  std::size_t n_scores(const Target& target) const override {
    std::size_t n = 0;
    for (const int k : target.n_classes) n += scores_of(k);
    return n;
  }

  std::vector<double> factors(const Target& target) const override {
    std::vector<double> factors;
    for (const int k : target.n_classes)
      factors.insert(factors.end(), scores_of(k), k > 2 ? (k - 1.0) / k : 1.0);
    return factors;
  }

  // Logarithms of the shares of the classes; those that have no weight are very rare, not
  // impossible.
  std::vector<double> start(const Target& target, const RowNumbers<double>& weight) const override {
    constexpr double kRarest = 1e-15;
    const double total = sum_of(weight, target.n_rows);
    std::vector<double> start;
    for (std::size_t o = 0; o < target.n_outputs; ++o) {
      std::vector<double> share = weights_of_classes(target, o, weight);
      for (double& s : share) s = std::max(s / total, kRarest);
      if (share.size() == 1) start.push_back(0.0);
      if (share.size() == 2) start.push_back(portable_log(share[1]) - portable_log(share[0]));
      if (share.size() > 2)
        for (const double s : share) start.push_back(portable_log(s));
    }
    return start;
  }

  void evaluate(const LossRows& rows, double* loss, float* derivatives) const override {
    const Target& target = rows.target;
    if (target.n_outputs == 1 && target.n_classes[0] == 2)
      return loss_kernels().evaluate_odds(rows.scores, target.labels + rows.begin,
                                          rows.end - rows.begin, loss, derivatives);
    const std::size_t n = n_scores(target);
    std::vector<double> shares(n);
    for (std::size_t i = rows.begin; i < rows.end; ++i) {
      const double* scores = rows.scores + (i - rows.begin) * n;
      float* g = derivatives + (i - rows.begin) * 2 * n;
      double sum = 0.0;
      std::size_t first = 0;
      for (std::size_t o = 0; o < target.n_outputs; ++o) {
        const int n_classes = target.n_classes[o];
        const auto label = static_cast<std::size_t>(target.labels[i * target.n_outputs + o]);
        float* const own_g = g + first;
        float* const own_h = g + n + first;
        if (n_classes == 1)
          *own_g = *own_h = 0.0F;
        else if (n_classes == 2)
          sum += odds_of(scores[first], label == 1, own_g, own_h);
        else
          sum += evaluate_softmax(scores + first, scores_of(n_classes), label, shares.data(), own_g,
                                  own_h);
        first += scores_of(n_classes);
      }
      loss[i - rows.begin] = sum;
    }
  }
};

}  // namespace

std::shared_ptr<const Loss> log_loss() { return std::make_shared<LogLoss>(); }

}  // namespace mf::boost
