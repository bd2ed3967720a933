#include "split/column_sums.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "split/fill_keys.hpp"

namespace mf::train {
namespace {

constexpr int kTermsAtOnce = 4;  // a patch in two dimensions, and most sparse atoms

// N weighted terms, always summed in their order. A is double, or Modular where weights are whole.
// kUnit: rows are neighbours, as in columns, and need no multiplication.
template <int N, class U, class A, bool kUnit>
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
    const std::ptrdiff_t at = kUnit ? row : row * stride_;
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

// Whether with_signed_sum is made for the terms: few, of weight +1 or -1, no more of them negative
// than positive, as in patches and in half of the sparse atoms.
bool fits_signed_sum(std::span<const Term> terms) {
  if (terms.size() > kTermsAtOnce) return false;
  float sum = 0.0F;
  for (const Term& term : terms) {
    if (std::abs(term.weight) != 1.0F) return false;
    sum += term.weight;
  }
  return sum >= 0.0F;
}

// Calls use(row -> sum), made for the number of signs, and returns what it returns.
template <class U, class Use>
auto with_signed_sum(const Table<U>& table, std::span<const Term> terms, const Use& use) {
  int n_plus = 0;
  for (const Term& term : terms) n_plus += term.weight > 0.0F ? 1 : 0;
  const int n_minus = static_cast<int>(terms.size()) - n_plus;
  return with_constant<kTermsAtOnce - 1>(n_plus - 1, [&]<int P>(std::integral_constant<int, P>) {
    constexpr int kPlus = P + 1;
    return with_constant<std::min(kPlus, kTermsAtOnce - kPlus)>(
        n_minus, [&]<int M>(std::integral_constant<int, M>) {
          return use(SignedSum<kPlus, M, U>(table, terms));
        });
  });
}

// Calls use(i -> sum of the terms at rows[i]) and returns what it returns. All but the last few
// terms are summed into `partial` first.
template <bool kUnit, class A, class U, class Use>
auto with_sum_of_stride(const Table<U>& table, std::span<const Term> terms,
                        std::span<const Row> rows, std::vector<A>& partial, const Use& use) {
  std::size_t t = 0;
  if (terms.size() > kTermsAtOnce) {
    partial.assign(rows.size(), A{0});
    for (; t + kTermsAtOnce < terms.size(); t += kTermsAtOnce) {
      const WeightedSum<kTermsAtOnce, U, A, kUnit> some(table, &terms[t]);
      for (std::size_t i = 0; i < rows.size(); ++i) partial[i] = some.add_to(partial[i], rows[i]);
    }
  }
  const int rest = static_cast<int>(terms.size() - t) - 1;
  return with_constant<kTermsAtOnce - 1>(rest, [&]<int R>(std::integral_constant<int, R>) {
    const WeightedSum<R + 1, U, A, kUnit> sum(table, &terms[t]);
    if (t > 0) return use([&](std::size_t i) { return sum.add_to(partial[i], rows[i]); });
    return use([&](std::size_t i) { return sum.add_to(A{0}, rows[i]); });
  });
}

template <class A, class U, class Use>
auto with_weighted_sum(const Table<U>& table, std::span<const Term> terms,
                       std::span<const Row> rows, std::vector<A>& partial, const Use& use) {
  return table.row_stride == 1 ? with_sum_of_stride<true>(table, terms, rows, partial, use)
                               : with_sum_of_stride<false>(table, terms, rows, partial, use);
}

KeyRange sum_columns(const Table<float>& table, std::span<const Term> terms,
                     std::span<const Row> rows, std::span<Key> keys) {
  FloatTerms few{.n = terms.size()};
  for (std::size_t t = 0; t < terms.size(); ++t) {
    few.columns[t] = table.column(terms[t].column);
    few.weights[t] = static_cast<double>(terms[t].weight);
  }
  KeyRange range;
  kernels().sum_float_keys(few, rows.data(), rows.size(), keys.data(), range);
  return range;
}

}  // namespace

template <class U>
KeyRange project_integers(const Table<U>& table, std::span<const Term> terms,
                          std::span<const Row> rows, std::span<Key> keys,
                          std::vector<Modular>& partial, std::int32_t mask) {
  if (fits_signed_sum(terms))
    return with_signed_sum(table, terms, [&](const auto& sum) {
      return fill_keys(keys, [&](std::size_t i) { return sum(rows[i]) & mask; });
    });
  return with_weighted_sum(table, terms, rows, partial, [&](const auto& sum) {
    return fill_keys(keys, [&](std::size_t i) { return static_cast<std::int32_t>(sum(i)) & mask; });
  });
}
template KeyRange project_integers(const Table<std::uint8_t>&, std::span<const Term>,
                                   std::span<const Row>, std::span<Key>, std::vector<Modular>&,
                                   std::int32_t);
template KeyRange project_integers(const Table<std::uint16_t>&, std::span<const Term>,
                                   std::span<const Row>, std::span<Key>, std::vector<Modular>&,
                                   std::int32_t);
template KeyRange project_integers(const Table<std::uint32_t>&, std::span<const Term>,
                                   std::span<const Row>, std::span<Key>, std::vector<Modular>&,
                                   std::int32_t);

template <class U>
KeyRange project_floats(const Table<U>& table, std::span<const Term> terms,
                        std::span<const Row> rows, std::span<Key> keys,
                        std::vector<double>& partial) {
  if constexpr (std::is_same_v<U, float>)
    if (table.row_stride == 1 && terms.size() <= FloatTerms::kMost)
      return sum_columns(table, terms, rows, keys);
  if (terms.size() == 1 && terms[0].weight == 1.0F) {
    const U* column = table.column(terms[0].column);
    const std::ptrdiff_t stride = table.row_stride;
    return fill_keys(keys,
                     [&](std::size_t i) { return static_cast<float>(column[rows[i] * stride]); });
  }
  return with_weighted_sum(table, terms, rows, partial, [&](const auto& sum) {
    return fill_keys(keys, [&](std::size_t i) { return static_cast<float>(sum(i)); });
  });
}
template KeyRange project_floats(const Table<std::uint8_t>&, std::span<const Term>,
                                 std::span<const Row>, std::span<Key>, std::vector<double>&);
template KeyRange project_floats(const Table<float>&, std::span<const Term>, std::span<const Row>,
                                 std::span<Key>, std::vector<double>&);
template KeyRange project_floats(const Table<double>&, std::span<const Term>, std::span<const Row>,
                                 std::span<Key>, std::vector<double>&);

}  // namespace mf::train
