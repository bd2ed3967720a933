#include "split/project.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "atoms/kind.hpp"
#include "atoms/sparse.hpp"
#include "base/page_vector.hpp"
#include "base/prefetch.hpp"
#include "split/block.hpp"
#include "split/block_ranks.hpp"
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

// Floats are read as they are, in no more rows than nearly fit the first cache: 20 columns are 80
// kB.
constexpr std::size_t kMaxPlainRows = 1024;

constexpr std::size_t kFetchedRows = 64;  // prefetching does not pay in smaller nodes

template <class T>
class DatasetProjector final : public Projector {
 public:
  DatasetProjector(const Dataset<T>& data, const Geometry& geometry)
      : data_(data), geometry_(geometry), block_(data, geometry), large_block_(data, geometry) {
    small_data_ = !kIntegerData && data.feature_major() && geometry.grids.empty() &&
                  data.n_rows() <= BlockRanks::kMaxRows;
    for (std::size_t g = 0; g < geometry.grids.size(); ++g) {
      whole_.summed.push_back(data.summed(static_cast<int>(g)));
      whole_.narrow.push_back(data.narrow(static_cast<int>(g)));
      whole_.missing.push_back(data.missing(static_cast<int>(g)));
    }
  }

  void give_ranks(bool wanted) override {
    gives_ranks_ = wanted && !kIntegerData && data_.feature_major();
    if (small_data_ && ranks_of_block_.empty()) start_columns(data_.n_rows());
  }

  void expect_few(bool expected) override {
    expects_few_ = expected && !kIntegerData && data_.feature_major();
  }

  void start_tree(const RotatedData* rotated) override {
    for (const BlockSize size : kBlockSizes) start_subtree(size, {}, NodeRows::rows);
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

  std::size_t max_block_rows(BlockSize size, std::size_t n_projections) const override {
    if (size == BlockSize::large)
      return expects_few_ ? large_block_.max_large_rows(n_projections) : 0;
    const std::size_t most = block_.max_rows(n_projections);
    return expects_few_ && !gives_ranks_ ? std::min(most, kMaxPlainRows) : most;
  }

  void start_subtree(BlockSize size, std::span<const Row> rows, NodeRows given_as) override {
    if (size == BlockSize::large) {
      in_large_block_ = !rows.empty();
      if (in_large_block_) large_block_.fill(rows, given_as);
      return;
    }
    in_block_ = !rows.empty();
    if (!in_block_ || in_small_data()) return;
    block_.fill(rows, given_as);
    start_columns(rows.size());
  }

  bool takes_places() const override { return expects_few_ && !small_data_; }

  void start_node(std::span<const Row> rows) override {
    rows_ = rows;
    if (in_block_ && !in_small_data()) return read_from(block_);
    if (in_large_block_ && !in_block_) return read_from(large_block_);
    at_ = rows;
    tables_ = &whole_;
    small_ = rows.size() * kRowMajorShare < data_.n_rows();
    whole_.raw = data_.feature_major();
    if (!whole_.raw || (small_ && !in_block_)) whole_.raw = data_.row_major();
  }

  std::optional<FewRows> few_rows() override {
    const std::size_t n = at_.size();
    const bool fits = in_block_ && n >= 2 && n <= FewRows::kMost;
    if (!fits || kIntegerData || tables_->raw.row_stride != 1) return std::nullopt;
    FewRows few{block_column(0), static_cast<std::size_t>(tables_->raw.column_stride),
                data_.n_features(), at_.data(), n};
    if (!gives_ranks_) return few;
    few.stride = ranks_of_block_.n_rows();
    few.ranks = ranks_of_block_.ranks(0);
    few.keys = ranks_of_block_.keys();
    few.has_ties = ranks_of_block_.has_ties();
    few.known = ranks_of_block_.known();
    return few;
  }

  void know_ranks(std::size_t feature) override {
    if (!ranks_of_block_.is_known(feature)) ranks_of_block_.sort(feature, block_column(feature));
  }

  void fetch_ahead(const Atom& atom) const override {
    if (!in_block_ || at_.size() < kFetchedRows) return;
    if (!SparseAtoms::is_one_feature(atom)) return;
    const auto feature = static_cast<std::size_t>(atom.ints[0]);
    if (data_.codes() != nullptr) return fetch_codes(feature);
    if (gives_ranks_) {
      if (ranks_of_block_.is_known(feature)) fetch_places(ranks_of_block_.ranks(feature));
      return;
    }
    if (kIntegerData && block_.known_constant(feature)) return;
    fetch_places(tables_->raw.column(atom.ints[0]));
  }

  Column project(const Atom& atom) override {
    if (is_as_it_is(atom)) return read_feature(static_cast<std::size_t>(atom.ints[0]));
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
    ranks_.swap(kept_ranks_);
  }

  Column project_compiled(const CompiledAtom& atom) override {
    const std::span<Key> keys = room(keys_, at_.size());
    const KeyRange range = project_group(atom, 0, keys);
    return {atom.n_groups() == 1 ? range : reduce_groups(atom, range.integer, keys), {}, keys};
  }

  void read_row(Row row, float* out) const override {
    const T* from = data_.matrix().row(static_cast<std::size_t>(row));
    for (std::size_t j = 0; j < data_.n_features(); ++j) out[j] = static_cast<float>(from[j]);
  }

  Matrix<float> float_rows() const override {
    if constexpr (kIntegerData)
      return {};
    else
      return data_.matrix();
  }

 private:
  static constexpr bool kIntegerData = std::is_same_v<T, std::uint8_t>;
  static constexpr std::size_t kLanes = 16;

  void read_from(const Block<T>& block) {
    tables_ = &block.tables();
    at_ = rows_;
    if (block.given_as() == NodeRows::places) return;
    const std::span<Row> places = room(places_, rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) places[i] = block.place_of(rows_[i]);
    at_ = places;
  }

  bool in_small_data() const { return in_block_ && small_data_; }

  void start_columns(std::size_t n_rows) {
    if (gives_ranks_) ranks_of_block_.start(n_rows, data_.n_features());
  }

  // An atom that need not be compiled: a feature as it is.
  static bool is_as_it_is(const Atom& atom) {
    return SparseAtoms::is_one_feature(atom) && atom.weights[0] == 1.0F;
  }

  Column read_feature(std::size_t feature) {
    if constexpr (kIntegerData) return read_bytes(feature);
    if (data_.codes() != nullptr)
      return in_block_ || !small_ ? read_codes(feature) : read_values(feature);
    return in_block_ && gives_ranks_ ? read_ranks(feature) : read_floats(feature);
  }

  Column read_ranks(std::size_t feature) {
    know_ranks(feature);
    const std::span<Rank> ranks = room(ranks_, at_.size() + Kernels::kRanksAtOnce);
    copy_ranks(ranks_of_block_.ranks(feature), ranks.data());
    Column column;
    column.ranks = ranks.first(at_.size());
    column.sorted = ranks_of_block_.sorted(feature);
    if (column.sorted.has_ties)
      column.range = range_of_ranks(column.ranks, column.sorted.keys);
    else if (at_.size() > 1)  // the node varies: any range of two keys that holds it will do
      column.range = {false, column.sorted.keys.front(), column.sorted.keys.back(), 0};
    return column;
  }

  // Floats of the block, column by column.
  const float* block_column(std::size_t feature) const {
    if constexpr (!kIntegerData)
      return tables_->raw.column(static_cast<std::ptrdiff_t>(feature));
    else
      return nullptr;  // bytes are read as they are
  }

  void copy_ranks(const Rank* __restrict from, Rank* __restrict to) const {
    const Row* __restrict at = at_.data();
    for (std::size_t i = 0, n = at_.size(); i < n; ++i) to[i] = from[at[i]];
  }

  static KeyRange range_of_ranks(std::span<const Rank> ranks, std::span<const Key> keys) {
    KeyRange range;
    Rank low = BlockRanks::kMaxRows, high = 0;
    for (const Rank rank : ranks) {
      low = std::min(low, rank);
      high = std::max(high, rank);
    }
    range.min = keys[low];
    range.max = keys[high];
    if (range.max == kMissing) {
      range.max = 0;
      for (const Rank rank : ranks) {
        const bool missing = keys[rank] == kMissing;
        range.n_missing += missing ? 1 : 0;
        range.max = std::max(range.max, missing ? Key{0} : keys[rank]);
      }
    }
    return range;
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
    const std::span<Key> keys = room(keys_, rows.size());
    const T* from = table.column(static_cast<std::ptrdiff_t>(feature));
    if constexpr (!kIntegerData) {
      if (table.row_stride == 1) {
        KeyRange range;
        kernels().gather_float_keys(from, rows.data(), rows.size(), keys.data(), range);
        return {range, {}, keys};
      }
    }
    const KeyRange range = fill_keys(
        keys, [&](std::size_t i) { return static_cast<float>(from[rows[i] * table.row_stride]); });
    return {range, {}, keys};
  }

  // Room for n numbers. Vectors do not shrink unless a node is much smaller than those before:
  // growing again would write zeros.
  template <class V>
  static std::span<V> room(PageVector<V>& numbers, std::size_t n) {
    forget_larger(numbers, n);
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
    return {range, {}, keys};
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
  Block<T> block_, large_block_;
  bool in_block_ = false, in_large_block_ = false;
  bool expects_few_ = false;
  BlockRanks ranks_of_block_;
  bool gives_ranks_ = false;
  // Few rows are a block by themselves, whose columns are never forgotten.
  bool small_data_ = false;
  const RotatedData* rotated_ = nullptr;  // of the tree

  // The node: its rows, where they are in the tables it reads, and those tables.
  std::span<const Row> rows_, at_;
  PageVector<Row> places_;
  const Tables<T>* tables_ = nullptr;
  bool small_ = false;

  CompiledAtom compiled_;
  // The column that was projected last, in one of these, and the one that is kept.
  PageVector<std::uint8_t> bytes_, kept_bytes_;
  PageVector<std::uint16_t> codes_, kept_codes_;
  PageVector<Rank> ranks_, kept_ranks_;  // and room behind them, see Kernels::order_ranks
  PageVector<Key> keys_, kept_keys_, group_keys_;
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
