#include "split/project.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace mf {
namespace {

// Below this share of all rows a node reads whole rows instead of columns: its rows are then so far
// apart in a column that every read is a cache miss, while a row serves all candidates of the node.
constexpr std::size_t kRowMajorShare = 32;

// Up to this area a patch of a small node is summed pixel by pixel from the row: one or two cache
// lines, against four distant ones in the summed-area table.
constexpr std::size_t kDirectArea = 48;

// The value of N terms at one row, always summed in term order.
template <int N, class U, class A>
class TermSum {
 public:
  TermSum(const Table<U>& table, const Term* terms) : stride_(table.row_stride) {
    for (int t = 0; t < N; ++t) {
      column_[t] = table.column(terms[t].column);
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

// Turns value(i) into keys in one pass; integers never miss, floats miss where they are NaN.
template <class Value>
KeyRange fill_keys(std::span<Key> keys, const Value& value) {
  constexpr bool kInteger = std::is_same_v<decltype(value(std::size_t{0})), std::int32_t>;
  KeyRange range;
  range.integer = kInteger;
  Key low = range.min, high = range.max;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if constexpr (kInteger) {
      const Key key = key_of(value(i));
      keys[i] = key;
      low = std::min(low, key);
      high = std::max(high, key);
    } else {
      const Key key = key_of(static_cast<float>(value(i)));
      keys[i] = key;
      const bool missing = key == kMissing;
      range.n_missing += missing ? 1 : 0;
      low = std::min(low, key);
      high = std::max(high, missing ? Key{0} : key);
    }
  }
  range.min = low;
  range.max = high;
  return range;
}

// Sums terms and turns them into keys. `mask` keeps the low bits of tables that hold no more.
template <class A, class U>
KeyRange project_terms(const Table<U>& table, const std::vector<Term>& terms,
                       std::span<const Row> rows, std::span<Key> keys, std::vector<A>& partial,
                       std::int32_t mask = -1) {
  auto finish = [mask](A sum) {
    if constexpr (std::is_same_v<A, std::int32_t>)
      return sum & mask;
    else
      return sum;
  };
  // Four terms at a time; up to four, which is all that most atoms have, need no second pass.
  std::size_t t = 0;
  if (terms.size() > 4) {
    partial.assign(rows.size(), A{0});
    for (; t + 4 < terms.size(); t += 4) {
      const TermSum<4, U, A> four(table, &terms[t]);
      for (std::size_t i = 0; i < rows.size(); ++i) partial[i] = four.add_to(partial[i], rows[i]);
    }
  }
  auto last = [&]<int N>(std::integral_constant<int, N>) {
    const TermSum<N, U, A> sum(table, terms.data() + t);
    if (t > 0)
      return fill_keys(keys,
                       [&](std::size_t i) { return finish(sum.add_to(partial[i], rows[i])); });
    return fill_keys(keys, [&](std::size_t i) { return finish(sum.add_to(A{0}, rows[i])); });
  };
  switch (terms.size() - t) {
    case 4:
      return last(std::integral_constant<int, 4>{});
    case 3:
      return last(std::integral_constant<int, 3>{});
    case 2:
      return last(std::integral_constant<int, 2>{});
    default:
      return last(std::integral_constant<int, 1>{});
  }
}

template <class T>
class DatasetProjector final : public Projector {
 public:
  DatasetProjector(const Dataset<T>& data, const Geometry& geometry)
      : data_(data), geometry_(geometry) {}

  void start_tree(const Rotation& rotation) override {
    rotated_.clear();
    if (rotation.empty()) return;
    // Coordinates that are not rotated are read from the raw data, through the identity here.
    const std::size_t n = data_.n_rows(), r = rotation.dims.size();
    rotated_.resize(n * r);
    rotated_column_.assign(data_.n_features(), -1);
    for (std::size_t k = 0; k < r; ++k)
      rotated_column_[static_cast<std::size_t>(rotation.dims[k])] = static_cast<std::int32_t>(k);
    std::vector<double> sums(r);
    std::vector<float> out(r);
    for (std::size_t i = 0; i < n; ++i) {
      rotate_row(data_.matrix().row(i), rotation, sums.data(), out.data());
      for (std::size_t k = 0; k < r; ++k) rotated_[k * n + i] = out[k];
    }
  }

  KeyRange project(const Atom& atom, std::span<const Row> rows, std::span<Key> keys) override {
    compile(atom, geometry_, compiled_);
    switch (compiled_.source) {
      case Source::raw:
        return project_raw(rows, keys);
      case Source::summed:
        return project_patch(atom, rows, keys);
      case Source::rotated:
        return project_rotated(rows, keys);
    }
    return {};
  }

  void read_row(Row row, float* out) const override {
    const T* from = data_.matrix().row(static_cast<std::size_t>(row));
    for (std::size_t j = 0; j < data_.n_features(); ++j) out[j] = static_cast<float>(from[j]);
  }

 private:
  static constexpr bool kIntegerData = std::is_same_v<T, std::uint8_t>;

  bool is_small(std::span<const Row> rows) const {
    return rows.size() * kRowMajorShare < data_.n_rows();
  }

  KeyRange project_raw(std::span<const Row> rows, std::span<Key> keys) {
    Table<T> table = data_.feature_major();
    if (!table || is_small(rows)) table = data_.row_major();
    return sum_columns(table, rows, keys);
  }

  // Integers when data and weights are whole, double rounded to float otherwise.
  template <class U>
  KeyRange sum_columns(const Table<U>& table, std::span<const Row> rows, std::span<Key> keys) {
    if (kIntegerData && compiled_.whole)
      return project_terms(table, compiled_.terms, rows, keys, integers_);
    return project_terms(table, compiled_.terms, rows, keys, doubles_);
  }

  KeyRange project_patch(const Atom& atom, std::span<const Row> rows, std::span<Key> keys) {
    const Grid& grid = geometry_.grids[static_cast<std::size_t>(compiled_.grid)];
    if (kIntegerData && is_small(rows) && patch_area(atom, grid) <= kDirectArea)
      return sum_pixels(atom, grid, rows, keys);
    if (const Table<std::uint16_t> narrow = data_.narrow(compiled_.grid))
      return project_terms(narrow, compiled_.terms, rows, keys, integers_, 0xffff);
    const KeyRange range = sum_columns(data_.summed(compiled_.grid), rows, keys);
    const Table<std::int32_t> missing = data_.missing(compiled_.grid);
    if (!missing) return range;
    missing_counts_.resize(rows.size());
    project_terms(missing, compiled_.terms, rows, missing_counts_, integers_);
    const Key none = key_of(std::int32_t{0});
    return fill_keys(keys, [&](std::size_t i) {
      return missing_counts_[i] == none ? float_of(keys[i])
                                        : std::numeric_limits<float>::quiet_NaN();
    });
  }

  KeyRange sum_pixels(const Atom& atom, const Grid& grid, std::span<const Row> rows,
                      std::span<Key> keys) {
    patch_features(atom, grid, pixels_);
    return fill_keys(keys, [&](std::size_t i) {
      const T* example = data_.matrix().row(static_cast<std::size_t>(rows[i]));
      std::int32_t sum = 0;
      for (const std::int32_t pixel : pixels_) sum += static_cast<std::int32_t>(example[pixel]);
      return sum;
    });
  }

  KeyRange project_rotated(std::span<const Row> rows, std::span<Key> keys) {
    const std::int32_t column =
        rotated_column_[static_cast<std::size_t>(compiled_.terms[0].column)];
    if (column < 0) return sum_columns(data_.row_major(), rows, keys);
    const float* values = rotated_.data() + static_cast<std::size_t>(column) * data_.n_rows();
    return fill_keys(keys, [&](std::size_t i) { return values[rows[i]]; });
  }

  const Dataset<T>& data_;
  const Geometry& geometry_;
  CompiledAtom compiled_;
  std::vector<std::int32_t> integers_, pixels_;
  std::vector<Key> missing_counts_;
  std::vector<double> doubles_;
  std::vector<float> rotated_;  // feature-major, rotated dims only
  std::vector<std::int32_t> rotated_column_;
};

}  // namespace

std::unique_ptr<Projector> make_projector(const Dataset<std::uint8_t>& data,
                                          const Geometry& geometry) {
  return std::make_unique<DatasetProjector<std::uint8_t>>(data, geometry);
}
std::unique_ptr<Projector> make_projector(const Dataset<float>& data, const Geometry& geometry) {
  return std::make_unique<DatasetProjector<float>>(data, geometry);
}

}  // namespace mf
