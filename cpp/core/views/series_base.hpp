// What the views of a bank look at: each series of an example itself, its differences or its
// spectrum. A series ends behind its last value that is not missing, all series of an example with
// the one that ends last.
//
// numbers  0 the series, 1 its differences, 2 its spectrum; order and smoothing of differences,
//          otherwise 0 and 0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "views/series.hpp"

namespace mf {

class SeriesBase {
 public:
  static constexpr std::size_t kNumbers = 3;

  SeriesBase() = default;
  // Throws std::invalid_argument unless the first numbers of a spec have a meaning.
  explicit SeriesBase(const ViewSpec& spec);

  int length() const { return length_; }  // of the longest series
  std::size_t n_series() const { return n_series_; }
  const float* series(const float* example, std::size_t number) const {
    return example + number * static_cast<std::size_t>(length_);
  }
  // The length of the series of an example.
  int length_of(const float* example) const;

  // How many values a series of a length has, none if it is too short, and these values.
  int n_cells_of(int length) const;
  void compute(const float* series, int length, float* values) const;

  // The features that values begin .. end - 1 of a series depend on.
  void append_features(std::int32_t series, int begin, int end,
                       std::vector<std::int32_t>& out) const;
  // These values, for people: "times 3-7, series 1".
  std::string text(std::int32_t series, int begin, int end) const;

 private:
  enum Kind : int { kItself, kDifferences, kSpectrum, kKinds };

  Kind kind_ = kItself;
  int order_ = 0;
  std::shared_ptr<const SeriesView> view_;  // null for the series itself
  int length_ = 1;
  std::size_t n_series_ = 1;
};

}  // namespace mf
