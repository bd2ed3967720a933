#include "views/fourier.hpp"

#include <algorithm>

namespace mf {
namespace {

constexpr std::size_t kLargePrime = 61;  // from here on a convolution is faster

// Cosine and sine of 0 <= x <= pi / 4, by their series.
Complex portable_cos_sin(double x) {
  const double square = x * x;
  double cosine = 1.0, sine = 1.0;
  for (int k = 20; k >= 2; k -= 2) {
    cosine = 1.0 - square / (k * (k - 1)) * cosine;
    sine = 1.0 - square / (k * (k + 1)) * sine;
  }
  return {cosine, x * sine};
}

// exp(2 pi i k / n) for 0 <= k < n: angles are brought below an eighth of a turn in whole numbers.
Complex root_of_unity(std::size_t k, std::size_t n) {
  constexpr double kTurn = 6.283185307179586476925286766559;
  if (2 * k > n) {
    const Complex mirrored = root_of_unity(n - k, n);
    return {mirrored.re, -mirrored.im};
  }
  if (4 * k > n) {  // 1/2 - k/n is (n - 2k) / 2n
    const Complex mirrored = root_of_unity(n - 2 * k, 2 * n);
    return {-mirrored.re, mirrored.im};
  }
  if (8 * k > n) {  // 1/4 - k/n is (n - 4k) / 4n
    const Complex mirrored = root_of_unity(n - 4 * k, 4 * n);
    return {mirrored.im, mirrored.re};
  }
  return portable_cos_sin(kTurn * static_cast<double>(k) / static_cast<double>(n));
}

Complex conjugate(const Complex& z) { return {z.re, -z.im}; }

Complex product(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Ascending.
std::vector<std::size_t> prime_factors(std::size_t n) {
  std::vector<std::size_t> factors;
  for (std::size_t p = 2; n > 1;) {
    if (p * p > n) p = n;
    if (n % p == 0) {
      factors.push_back(p);
      n /= p;
    } else {
      ++p;
    }
  }
  return factors;
}

// The length itself, or that of a convolution in its place.
std::size_t transformed_length(std::size_t length) {
  const std::vector<std::size_t> factors = prime_factors(length);
  if (factors.empty() || factors.back() < kLargePrime) return length;
  std::size_t power = 1;
  while (power < 2 * length - 1) power *= 2;
  return power;
}

}  // namespace

FactorTransform::FactorTransform(std::size_t length) : factors_(prime_factors(length)) {
  for (std::size_t k = 0; k < length; ++k) roots_.push_back(conjugate(root_of_unity(k, length)));
}

std::vector<Complex> FactorTransform::operator()(const std::vector<Complex>& in) const {
  std::vector<Complex> out(in.size()), scratch(factors_.empty() ? 0 : factors_.back());
  transform(in.data(), 1, in.size(), 0, out.data(), scratch.data());
  return out;
}

// Cooley and Tukey: the p transforms of every p-th entry, then p terms for each frequency. The
// terms of the frequencies j, j + m, j + 2m, ... (m = n / p) are the same but for roots of unity.
void FactorTransform::transform(const Complex* in, std::size_t step, std::size_t n,
                                std::size_t level, Complex* out, Complex* scratch) const {
  if (n == 1) {
    *out = *in;
    return;
  }
  const std::size_t p = factors_[level], m = n / p, length = roots_.size();
  for (std::size_t r = 0; r < p; ++r)
    transform(in + r * step, step * p, m, level + 1, out + r * m, scratch);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t r = 0; r < p; ++r) scratch[r] = product(out[r * m + j], roots_[r * j * step]);
    for (std::size_t q = 0; q < p; ++q) {
      Complex sum = scratch[0];
      for (std::size_t r = 1; r < p; ++r) {
        const Complex term = product(scratch[r], roots_[q * r % p * (length / p)]);
        sum.re += term.re;
        sum.im += term.im;
      }
      out[q * m + j] = sum;
    }
  }
}

FourierTransform::FourierTransform(std::size_t length)
    : length_(length), transform_(transformed_length(length)) {
  const std::size_t size = transformed_length(length);
  if (size == length) return;
  std::vector<Complex> around(size);
  for (std::size_t k = 0; k < length; ++k) {
    const Complex root = root_of_unity(k * k % (2 * length), 2 * length);
    chirp_.push_back(conjugate(root));
    around[k] = around[(size - k) % size] = root;
  }
  kernel_ = transform_(around);
}

std::vector<Complex> FourierTransform::operator()(const float* series) const {
  if (!chirp_.empty()) return convolve(series);
  std::vector<Complex> in(length_);
  for (std::size_t t = 0; t < length_; ++t) in[t].re = static_cast<double>(series[t]);
  return transform_(in);
}

// kt = (k^2 + t^2 - (k - t)^2) / 2: the sum is the series times a chirp, convolved with the
// opposite chirp. The inverse transform is that of the conjugate.
std::vector<Complex> FourierTransform::convolve(const float* series) const {
  std::vector<Complex> in(kernel_.size());
  for (std::size_t t = 0; t < length_; ++t) {
    const auto x = static_cast<double>(series[t]);
    in[t] = {x * chirp_[t].re, x * chirp_[t].im};
  }
  std::vector<Complex> found = transform_(in);
  for (std::size_t k = 0; k < found.size(); ++k)
    found[k] = conjugate(product(found[k], kernel_[k]));
  found = transform_(found);
  found.resize(length_);
  const auto size = static_cast<double>(kernel_.size());
  for (std::size_t k = 0; k < length_; ++k) {
    const Complex z = product(conjugate(found[k]), chirp_[k]);
    found[k] = {z.re / size, z.im / size};
  }
  return found;
}

}  // namespace mf
