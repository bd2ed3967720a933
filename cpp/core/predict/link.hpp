// From the scores of a row, which are sums over trees, to what is predicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mf::predict {

// Outputs lie side by side, in scores and in predictions.
//   identity  the scores themselves
//   softmax   an output of K classes has K scores, of which the softmax are its probabilities
//   logistic  the same if K > 2; an output of two classes has one score, the log odds of the
//   second,
//             and one of a single class has one score that means nothing
//   exp       e^score
enum class Link : std::uint8_t { identity, softmax, logistic, exp };

// How many scores a row has. n_classes of each output; empty for regression, of n_outputs.
std::size_t n_scores(Link link, std::span<const int> n_classes, std::size_t n_outputs);

// scores: rows × n_scores. Returns rows × predictions: one for each class of each output, or one
// for each score if there are no classes.
std::vector<double> apply_link(Link link, std::span<const int> n_classes,
                               std::span<const double> scores, std::size_t n_rows);

}  // namespace mf::predict
