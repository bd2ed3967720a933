// Sums of a few columns as keys, one per row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoms/compiled.hpp"
#include "data/table.hpp"
#include "split/keys.hpp"

namespace mf::train {

// Whole sums are taken modulo 2^32: partial sums of entries of a summed-area table may exceed 31
// bits where the result does not.
using Modular = std::uint32_t;

// Whole weights over whole numbers (uint8, uint16, uint32). `mask` keeps the low bits of tables
// that hold no more. `partial` is scratch memory, here and below.
template <class U>
KeyRange project_integers(const Table<U>& table, std::span<const Term> terms,
                          std::span<const Row> rows, std::span<Key> keys,
                          std::vector<Modular>& partial, std::int32_t mask = -1);

// Sums in double (of uint8, float, double), rounded to float; a single feature is taken as it is.
template <class U>
KeyRange project_floats(const Table<U>& table, std::span<const Term> terms,
                        std::span<const Row> rows, std::span<Key> keys,
                        std::vector<double>& partial);

}  // namespace mf::train
