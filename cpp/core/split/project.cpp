#include "split/project.hpp"

#include <algorithm>

namespace mf {
namespace {

// Below this share of all rows a node reads whole rows instead of columns: its rows are then so far
// apart in a column that every read is a cache miss, while a row serves all candidates of the node.
constexpr std::size_t kRowMajorShare = 32;

// Up to this area a patch of a small node is summed pixel by pixel from the row: one or two cache
// lines, against four distant ones in the summed-area table.
constexpr std::size_t kDirectArea = 48;

// acc[i] += sum_t weight_t * column_t[row_i], N terms at a time, always in term order.
template <int N, class U, class A>
void add_terms(const Table<U>& table, const Term* terms, std::span<const Row> rows, A* acc) {
  const U* column[N];
  A weight[N];
  for (int t = 0; t < N; ++t) {
    column[t] = table.column(terms[t].column);
    weight[t] = static_cast<A>(terms[t].weight);
  }
  const std::ptrdiff_t stride = table.row_stride;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::ptrdiff_t at = rows[i] * stride;
    A sum = acc[i];
    for (int t = 0; t < N; ++t) sum += weight[t] * static_cast<A>(column[t][at]);
    acc[i] = sum;
  }
}

template <class U, class A>
void sum_terms(const Table<U>& table, const std::vector<Term>& terms, std::span<const Row> rows,
               std::vector<A>& acc) {
  acc.assign(rows.size(), A{0});
  std::size_t t = 0;
  for (; t + 4 <= terms.size(); t += 4) add_terms<4>(table, &terms[t], rows, acc.data());
  switch (terms.size() - t) {
    case 3:
      add_terms<3>(table, &terms[t], rows, acc.data());
      break;
    case 2:
      add_terms<2>(table, &terms[t], rows, acc.data());
      break;
    case 1:
      add_terms<1>(table, &terms[t], rows, acc.data());
      break;
    default:
      break;
  }
}

KeyRange to_keys(const std::vector<std::int32_t>& sums, std::span<Key> keys) {
  KeyRange range;
  range.integer = true;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Key key = key_of(sums[i]);
    keys[i] = key;
    range.min = std::min(range.min, key);
    range.max = std::max(range.max, key);
  }
  return range;
}

KeyRange range_of(std::span<const Key> keys) {
  KeyRange range;
  for (const Key key : keys) {
    if (key == kMissing) {
      ++range.n_missing;
      continue;
    }
    range.min = std::min(range.min, key);
    range.max = std::max(range.max, key);
  }
  return range;
}

KeyRange to_keys(const std::vector<double>& sums, std::span<Key> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(static_cast<float>(sums[i]));
  return range_of(keys);
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
    if (kIntegerData && compiled_.whole) {
      sum_terms(table, compiled_.terms, rows, integers_);
      return to_keys(integers_, keys);
    }
    sum_terms(table, compiled_.terms, rows, doubles_);
    return to_keys(doubles_, keys);
  }

  KeyRange project_patch(const Atom& atom, std::span<const Row> rows, std::span<Key> keys) {
    const Grid& grid = geometry_.grids[static_cast<std::size_t>(compiled_.grid)];
    if (kIntegerData && is_small(rows) && patch_area(atom, grid) <= kDirectArea)
      return sum_pixels(atom, grid, rows, keys);
    if (const Table<std::uint16_t> narrow = data_.narrow(compiled_.grid)) {
      sum_terms(narrow, compiled_.terms, rows, integers_);
      for (std::int32_t& sum : integers_) sum &= 0xffff;
      return to_keys(integers_, keys);
    }
    KeyRange range = sum_columns(data_.summed(compiled_.grid), rows, keys);
    if (const Table<std::int32_t> missing = data_.missing(compiled_.grid)) {
      sum_terms(missing, compiled_.terms, rows, integers_);
      for (std::size_t i = 0; i < keys.size(); ++i)
        if (integers_[i] > 0) keys[i] = kMissing;
      range = range_of(keys);
    }
    return range;
  }

  KeyRange sum_pixels(const Atom& atom, const Grid& grid, std::span<const Row> rows,
                      std::span<Key> keys) {
    patch_features(atom, grid, pixels_);
    integers_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const T* example = data_.matrix().row(static_cast<std::size_t>(rows[i]));
      std::int32_t sum = 0;
      for (const std::int32_t pixel : pixels_) sum += static_cast<std::int32_t>(example[pixel]);
      integers_[i] = sum;
    }
    return to_keys(integers_, keys);
  }

  KeyRange project_rotated(std::span<const Row> rows, std::span<Key> keys) {
    const std::int32_t column =
        rotated_column_[static_cast<std::size_t>(compiled_.terms[0].column)];
    if (column < 0) return sum_columns(data_.row_major(), rows, keys);
    const float* values = rotated_.data() + static_cast<std::size_t>(column) * data_.n_rows();
    for (std::size_t i = 0; i < rows.size(); ++i) keys[i] = key_of(values[rows[i]]);
    return range_of(keys);
  }

  const Dataset<T>& data_;
  const Geometry& geometry_;
  CompiledAtom compiled_;
  std::vector<std::int32_t> integers_, pixels_;
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
