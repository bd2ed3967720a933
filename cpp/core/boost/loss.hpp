// Losses: what boosting makes small. One file each; loss.cpp has the table.
//
// A loss is a function of the scores F of a row and of its label or response; weights of rows are
// for others to multiply with. All numbers have the same bits on every build
// (base/portable_math.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/row_numbers.hpp"
#include "data/target.hpp"

namespace mf::boost {

// Some rows that follow each other, with what is known of them.
struct LossRows {
  const Target& target;
  std::size_t begin, end;
  const double* scores;  // of row `begin`, and of those after it
};

class Loss {
 public:
  virtual ~Loss() = default;

  virtual std::string_view name() const = 0;
  // Throws std::invalid_argument with a message about y unless it can be learned.
  virtual void check(const Target& target) const = 0;
  virtual std::size_t n_scores(const Target& target) const { return target.n_outputs; }
  // Different second derivatives of a row: n_scores, or 1 if all are the same.
  virtual std::size_t n_hessians(const Target& target) const { return n_scores(target); }
  // Factors of the Newton steps, one for each score.
  virtual std::vector<double> factors(const Target& target) const {
    return std::vector<double>(n_scores(target), 1.0);
  }
  // The largest Newton step; 0 is no limit.
  virtual double max_step() const { return 0.0; }
  // Whether leaves take the median of the residuals y - F in place of a Newton step.
  virtual bool fits_medians() const { return false; }

  // The best scores that are the same for all rows.
  virtual std::vector<double> start(const Target& target,
                                    const RowNumbers<double>& weight) const = 0;

  // For each row its loss, and minus the first and the second derivatives by its scores:
  // n_scores + n_hessians numbers. The loss is what users know: twice what is differentiated for
  // squared errors and deviances, whose half has y - F or y - e^F as its derivative, and a mean
  // over outputs where derivatives are those of each.
  virtual void evaluate(const LossRows& rows, double* loss, float* derivatives) const = 0;
};

// All losses (loss.cpp).
std::span<const std::shared_ptr<const Loss>> losses();
std::shared_ptr<const Loss> find_loss(std::string_view name);

std::shared_ptr<const Loss> log_loss();
std::shared_ptr<const Loss> squared_loss();
std::shared_ptr<const Loss> absolute_loss();
std::shared_ptr<const Loss> poisson_loss();

}  // namespace mf::boost
