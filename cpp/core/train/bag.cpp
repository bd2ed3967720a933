#include "train/bag.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

namespace mf::train {
namespace {

constexpr int kBagRedraws = 10;  // when nothing is out of bag, as in the authors' code

// Rows that are drawn from together. Rows that are drawn or left out together, as those of one
// patient, would be one entry here in place of several.
using Stratum = std::vector<std::int32_t>;

// Rows that exist, all in one stratum or by their own.
std::vector<Stratum> strata_of(const RowWeights& rows, bool by_stratum, const auto& exists) {
  std::vector<Stratum> strata(1);
  if (!by_stratum) strata[0].reserve(rows.n_rows);  // growing takes new pages again and again
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    if (!exists(i)) continue;
    const auto g = by_stratum ? static_cast<std::size_t>(rows.strata[i]) : std::size_t{0};
    if (g >= strata.size()) strata.resize(g + 1);
    strata[g].push_back(static_cast<std::int32_t>(i));
  }
  std::erase_if(strata, [](const Stratum& g) { return g.empty(); });
  return strata;
}

// Splits `total` draws over the strata in proportion to `share`, by largest remainder.
std::vector<std::int64_t> allocate(std::int64_t total, const std::vector<double>& share) {
  const double sum = std::accumulate(share.begin(), share.end(), 0.0);
  std::vector<std::int64_t> draws(share.size());
  std::vector<std::pair<double, std::size_t>> remainder;
  std::int64_t given = 0;
  for (std::size_t g = 0; g < share.size(); ++g) {
    const double exact = static_cast<double>(total) * share[g] / sum;
    draws[g] = static_cast<std::int64_t>(std::floor(exact + 1e-9));
    given += draws[g];
    remainder.emplace_back(-(exact - static_cast<double>(draws[g])), g);
  }
  std::stable_sort(remainder.begin(), remainder.end());
  for (std::size_t i = 0; given < total; ++i, ++given)
    ++draws[remainder[i % remainder.size()].second];
  return draws;
}

bool equally_likely(const RowWeights& rows, const Stratum& stratum) {
  if (rows.draw_weight.same_for_all()) return true;
  const auto weight = [&](std::int32_t i) { return rows.draw_weight[static_cast<std::size_t>(i)]; };
  return std::all_of(stratum.begin(), stratum.end(),
                     [&](std::int32_t i) { return weight(i) == weight(stratum[0]); });
}

Stratum drawable_rows(const RowWeights& rows) {
  Stratum drawable;
  for (std::size_t i = 0; i < rows.n_rows; ++i)
    if (rows.draw_weight[i] > 0.0) drawable.push_back(static_cast<std::int32_t>(i));
  return drawable;
}

void draw_with_replacement(const RowWeights& rows, const Stratum& stratum, std::int64_t draws,
                           Rng& rng, PageVector<std::int32_t>& counts) {
  if (equally_likely(rows, stratum)) {
    for (std::int64_t k = 0; k < draws; ++k)
      ++counts[static_cast<std::size_t>(
          stratum[rng.below(static_cast<std::uint32_t>(stratum.size()))])];
    return;
  }
  std::vector<double> cumulative(stratum.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < stratum.size(); ++i)
    cumulative[i] = sum += rows.draw_weight[static_cast<std::size_t>(stratum[i])];
  for (std::int64_t k = 0; k < draws; ++k) {
    const auto it = std::upper_bound(cumulative.begin(), cumulative.end(), rng.uniform() * sum);
    const auto at = std::min<std::size_t>(static_cast<std::size_t>(it - cumulative.begin()),
                                          stratum.size() - 1);
    ++counts[static_cast<std::size_t>(stratum[at])];
  }
}

// Of n rows those that are drawn, or those that are not, whichever are fewer. Honest trees that
// take all draw them, too: what they draw next depends on it.
template <class RowAt>
void draw_without_replacement(const RowWeights& rows, std::uint64_t n, const RowAt& row_at,
                              std::int64_t draws, Rng& rng, PageVector<std::int32_t>& counts) {
  const auto k = std::min<std::uint64_t>(static_cast<std::uint64_t>(draws), n);
  const bool draws_others = k < n && k > n - k;
  const auto take = [&](std::uint64_t c) {
    const std::size_t i = row_at(c);
    counts[i] = static_cast<std::int32_t>(rows.row_count[i]);
  };
  DistinctDraw distinct;
  if (!draws_others) return distinct.visit(rng, n, k, take);
  for (std::uint64_t c = 0; c < n; ++c) take(c);
  distinct.visit(rng, n, n - k, [&](std::uint64_t c) { counts[row_at(c)] = 0; });
}

// Without replacement: the counts of all rows. Returns how many are present. Without branches,
// which rows that are absent here and there would make slow.
std::int64_t count_all(const RowWeights& rows, const BlockLoop& loop,
                       PageVector<std::int32_t>& counts) {
  std::atomic<std::int64_t> n_present{0};
  for_row_blocks(loop, rows.n_rows, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::int64_t n = 0;
    rows.row_weight.with_each([&](const auto& weight) {
      rows.row_count.with_each([&](const auto& given) {
        for (std::size_t i = begin; i < end; ++i) {
          const auto count = static_cast<std::int32_t>(given(i));
          counts[i] = weight(i) > 0.0 ? count : 0;
          n += counts[i] > 0 ? 1 : 0;
        }
      });
    });
    n_present += n;
  });
  return n_present;
}

// As draw_counts, of a bootstrap in which all rows are drawn alike, without a list of them.
void draw_alike(const GrowOptions& options, std::size_t n_rows, Rng& rng,
                PageVector<std::int32_t>& counts) {
  const auto n = static_cast<std::uint32_t>(n_rows);
  const std::int64_t total = options.n_draws > 0 ? options.n_draws : n;
  for (int attempt = 0; attempt <= kBagRedraws; ++attempt) {
    std::fill(counts.begin(), counts.end(), 0);
    for (std::int64_t k = 0; k < total; ++k) ++counts[rng.below(n)];
    if (std::find(counts.begin(), counts.end(), 0) != counts.end()) return;
  }
}

void draw_counts(const GrowOptions& options, const RowWeights& rows, Rng& rng,
                 const BlockLoop& loop, PageVector<std::int32_t>& counts) {
  counts.resize(rows.n_rows);
  if (options.bootstrap && !options.stratify && rows.draw_weight.same_for_all() &&
      rows.row_weight.same_for_all() && rows.draw_weight[0] > 0.0 && rows.row_weight[0] > 0.0)
    return draw_alike(options, rows.n_rows, rng, counts);
  // A row without weight is absent: it can neither be drawn nor grow a tree.
  auto exists = [&](std::size_t i) {
    return rows.row_weight[i] > 0.0 &&
           (options.bootstrap ? rows.draw_weight[i] > 0.0 : rows.row_count[i] > 0);
  };
  // Honest trees draw their parts from what the stream has left.
  if (!options.bootstrap && !options.honest) {
    const std::int64_t n_present = count_all(rows, loop, counts);
    if (options.n_draws <= 0 || options.n_draws >= n_present) return;
    if (!options.stratify && static_cast<std::size_t>(n_present) == rows.n_rows) {
      std::fill(counts.begin(), counts.end(), 0);
      return draw_without_replacement(
          rows, rows.n_rows, [](std::uint64_t c) { return static_cast<std::size_t>(c); },
          options.n_draws, rng, counts);
    }
  }
  const std::vector<Stratum> strata = strata_of(rows, options.stratify, exists);
  std::fill(counts.begin(), counts.end(), 0);
  if (strata.empty()) return;
  std::vector<double> share;
  std::size_t n_present = 0;
  for (const Stratum& g : strata) {
    double s = static_cast<double>(g.size());
    if (options.bootstrap) {
      s = 0.0;
      for (const std::int32_t i : g) s += rows.draw_weight[static_cast<std::size_t>(i)];
    }
    share.push_back(s);
    n_present += g.size();
  }
  const std::int64_t total =
      options.n_draws > 0 ? options.n_draws : static_cast<std::int64_t>(n_present);
  const std::vector<std::int64_t> draws = allocate(total, share);
  for (int attempt = 0; attempt <= kBagRedraws; ++attempt) {
    std::fill(counts.begin(), counts.end(), 0);
    for (std::size_t g = 0; g < strata.size(); ++g) {
      if (options.bootstrap)
        draw_with_replacement(rows, strata[g], draws[g], rng, counts);
      else
        draw_without_replacement(
            rows, strata[g].size(),
            [&](std::uint64_t c) { return static_cast<std::size_t>(strata[g][c]); }, draws[g], rng,
            counts);
    }
    if (!options.bootstrap) break;
    const bool some_out =
        std::any_of(counts.begin(), counts.end(), [](std::int32_t c) { return c == 0; });
    if (some_out) break;
  }
}

}  // namespace

void draw_bag(const GrowOptions& options, const RowWeights& rows, Rng& rng, const BlockLoop& loop,
              Bag& bag) {
  draw_counts(options, rows, rng, loop, bag.structure);
  bag.estimation.clear();
  if (!options.honest) return;
  // Of the n in-bag rows of a stratum, floor(f n) choose splits, f being honest_fraction, and one
  // more with the probability f n - floor(f n). At least one row of a tree chooses splits.
  bag.estimation.assign(rows.n_rows, 0);
  // Honest bags hold distinct rows, as in treeple and GRF, unless how often a row is drawn tells
  // its weight.
  const bool distinct = options.bootstrap && equally_likely(rows, drawable_rows(rows));
  std::vector<Stratum> strata =
      strata_of(rows, true, [&](std::size_t i) { return bag.structure[i] > 0; });
  std::size_t n_structure = 0, n_estimation = 0;
  for (Stratum& stratum : strata) {
    shuffle(rng, stratum);
    const double exact = options.honest_fraction * static_cast<double>(stratum.size());
    auto n_split = static_cast<std::size_t>(exact);
    if (rng.uniform() >= 1.0 - (exact - static_cast<double>(n_split))) ++n_split;
    const std::size_t n_fill = stratum.size() - n_split;
    for (std::size_t i = 0; i < stratum.size(); ++i) {
      const auto row = static_cast<std::size_t>(stratum[i]);
      const std::int32_t count = distinct ? 1 : bag.structure[row];
      bag.structure[row] = i < n_fill ? 0 : count;
      bag.estimation[row] = i < n_fill ? count : 0;
      ++(i < n_fill ? n_estimation : n_structure);
    }
  }
  if (n_structure == 0 && n_estimation > 0) {
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
      if (bag.estimation[i] == 0) continue;
      std::swap(bag.structure[i], bag.estimation[i]);
      break;
    }
  }
}

PageVector<std::int32_t> inbag_codes(Bag&& bag) {
  if (bag.estimation.empty()) return std::move(bag.structure);
  PageVector<std::int32_t> codes = std::move(bag.estimation);
  for (std::size_t i = 0; i < codes.size(); ++i)
    if (bag.structure[i] > 0) codes[i] = kOnlyGrew;
  return codes;
}

}  // namespace mf::train
