// The value of an atom at one row, with the arithmetic of split/project.cpp: term by term, in
// integers where data and weights are whole, in double rounded to float otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "projections/terms.hpp"

namespace mf {

template <class A, class U>
A sum_terms(const Term* terms, std::size_t n, const U* table) {
  A total{0};
  for (std::size_t t = 0; t < n; ++t)
    total += static_cast<A>(terms[t].weight) * static_cast<A>(table[terms[t].column]);
  return total;
}

// whole: all weights are whole numbers. A table of 16 bits holds sums modulo 2^16.
template <class U>
double value_of_terms(const Term* terms, std::size_t n, bool whole, const U* table) {
  const bool integer = std::is_integral_v<U> && whole;
  if (!integer) return static_cast<double>(static_cast<float>(sum_terms<double>(terms, n, table)));
  const auto sum = sum_terms<std::int32_t>(terms, n, table);
  if (std::is_same_v<U, std::uint16_t>) return static_cast<double>(static_cast<std::uint16_t>(sum));
  return static_cast<double>(sum);
}

}  // namespace mf
