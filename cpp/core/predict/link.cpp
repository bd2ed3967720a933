#include "predict/link.hpp"

#include <algorithm>
#include <numeric>

#include "base/softmax.hpp"

namespace mf::predict {
namespace {

std::size_t scores_of_output(Link link, int n_classes) {
  return link == Link::logistic && n_classes <= 2 ? 1 : static_cast<std::size_t>(n_classes);
}

void probabilities_of_output(Link link, int n_classes, const double* scores, double* out) {
  const auto n = static_cast<std::size_t>(n_classes);
  if (scores_of_output(link, n_classes) == n) {
    std::copy_n(scores, n, out);
    softmax(out, n);
    return;
  }
  out[0] = 0.0;  // the score of the first class, against which the other has its odds
  out[1] = *scores;
  softmax(out, 2);
}

}  // namespace

std::size_t n_scores(Link link, std::span<const int> n_classes, std::size_t n_outputs) {
  if (n_classes.empty()) return n_outputs;
  std::size_t n = 0;
  for (const int k : n_classes) n += scores_of_output(link, k);
  return n;
}

std::vector<double> apply_link(Link link, std::span<const int> n_classes,
                               std::span<const double> scores, std::size_t n_rows) {
  if (link == Link::identity || link == Link::exp) {
    std::vector<double> values(scores.begin(), scores.end());
    if (link == Link::exp)
      for (double& value : values) value = portable_exp(value);
    return values;
  }
  const auto width =
      std::accumulate(n_classes.begin(), n_classes.end(), std::size_t{0},
                      [](std::size_t sum, int k) { return sum + static_cast<std::size_t>(k); });
  std::vector<double> values(n_rows * width);
  const double* from = scores.data();
  double* to = values.data();
  for (std::size_t i = 0; i < n_rows; ++i)
    for (const int k : n_classes) {
      probabilities_of_output(link, k, from, to);
      from += scores_of_output(link, k);
      to += k;
    }
  return values;
}

}  // namespace mf::predict
