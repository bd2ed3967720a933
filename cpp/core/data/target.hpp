// What is to be predicted: class indices or real numbers, one or several outputs, or points of
// which only the distances count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mf {

// What a round of boosting learns: minus the first derivatives of the loss by the scores (here
// called gradients: they point to where the loss falls) and the second ones (hessians), both
// without the weight of the row. A view: the caller owns the arrays.
struct Derivatives {
  std::size_t n_scores = 0;
  std::size_t n_hessians = 0;   // n_scores, or 1 if all scores of a row have the same
  const float* rows = nullptr;  // n × (n_scores + n_hessians): gradients, hessians
  std::vector<double> factors;  // of the Newton step of each score
  // What splits are searched by, n × (n_searched + 1): the gradients, or a few combinations of
  // them, and the sum of the hessians of all scores.
  std::size_t n_searched = 0;
  const float* searched = nullptr;

  std::size_t width() const { return n_scores + n_hessians; }
  std::size_t searched_width() const { return n_searched + 1; }
};

// A view: the caller owns the arrays.
struct Target {
  std::size_t n_rows = 0;
  std::size_t n_outputs = 0;
  std::vector<int> n_classes;            // per output; empty unless there are labels
  const std::int32_t* labels = nullptr;  // n × n_outputs, class indices
  const double* values = nullptr;        // n × n_outputs, numbers or coordinates

  // Responses on a manifold have coordinates, whose squares are added with a sign (empty: all
  // are positive), or squared distances, or both.
  std::vector<double> signs;                 // per output
  const float* squared_distances = nullptr;  // n × n, symmetric

  const Derivatives* derivatives = nullptr;  // of boosting only

  bool is_classification() const { return labels != nullptr; }
};

}  // namespace mf
