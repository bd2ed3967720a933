// Order codes of float columns.
#include <nanobind/stl/tuple.h>

#include "data/column_codes.hpp"
#include "stages.hpp"

namespace mf::bindings {
namespace {

template <class Code>
nb::list column_codes(const Array2<float>& X, std::size_t most_codes, int n_threads,
                      bool has_columns) {
  require(most_codes >= 1 && most_codes <= ColumnCodes<Code>::kMostCodes,
          "most_codes must be at least 1 and fit the codes");
  std::vector<float> columns;
  for (std::size_t c = 0; has_columns && c < X.shape(1); ++c)
    for (std::size_t i = 0; i < X.shape(0); ++i) columns.push_back(X(i, c));
  const Table<float> table{columns.empty() ? nullptr : columns.data(), 1,
                           static_cast<std::ptrdiff_t>(X.shape(0))};
  const ColumnCodes<Code> coded(to_matrix(X), table, most_codes, n_threads);
  nb::list coded_columns;
  for (std::size_t c = 0; c < X.shape(1); ++c) {
    const Code* codes = coded.table().column(static_cast<std::ptrdiff_t>(c));
    const CodeValues& values = coded.values(c);
    coded_columns.append(nb::make_tuple(
        to_numpy(std::vector<std::int32_t>(codes, codes + X.shape(0))),
        to_numpy(std::vector<float>(values.last.begin(), values.last.end())), values.lossless));
  }
  return coded_columns;
}

}  // namespace

void stage_codes(nb::module_& m) {
  m.def(
      "column_codes",
      [](const Array2<float>& X, std::size_t most_codes, int n_bytes, int n_threads,
         bool has_columns) {
        const auto encode = n_bytes == 1 ? column_codes<std::uint8_t> : column_codes<std::uint16_t>;
        return encode(X, most_codes, n_threads, has_columns);
      },
      nb::arg("X").noconvert(), nb::arg("most_codes"), nb::arg("n_bytes") = 2,
      nb::arg("n_threads") = 1, nb::arg("has_columns") = false,
      "For each column: the code of every row, the largest value of each code, and whether every "
      "code stands for a single value.");
}

}  // namespace mf::bindings
