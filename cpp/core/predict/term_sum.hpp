// The value of an atom at one row, with the arithmetic of split/project.cpp: term by term, in
// integers where data and weights are whole, in double rounded to float otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "projections/terms.hpp"

namespace mf::predict {

// Whole weights over whole numbers, modulo 2^32 as there.
template <class U>
std::int32_t sum_whole_terms(const Term* terms, std::size_t n, const U* table) {
  std::uint32_t total = 0;
  for (std::size_t t = 0; t < n; ++t)
    total += static_cast<std::uint32_t>(static_cast<std::int32_t>(terms[t].weight)) *
             static_cast<std::uint32_t>(table[terms[t].column]);
  return static_cast<std::int32_t>(total);
}

// whole: all weights are whole numbers. A table of 16 bits holds sums modulo 2^16.
template <class U>
double value_of_terms(const Term* terms, std::size_t n, bool whole, const U* table) {
  if constexpr (std::is_integral_v<U>) {
    if (whole) {
      const std::int32_t sum = sum_whole_terms(terms, n, table);
      if constexpr (std::is_same_v<U, std::uint16_t>)
        return static_cast<double>(static_cast<std::uint16_t>(sum));
      return static_cast<double>(sum);
    }
  }
  double total = 0.0;
  for (std::size_t t = 0; t < n; ++t)
    total += static_cast<double>(terms[t].weight) * static_cast<double>(table[terms[t].column]);
  return static_cast<double>(static_cast<float>(total));
}

}  // namespace mf::predict
