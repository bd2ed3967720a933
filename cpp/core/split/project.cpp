#include "split/project.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "atoms/kind.hpp"
#include "atoms/sparse.hpp"
#include "base/prefetch.hpp"
#include "split/block.hpp"
#include "split/column_sums.hpp"
#include "split/fill_keys.hpp"
#include "split/kernels/kernels.hpp"

namespace mf::train {
namespace {

// Below this share of all rows a node reads whole rows instead of columns: its rows are then so far
// apart in a column that every read is a cache miss, while a row serves all candidates of the node.
constexpr std::size_t kRowMajorShare = 32;

// Up to this area a patch of a small node is summed pixel by pixel from the row: one or two cache
// lines, against four distant ones in the summed-area table.
constexpr std::size_t kDirectArea = 48;

// Reduces the keys of one more group into those of the groups before it. Keys are ordered as
// values are; a row is missing where any of its groups is.
template <class Choose>
void merge_keys(std::span<Key> keys, std::span<const Key> more, const Choose& choose) {
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = keys[i] == kMissing || more[i] == kMissing ? kMissing : choose(keys[i], more[i]);
}

KeyRange range_of(std::span<const Key> keys, bool integer) {
  KeyRange range;
  range.integer = integer;
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

constexpr std::size_t kRotatedRows = 48;  // that stay in cache until they are columns

constexpr std::size_t kFetchedRows = 64;  // prefetching does not pay in smaller nodes

template <class T>
class DatasetProjector final : public Projector {
 public:
  DatasetProjector(const Dataset<T>& data, const Geometry& geometry)
      : data_(data), geometry_(geometry), block_(data, geometry) {
    for (std::size_t g = 0; g < geometry.grids.size(); ++g) {
      whole_.summed.push_back(data.summed(static_cast<int>(g)));
      whole_.narrow.push_back(data.narrow(static_cast<int>(g)));
      whole_.missing.push_back(data.missing(static_cast<int>(g)));
    }
  }

  void start_tree(const RotatedData* rotated) override {
    start_subtree({});
    rotated_ = rotated;
  }

  std::unique_ptr<RotatedData> new_rotated(const Rotation& rotation) const override {
    return std::make_unique<RotatedData>(rotation, data_.n_rows(), data_.n_features());
  }

  void rotate(std::size_t begin, std::size_t end, RotatedData& out) const override {
    const std::size_t n = data_.n_rows(), r = out.rotation.size();
    std::vector<double> scratch;
    std::vector<float> rotated(std::min(kRotatedRows, end - begin) * r);
    for (std::size_t first = begin; first < end; first += kRotatedRows) {
      const std::size_t m = std::min(kRotatedRows, end - first);
      out.rotation.rotate(data_.matrix(), first, m, scratch, rotated.data());
      for (std::size_t k = 0; k < r; ++k)
        for (std::size_t i = 0; i < m; ++i) out.columns[k * n + first + i] = rotated[i * r + k];
    }
  }

  std::size_t max_block_rows(std::size_t n_projections) const override {
    return block_.max_rows(n_projections);
  }

  void start_subtree(std::span<const Row> rows) override {
    in_block_ = !rows.empty();
    if (in_block_) block_.fill(rows);
  }

  void start_node(std::span<const Row> rows) override {
    rows_ = rows;
    if (in_block_) {
      tables_ = &block_.tables();
      const std::span<Row> places = room(places_, rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) places[i] = block_.place_of(rows[i]);
      at_ = places;
      return;
    }
    at_ = rows;
    tables_ = &whole_;
    small_ = rows.size() * kRowMajorShare < data_.n_rows();
    whole_.raw = data_.feature_major();
    if (!whole_.raw || small_) whole_.raw = data_.row_major();
  }

  void fetch_ahead(const Atom& atom) const override {
    if (!in_block_ || at_.size() < kFetchedRows) return;
    if (!SparseAtoms::is_one_feature(atom)) return;
    if (data_.codes() != nullptr) return fetch_codes(static_cast<std::size_t>(atom.ints[0]));
    if (block_.known_constant(static_cast<std::size_t>(atom.ints[0]))) return;
    const T* column = tables_->raw.column(atom.ints[0]);
    fetch_places(column);
  }

  Column project(const Atom& atom) override {
    if (is_one_byte(atom)) return read_bytes(static_cast<std::size_t>(atom.ints[0]));
    if (is_coded(atom)) {
      const auto feature = static_cast<std::size_t>(atom.ints[0]);
      return in_block_ || !small_ ? read_codes(feature) : read_values(feature);
    }
    if (is_one_float(atom)) return read_floats(static_cast<std::size_t>(atom.ints[0]));
    compile(atom, geometry_, compiled_);
    if (kIntegerData && compiled_.plain_sum && !in_block_ && small_) {
      const AtomType& type = type_of(atom.kind);
      if (type.largest_sum(atom, geometry_) <= kDirectArea) return sum_pixels(type, atom);
    }
    return project_compiled(compiled_);
  }

  void keep_column() override {
    bytes_.swap(kept_bytes_);
    codes_.swap(kept_codes_);
    keys_.swap(kept_keys_);
  }

  Column project_compiled(const CompiledAtom& atom) override {
    const std::span<Key> keys = room(keys_, at_.size());
    const KeyRange range = project_group(atom, 0, keys);
    return {atom.n_groups() == 1 ? range : reduce_groups(atom, range.integer, keys), {}, keys, {}};
  }

  void read_row(Row row, float* out) const override {
    const T* from = data_.matrix().row(static_cast<std::size_t>(row));
    for (std::size_t j = 0; j < data_.n_features(); ++j) out[j] = static_cast<float>(from[j]);
  }

 private:
  static constexpr bool kIntegerData = std::is_same_v<T, std::uint8_t>;
  static constexpr std::size_t kLanes = 16;

  // An atom that need not be compiled: a feature of bytes as it is.
  static bool is_one_byte(const Atom& atom) {
    return kIntegerData && SparseAtoms::is_one_feature(atom) && atom.weights[0] == 1.0F;
  }

  static bool is_one_float(const Atom& atom) {
    return !kIntegerData && SparseAtoms::is_one_feature(atom) && atom.weights[0] == 1.0F;
  }

  // A feature whose codes are kept.
  bool is_coded(const Atom& atom) const {
    return data_.codes() != nullptr && SparseAtoms::is_one_feature(atom) && atom.weights[0] == 1.0F;
  }

  template <class U>
  void fetch_places(const U* column) const {  // which ascend in a block
    for (Row at = at_.front(); at <= at_.back(); at += 64 / sizeof(U)) prefetch(column + at);
  }
  void fetch_codes(std::size_t feature) const {
    if (const std::uint16_t* column = block_.copied_codes(feature)) fetch_places(column);
  }

  // The values themselves where all rows share a code that stands for several.
  Column read_codes(std::size_t feature) {
    const auto& codes = *data_.codes();
    const std::uint16_t* __restrict from =
        in_block_ ? block_.codes(feature)
                  : codes.table().column(static_cast<std::ptrdiff_t>(feature));
    const Row* __restrict at = at_.data();
    const std::size_t n = at_.size(), n_padded = padded(n);
    std::uint16_t* __restrict to = room(codes_, n_padded).data();
    for (std::size_t i = 0; i < n; ++i) to[i] = from[at[i]];
    std::fill(to + n, to + n_padded, to[0]);
    const CodeValues& values = codes.values(feature);
    Column column;
    column.range = kernels().code_range(to, n_padded);
    column.codes = {to, n};
    if (column.range.max == values.missing()) leave_out_missing(values, column);
    if (column.range.min == column.range.max && !values.lossless) return read_values(feature);
    column.range.codes = &values;
    return column;
  }

  // Counts the missing codes, which are the largest, and finds the largest of the others.
  static void leave_out_missing(const CodeValues& values, Column& column) {
    column.range = {.integer = true};
    for (const std::uint16_t code : column.codes) {
      if (code == values.missing()) {
        ++column.range.n_missing;
        continue;
      }
      column.range.min = std::min<Key>(column.range.min, code);
      column.range.max = std::max<Key>(column.range.max, code);
    }
  }

  // One feature from the rows themselves.
  Column read_values(std::size_t feature) {
    return gather_floats(data_.row_major(), feature, rows_);
  }
  Column read_floats(std::size_t feature) { return gather_floats(tables_->raw, feature, at_); }

  Column gather_floats(const Table<T>& table, std::size_t feature, std::span<const Row> rows) {
    const T* __restrict from = table.column(static_cast<std::ptrdiff_t>(feature));
    const Row* __restrict at = rows.data();
    const std::ptrdiff_t stride = table.row_stride;
    const std::size_t n = rows.size(), n_padded = padded(n);
    Key* __restrict to = room(keys_, n_padded).data();
    if (stride == 1)
      for (std::size_t i = 0; i < n; ++i)
        to[i] = std::bit_cast<Key>(static_cast<float>(from[at[i]]));
    else
      for (std::size_t i = 0; i < n; ++i)
        to[i] = std::bit_cast<Key>(static_cast<float>(from[at[i] * stride]));
    std::fill(to + n, to + n_padded, to[0]);
    KeyRange range;
    kernels().float_keys(to, n_padded, range);
    if (to[0] == kMissing) range.n_missing -= n_padded - n;
    return {range, {}, {to, n}, {}};
  }

  // Room for n numbers. Vectors never shrink here: growing again would write zeros.
  template <class V>
  static std::span<V> room(std::vector<V>& numbers, std::size_t n) {
    if (numbers.size() < n) numbers.resize(n);
    return std::span(numbers).first(n);
  }

  // Small nodes are filled up with copies of the first row, so that kernels see whole vectors.
  static std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

  Column read_bytes(std::size_t feature) {
    Column column;
    if (in_block_ && block_.known_constant(feature)) {
      column.range = {.integer = true, .min = 0, .max = 0};
      return column;
    }
    const std::span<std::uint8_t> bytes = room(bytes_, at_.size());
    if constexpr (kIntegerData) copy_column(tables_->raw, feature, bytes.data());
    column.range = kernels().byte_range(bytes.data(), bytes.size());
    column.bytes = bytes;
    if (in_block_ && column.constant()) block_.found_constant(feature);
    return column;
  }

  void copy_column(const Table<std::uint8_t>& table, std::size_t feature,
                   std::uint8_t* __restrict to) const {
    const std::uint8_t* __restrict from = table.column(static_cast<std::ptrdiff_t>(feature));
    const Row* __restrict at = at_.data();
    const std::size_t n = at_.size();
    if (table.row_stride == 1)
      for (std::size_t i = 0; i < n; ++i) to[i] = from[at[i]];
    else
      for (std::size_t i = 0; i < n; ++i) to[i] = from[at[i] * table.row_stride];
  }

  KeyRange reduce_groups(const CompiledAtom& atom, bool integer, std::span<Key> keys) {
    const std::span<Key> more = room(group_keys_, at_.size());
    for (std::size_t g = 1; g < atom.n_groups(); ++g) {
      project_group(atom, g, more);
      if (atom.reduction == Reduction::maximum)
        merge_keys(keys, more, [](Key a, Key b) { return std::max(a, b); });
      else
        merge_keys(keys, more, [](Key a, Key b) { return std::min(a, b); });
    }
    return range_of(keys, integer);
  }

  KeyRange project_group(const CompiledAtom& atom, std::size_t g, std::span<Key> keys) {
    const std::span<const Term> terms = atom.group(g);
    switch (atom.table.kind) {
      case TableId::Kind::raw:
        return sum_features(terms, atom.whole, keys);
      case TableId::Kind::summed:
        return sum_corners(static_cast<std::size_t>(atom.table.grid), terms, keys);
      case TableId::Kind::rotated:
        return read_rotated(static_cast<std::size_t>(terms[0].column), keys);
    }
    return {};
  }

  KeyRange sum_features(std::span<const Term> terms, bool whole, std::span<Key> keys) {
    if constexpr (kIntegerData)
      if (whole) return project_integers(tables_->raw, terms, at_, keys, integers_);
    return project_floats(tables_->raw, terms, at_, keys, doubles_);
  }

  // Corners have whole weights.
  KeyRange sum_corners(std::size_t grid, std::span<const Term> terms, std::span<Key> keys) {
    if constexpr (kIntegerData) {
      if (const Table<std::uint16_t> narrow = tables_->narrow[grid])
        return project_integers(narrow, terms, at_, keys, integers_, 0xffff);
      return project_integers(tables_->summed[grid], terms, at_, keys, integers_);
    } else {
      const KeyRange range = project_floats(tables_->summed[grid], terms, at_, keys, doubles_);
      const Table<std::uint32_t> missing = tables_->missing[grid];
      return missing ? mark_missing(missing, terms, keys) : range;
    }
  }

  // Makes keys missing where the terms count a missing feature.
  KeyRange mark_missing(const Table<std::uint32_t>& missing, std::span<const Term> terms,
                        std::span<Key> keys) {
    missing_counts_.resize(at_.size());
    project_integers(missing, terms, at_, missing_counts_, integers_);
    const Key none = key_of(std::int32_t{0});
    return fill_keys(keys, [&](std::size_t i) {
      return missing_counts_[i] == none ? float_of(keys[i])
                                        : std::numeric_limits<float>::quiet_NaN();
    });
  }

  Column sum_pixels(const AtomType& type, const Atom& atom) {
    pixels_.clear();
    type.cells(atom, geometry_, pixels_);
    const Matrix<T> source =
        data_.source(geometry_.grids[static_cast<std::size_t>(compiled_.table.grid)]);
    const std::span<Key> keys = room(keys_, at_.size());
    const KeyRange range = fill_keys(keys, [&](std::size_t i) {
      const T* example = source.row(static_cast<std::size_t>(rows_[i]));
      std::int32_t sum = 0;
      for (const std::int32_t pixel : pixels_) sum += static_cast<std::int32_t>(example[pixel]);
      return sum;
    });
    return {range, {}, keys, {}};
  }

  // Coordinates that are not rotated are read as they are.
  KeyRange read_rotated(std::size_t feature, std::span<Key> keys) {
    const std::int32_t column = rotated_->column_of[feature];
    if (column < 0)
      return fill_keys(keys, [&](std::size_t i) {
        return static_cast<float>(data_.matrix().row(static_cast<std::size_t>(rows_[i]))[feature]);
      });
    const float* values =
        rotated_->columns.data() + static_cast<std::size_t>(column) * data_.n_rows();
    return fill_keys(keys, [&](std::size_t i) { return values[rows_[i]]; });
  }

  const Dataset<T>& data_;
  const Geometry& geometry_;
  Tables<T> whole_;
  Block<T> block_;
  bool in_block_ = false;
  const RotatedData* rotated_ = nullptr;  // of the tree

  // The node: its rows, where they are in the tables it reads, and those tables.
  std::span<const Row> rows_, at_;
  std::vector<Row> places_;
  const Tables<T>* tables_ = nullptr;
  bool small_ = false;

  CompiledAtom compiled_;
  // The column that was projected last, in one of these, and the one that is kept.
  std::vector<std::uint8_t> bytes_, kept_bytes_;
  std::vector<std::uint16_t> codes_, kept_codes_;
  std::vector<Key> keys_, kept_keys_, group_keys_;
  std::vector<Modular> integers_;
  std::vector<std::int32_t> pixels_;
  std::vector<Key> missing_counts_;
  std::vector<double> doubles_;
};

}  // namespace

RotatedData::RotatedData(const Rotation& of_tree, std::size_t n_rows, std::size_t n_features)
    : rotation(of_tree), column_of(n_features, -1), columns(n_rows * of_tree.dims.size()) {
  for (std::size_t k = 0; k < of_tree.dims.size(); ++k)
    column_of[static_cast<std::size_t>(of_tree.dims[k])] = static_cast<std::int32_t>(k);
}

template <class T>
std::unique_ptr<Projector> make_projector(const Dataset<T>& data, const Geometry& geometry) {
  return std::make_unique<DatasetProjector<T>>(data, geometry);
}
template std::unique_ptr<Projector> make_projector(const Dataset<std::uint8_t>&, const Geometry&);
template std::unique_ptr<Projector> make_projector(const Dataset<float>&, const Geometry&);

}  // namespace mf::train
