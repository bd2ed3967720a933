// Hot loops that are compiled once per instruction set and chosen when the program starts.
//
// They see plain arrays only. Every variant computes the same integers, so a forest does not depend
// on the machine; tests run each variant that the machine supports against the baseline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mf {

// Where the best cut of some bins or rows lies; found is false if none beats the score to beat.
struct BinCut {
  bool found = false;
  std::uint32_t last_left = 0;    // last occupied bin on the left, or key for small nodes
  std::uint32_t first_right = 0;  // first occupied bin on the right, or key
  double score = 0.0;             // sum_k L_k^2 / W_L + sum_k R_k^2 / W_R
};

// What a cut must satisfy to count.
struct CutRules {
  double score_to_beat = 0.0;
  double tolerance = 0.0;  // scores closer than this are ties, and the lowest cut wins
  std::uint32_t min_child = 1;
};

// The rows of a node with at most 64 of them, as sets of bits: plane b of class c holds the rows of
// the class whose weight has bit b.
struct SmallNode {
  static constexpr std::size_t kMaxRows = 64;

  std::size_t n_rows = 0;
  std::vector<std::uint64_t> planes;  // n_present × n_planes
  std::vector<std::uint32_t> totals;  // weight of each class present
  std::size_t n_present = 0, n_planes = 0;
};

struct Kernels {
  const char* name;
  // bin[i] = (keys[i] - min) >> shift
  void (*bin_by_shift)(const std::uint32_t* keys, std::size_t n, std::uint32_t min, int shift,
                       std::uint8_t* bin);
  // bin[i] = how many of at most 255 edges lie below keys[i]
  void (*bin_by_edges)(const std::uint32_t* keys, std::size_t n, const std::uint32_t* edges,
                       std::size_t n_edges, std::uint8_t* bin);
  // counts[bin * stride + label] += weight, occupied[bin] = 1
  void (*count)(const std::uint8_t* bin, const std::uint8_t* label, const std::uint16_t* weight,
                std::size_t n, std::uint32_t* counts, std::size_t stride, std::uint8_t* occupied);
  // The best cut between occupied bins by the Gini score; stride is 4, 8, 16 or 32.
  BinCut (*cut_bins)(const std::uint32_t* counts, const std::uint8_t* occupied, std::size_t n_bins,
                     std::size_t stride, const std::uint32_t* totals, std::uint32_t weight,
                     const CutRules& rules);
  // The best cut between distinct keys of a small node by the Gini score.
  BinCut (*cut_small)(const std::uint32_t* keys, const SmallNode& node, std::uint32_t weight,
                      const CutRules& rules);
};

// The variant in use: the best one the machine supports, unless a test chose another.
const Kernels& kernels();
std::vector<std::string> supported_kernels();
// Returns false if the machine does not support it.
bool use_kernels(const std::string& name);

}  // namespace mf
