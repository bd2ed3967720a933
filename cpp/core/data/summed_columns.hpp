// Summed-area tables of many examples at once, stored column by column.
//
// Every row gets the same sums in the same order as in data/summed_area.hpp, but rows lie side by
// side, so that one addition serves as many of them as a register holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/grid.hpp"

namespace mf {

constexpr std::size_t kTransposedRows = 64;  // rows that are transposed at a time

// The tables of n <= kTransposedRows examples of n_features each, into columns that are `stride`
// apart; n_later more examples follow. T and S are uint8 and uint16 (the low bits of its sums) or
// uint32, or float and double.
template <class T, class S>
void summed_columns(const T* const* examples, std::size_t n, std::size_t n_later,
                    std::size_t n_features, const Grid& grid, S* out, std::size_t stride,
                    std::vector<T>& transposed);

// The same of how many values are missing.
void missing_columns(const float* const* examples, std::size_t n, std::size_t n_later,
                     std::size_t n_features, const Grid& grid, std::uint32_t* out,
                     std::size_t stride, std::vector<float>& transposed);

// The type of both.
template <class T, class S>
using SumColumns = void(const T* const*, std::size_t, std::size_t, std::size_t, const Grid&, S*,
                        std::size_t, std::vector<T>&);

}  // namespace mf
