// Sums of a few columns, one value per row.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoms/compiled.hpp"
#include "data/table.hpp"

namespace mf::train {

constexpr int kTermsAtOnce = 4;  // a patch in two dimensions, and most sparse atoms

// Whole sums are taken modulo 2^32: entries of a summed-area table may leave 31 bits on the way to
// a sum that does not.
using Modular = std::uint32_t;

// N weighted terms, always summed in their order. A is double, or Modular where weights are whole.
template <int N, class U, class A>
class WeightedSum {
 public:
  WeightedSum(const Table<U>& table, const Term* terms) : stride_(table.row_stride) {
    for (int t = 0; t < N; ++t) {
      column_[t] = table.column(terms[t].column);
      if constexpr (std::is_same_v<A, Modular>)
        weight_[t] = static_cast<A>(static_cast<std::int32_t>(terms[t].weight));
      else
        weight_[t] = static_cast<A>(terms[t].weight);
    }
  }
  A add_to(A sum, Row row) const {
    const std::ptrdiff_t at = row * stride_;
    for (int t = 0; t < N; ++t) sum += weight_[t] * static_cast<A>(column_[t][at]);
    return sum;
  }

 private:
  const U* column_[N];
  A weight_[N];
  std::ptrdiff_t stride_;
};

// P terms of weight +1 and N of weight -1, in integers: nothing to multiply.
template <int P, int N, class U>
class SignedSum {
 public:
  SignedSum(const Table<U>& table, std::span<const Term> terms) : stride_(table.row_stride) {
    int plus = 0, minus = P;
    for (const Term& term : terms)
      column_[term.weight > 0.0F ? plus++ : minus++] = table.column(term.column);
  }
  std::int32_t operator()(Row row) const {
    const std::ptrdiff_t at = row * stride_;
    Modular sum = 0;
    for (int t = 0; t < P; ++t) sum += static_cast<Modular>(column_[t][at]);
    for (int t = P; t < P + N; ++t) sum -= static_cast<Modular>(column_[t][at]);
    return static_cast<std::int32_t>(sum);
  }

 private:
  const U* column_[P + N];
  std::ptrdiff_t stride_;
};

// Calls use(std::integral_constant<int, n>) for 0 <= n <= kMax.
template <int kMax, class Use>
auto with_constant(int n, const Use& use) {
  if constexpr (kMax > 0)
    if (n < kMax) return with_constant<kMax - 1>(n, use);
  return use(std::integral_constant<int, kMax>{});
}

// Calls use(row -> sum), made for the number of signs, and returns what it returns; the terms are
// at most kTermsAtOnce and all of weight +1 or -1.
template <class U, class Use>
auto with_signed_sum(const Table<U>& table, std::span<const Term> terms, const Use& use) {
  int n_plus = 0;
  for (const Term& term : terms) n_plus += term.weight > 0.0F ? 1 : 0;
  return with_constant<kTermsAtOnce>(n_plus, [&]<int P>(std::integral_constant<int, P>) {
    constexpr int kLeast = P == 0 ? 1 : 0;  // there is at least one term
    const int n_minus = static_cast<int>(terms.size()) - P;
    return with_constant<kTermsAtOnce - P - kLeast>(
        n_minus - kLeast, [&]<int M>(std::integral_constant<int, M>) {
          return use(SignedSum<P, M + kLeast, U>(table, terms));
        });
  });
}

inline bool few_of_unit_weight(std::span<const Term> terms) {
  if (terms.size() > kTermsAtOnce) return false;
  for (const Term& term : terms)
    if (std::abs(term.weight) != 1.0F) return false;
  return true;
}

// Calls use(i -> sum of the terms at rows[i]) and returns what it returns. All but the last few
// terms are summed into `partial` first.
template <class A, class U, class Use>
auto with_weighted_sum(const Table<U>& table, std::span<const Term> terms,
                       std::span<const Row> rows, std::vector<A>& partial, const Use& use) {
  std::size_t t = 0;
  if (terms.size() > kTermsAtOnce) {
    partial.assign(rows.size(), A{0});
    for (; t + kTermsAtOnce < terms.size(); t += kTermsAtOnce) {
      const WeightedSum<kTermsAtOnce, U, A> some(table, &terms[t]);
      for (std::size_t i = 0; i < rows.size(); ++i) partial[i] = some.add_to(partial[i], rows[i]);
    }
  }
  const int rest = static_cast<int>(terms.size() - t) - 1;
  return with_constant<kTermsAtOnce - 1>(rest, [&]<int R>(std::integral_constant<int, R>) {
    const WeightedSum<R + 1, U, A> sum(table, &terms[t]);
    if (t > 0) return use([&](std::size_t i) { return sum.add_to(partial[i], rows[i]); });
    return use([&](std::size_t i) { return sum.add_to(A{0}, rows[i]); });
  });
}

}  // namespace mf::train
