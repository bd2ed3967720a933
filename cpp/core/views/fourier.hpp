// The discrete Fourier transform of real series of any length, with the same bits on every build.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace mf {

struct Complex {
  double re = 0.0, im = 0.0;
};

// Sums over t of in[t] exp(-2 pi i k t / n), for k from 0 to n - 1, by the factors of the length n:
// O(n (sum of its prime factors)).
class FactorTransform {
 public:
  explicit FactorTransform(std::size_t length);

  std::vector<Complex> operator()(const std::vector<Complex>& in) const;

 private:
  // The transform of n entries that lie `step` apart, from `in` to `out`; n * step is the length.
  // level: which of the factors divides n first.
  void transform(const Complex* in, std::size_t step, std::size_t n, std::size_t level,
                 Complex* out, Complex* scratch) const;

  std::vector<std::size_t> factors_;
  std::vector<Complex> roots_;  // exp(-2 pi i k / length)
};

// The same of a real series in O(n log n): lengths with a large prime factor are a convolution
// (Bluestein), whose length may be a power of two.
class FourierTransform {
 public:
  explicit FourierTransform(std::size_t length);

  std::vector<Complex> operator()(const float* series) const;

 private:
  std::vector<Complex> convolve(const float* series) const;

  std::size_t length_;
  FactorTransform transform_;   // of the length, or of the convolution
  std::vector<Complex> chirp_;  // exp(-pi i k^2 / length), if there is a convolution
  std::vector<Complex> kernel_;
};

}  // namespace mf
