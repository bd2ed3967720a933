// Portable random numbers: the same bits on every compiler and standard library.
//
// A stream is a SplitMix64 generator (Steele, Lea & Flood 2014): 64 bits of state, cheap to seed,
// so that every node of every tree can have its own. Streams are derived by hashing, never by
// sharing: stream(seed, tree) for a tree, then left() / right() along the path to a node.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/inlining.hpp"

namespace mf {

// Finaliser of SplitMix64: a bijection on 64 bits with full avalanche.
MF_INLINE std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

inline std::uint64_t combine_seeds(std::uint64_t a, std::uint64_t b) {
  return mix64(mix64(a + 0x9e3779b97f4a7c15ULL) ^
               (b * 0xd1342543de82ef95ULL + 0x632be59bd9b4e019ULL));
}

// What a tree draws, each from a stream of its own; a refinement belongs to all trees.
enum class Stream : std::uint64_t {
  bag = 1,
  rotation = 2,
  root = 3,
  start = 4,
  pass = 5,
  refinement = 6
};

inline std::uint64_t tree_seed(std::uint64_t seed, int tree, Stream stream) {
  return combine_seeds(combine_seeds(seed, static_cast<std::uint64_t>(tree)),
                       static_cast<std::uint64_t>(stream));
}

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  MF_INLINE std::uint64_t bits() { return mix64(state_ += 0x9e3779b97f4a7c15ULL); }

  // Uniform on [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

  // Uniform integer on {0, ..., bound - 1}, unbiased (Lemire 2019, rejection on the low word).
  MF_INLINE std::uint32_t below(std::uint32_t bound) {
    const std::uint64_t product = (bits() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) return reject_biased(product, bound);
    return static_cast<std::uint32_t>(product >> 32);
  }

  // The same for bounds beyond 32 bits: plain rejection under the next power of two.
  MF_INLINE std::uint64_t below64(std::uint64_t bound) {
    if (bound <= 0xffffffffULL) return below(static_cast<std::uint32_t>(bound));
    return below_power(bound);
  }

  // Uniform integer on {low, ..., high}.
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1)));
  }

  bool coin() { return (bits() >> 63) != 0; }

  // Standard normal by Marsaglia's polar method; the second value of a pair is dropped so that the
  // stream has no hidden state.
  double normal() {
    double u, v, s;
    do {
      u = 2.0 * uniform() - 1.0;
      v = 2.0 * uniform() - 1.0;
      s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    return u * std::sqrt(-2.0 * std::log(s) / s);
  }

  // Poisson by Knuth's product of uniforms, in chunks so that exp(-rate) never underflows.
  int poisson(double rate) {
    int count = 0;
    while (rate > 0.0) {
      const double chunk = rate > 30.0 ? 30.0 : rate;
      rate -= chunk;
      const double limit = std::exp(-chunk);
      for (double product = uniform(); product > limit; product *= uniform()) ++count;
    }
    return count;
  }

 private:
  // The seldom parts of below() and below64(), apart from what is inlined.
  MF_NOINLINE std::uint32_t reject_biased(std::uint64_t product, std::uint32_t bound) {
    const std::uint32_t reject = (0U - bound) % bound;
    while (static_cast<std::uint32_t>(product) < reject) product = (bits() >> 32) * bound;
    return static_cast<std::uint32_t>(product >> 32);
  }
  MF_NOINLINE std::uint64_t below_power(std::uint64_t bound) {
    std::uint64_t mask = bound - 1;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    std::uint64_t draw = bits() & mask;
    while (draw >= bound) draw = bits() & mask;
    return draw;
  }

  std::uint64_t state_;
};

// A uniformly random order (Fisher & Yates).
template <class T>
void shuffle(Rng& rng, std::vector<T>& items) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(rng.below64(i))]);
}

// The numbers 0, ..., n - 1 in uniformly random order, one at a time (Fisher & Yates, forwards):
// whoever needs the first few only draws no more.
class RandomOrder {
 public:
  // Begins another order. Takes as long as the one before was drawn, unless n is another number.
  void start(std::uint32_t n) {
    if (items_.size() != n) {
      items_.resize(n);
      for (std::uint32_t i = 0; i < n; ++i) items_[i] = i;
      partners_.resize(n);
      n_drawn_ = 0;
    }
    for (; n_drawn_ > 0; --n_drawn_) {
      items_[n_drawn_ - 1] = n_drawn_ - 1;
      items_[partners_[n_drawn_ - 1]] = partners_[n_drawn_ - 1];
    }
  }
  bool at_end() const { return n_drawn_ == items_.size(); }
  MF_INLINE std::uint32_t next(Rng& rng) {
    const auto n_left = static_cast<std::uint32_t>(items_.size()) - n_drawn_;
    const std::uint32_t partner = n_drawn_ + rng.below(n_left);
    std::swap(items_[n_drawn_], items_[partner]);
    partners_[n_drawn_] = partner;
    return items_[n_drawn_++];
  }

 private:
  std::vector<std::uint32_t> items_;     // those that are drawn come first
  std::vector<std::uint32_t> partners_;  // with which each of them has changed places
  std::uint32_t n_drawn_ = 0;
};

struct NeverStop {
  void operator()() const {}
};

// k distinct numbers of {0, ..., n - 1}, uniform over subsets, in O(k) (Floyd 1987): never shuffles
// the n numbers. The order is not uniform. Membership is kept in a small open-addressing table, of
// few or many numbers in a set of bits. check() is called now and then, and may throw.
class DistinctDraw {
 public:
  template <class Check = NeverStop>
  void draw(Rng& rng, std::uint64_t n, std::uint64_t k, std::vector<std::uint64_t>& out,
            const Check& check = {});

  // The same numbers, in any order, by visit(number): of many, none are listed.
  template <class Visit>
  void visit(Rng& rng, std::uint64_t n, std::uint64_t k, const Visit& visit);

  // The same in uniformly random order, for candidates: on ties the first one wins.
  template <class Check = NeverStop>
  void draw_shuffled(Rng& rng, std::uint64_t n, std::uint64_t k, std::vector<std::uint64_t>& out,
                     const Check& check = {}) {
    draw(rng, n, k, out, check);
    shuffle(rng, out);
  }

 private:
  static constexpr std::uint64_t kMaxBits = 1024, kFewDrawn = 4096;

  static void draw_few(Rng& rng, std::uint64_t n, std::uint64_t k, std::uint64_t* out);
  void forget(std::uint64_t n, std::uint64_t k);
  bool insert(std::uint64_t key);
  void draw_bits(Rng& rng, std::uint64_t n, std::uint64_t k);

  bool in_bits_ = false;
  std::vector<std::uint64_t> slots_;  // key + 1, or 0 for an empty slot; or a bit for each key
  std::uint64_t mask_ = 0;
};

inline void DistinctDraw::forget(std::uint64_t n, std::uint64_t k) {
  in_bits_ = k > kFewDrawn && n / 64 < k;  // a table would be larger
  std::uint64_t capacity = 8;
  while (!in_bits_ && capacity < 2 * k) capacity *= 2;
  slots_.assign(in_bits_ ? n / 64 + 1 : capacity, 0);
  mask_ = capacity - 1;
}

inline bool DistinctDraw::insert(std::uint64_t key) {
  if (in_bits_) {
    const std::uint64_t bit = std::uint64_t{1} << (key % 64), known = slots_[key / 64];
    slots_[key / 64] = known | bit;
    return (known & bit) == 0;
  }
  std::uint64_t slot = mix64(key) & mask_;
  while (slots_[slot] != 0) {
    if (slots_[slot] == key + 1) return false;
    slot = (slot + 1) & mask_;
  }
  slots_[slot] = key + 1;
  return true;
}

// The same of at most kMaxBits numbers, as most draws of features are: nothing is called, and no
// memory asked for.
inline void DistinctDraw::draw_few(Rng& rng, std::uint64_t n, std::uint64_t k, std::uint64_t* out) {
  std::uint64_t known[kMaxBits / 64];
  for (std::uint64_t word = 0; word * 64 < n; ++word) known[word] = 0;
  for (std::uint64_t j = n - k; j < n; ++j) {
    const std::uint64_t draw = rng.below(static_cast<std::uint32_t>(j + 1));
    const std::uint64_t chosen = (known[draw / 64] >> (draw % 64) & 1) != 0 ? j : draw;
    known[chosen / 64] |= std::uint64_t{1} << (chosen % 64);
    *out++ = chosen;
  }
}

template <class Check>
void DistinctDraw::draw(Rng& rng, std::uint64_t n, std::uint64_t k, std::vector<std::uint64_t>& out,
                        const Check& check) {
  constexpr std::uint64_t kBetweenChecks = 1 << 16;
  out.resize(n <= kMaxBits ? k : 0);
  if (n <= kMaxBits) return draw_few(rng, n, k, out.data());
  forget(n, k);
  for (std::uint64_t j = n - k; j < n;) {
    check();
    for (const std::uint64_t end = j + (n - j < kBetweenChecks ? n - j : kBetweenChecks); j < end;
         ++j) {
      const std::uint64_t draw = rng.below64(j + 1);
      const std::uint64_t chosen = insert(draw) ? draw : j;
      if (chosen != draw) insert(j);
      out.push_back(chosen);
    }
  }
}

// Without branches: whether a number was drawn before is hard to predict.
inline void DistinctDraw::draw_bits(Rng& rng, std::uint64_t n, std::uint64_t k) {
  for (std::uint64_t j = n - k; j < n; ++j) {
    const std::uint64_t draw = rng.below64(j + 1);
    const std::uint64_t known = slots_[draw / 64] >> (draw % 64) & 1;
    slots_[draw / 64] |= std::uint64_t{1} << (draw % 64);
    slots_[j / 64] |= known << (j % 64);
  }
}

template <class Visit>
void DistinctDraw::visit(Rng& rng, std::uint64_t n, std::uint64_t k, const Visit& visit) {
  forget(n, k);
  if (!in_bits_) {
    std::vector<std::uint64_t> drawn;
    draw(rng, n, k, drawn);
    for (const std::uint64_t number : drawn) visit(number);
    return;
  }
  draw_bits(rng, n, k);
  for (std::uint64_t word = 0; word < slots_.size(); ++word)
    for (std::uint64_t bits = slots_[word]; bits != 0; bits &= bits - 1)
      visit(word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits)));
}

}  // namespace mf
