"""Reading tables and arrays: what columns are, and what is wrong with files."""

from __future__ import annotations

import io
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet

from manifoldforest.tables._errors import TableError
from manifoldforest.tables._reading import FORMATS, format_of, read_data


def csv(folder, text, name="table.csv"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def columns_of(folder, text, name="table.csv"):
    return read_data(csv(folder, text, name)).columns


# ------------------------------------------------------------------------------------ csv


def test_columns_of_a_csv_have_the_types_of_their_cells(tmp_path):
    columns = columns_of(
        tmp_path,
        "\ufeffwhole,part,truth,word,holes,nothing,day\n"
        "1,1.5,True,a,,,2020-01-01\n2,2,false,,7,,2020-01-02\n",
    )
    kinds = {name: (column.kind, column.dtype) for name, column in columns.items()}
    assert kinds == {
        "whole": ("number", "int64"),
        "part": ("number", "float64"),
        "truth": ("boolean", "bool"),
        "word": ("text", "string"),
        "holes": ("number", "int64"),
        "nothing": ("number", "float64"),
        "day": ("other", "date32[day]"),
    }
    assert_array_equal(columns["whole"].values, [1, 2])
    assert_array_equal(columns["truth"].values, [True, False])
    assert_array_equal(columns["holes"].values, [np.nan, 7])
    assert_array_equal(columns["nothing"].values, [np.nan, np.nan])
    assert columns["word"].levels == ("a",)
    assert_array_equal(columns["word"].missing, [False, True])
    assert columns["day"].content == "dates"


@pytest.mark.parametrize("empty", ["", '""', "NA", "nan", "null"])
def test_empty_cells_are_missing(tmp_path, empty):
    columns = columns_of(tmp_path, f"a,b\nx,1\n{empty},{empty.strip(chr(34))}\n")
    assert_array_equal(columns["a"].missing, [False, True])
    assert_array_equal(columns["b"].missing, [False, True])


def test_text_with_commas_quotes_and_line_breaks(tmp_path):
    columns = columns_of(tmp_path, 'a,b\n"x, ""y""\nz",1\nü,2\n')
    assert columns["a"].levels == ('x, "y"\nz', "ü")


@pytest.mark.parametrize(
    ("text", "name"),
    [("a\tb\n1\tx\n", "t.tsv"), ("a\tb\n1\tx\n", "t.csv"), ("a;b\r\n1;x\r\n", "t.csv")],
)
def test_other_separators(tmp_path, text, name):
    columns = columns_of(tmp_path, text, name)
    assert list(columns) == ["a", "b"]
    assert columns["b"].levels == ("x",)


def test_a_column_is_judged_by_all_its_rows(tmp_path):
    rows = [str(i) for i in range(300_000)]  # more than a block of the reader
    rows[-1] = "many"
    column = columns_of(tmp_path, "a\n" + "\n".join(rows))["a"]
    assert (column.kind, column.content) == ("mixed", "numbers and text, 'many' in row 300000")


def test_columns_without_a_name_are_counted_and_left_out(tmp_path):
    table = read_data(csv(tmp_path, ",a\n0,1\n1,2\n"))
    assert list(table.columns) == ["a"]
    assert table.n_unnamed == 1


# -------------------------------------------------------------------------------- parquet


def test_columns_of_parquet_keep_their_types(tmp_path):
    path = tmp_path / "table.parquet"
    table = pa.table(
        {
            "small": pa.array([1, 2], pa.int8()),
            "single": pa.array(np.array([1.5, np.nan], np.float32)),
            "holes": pa.array([None, 3], pa.uint16()),
            "truth": pa.array([True, None]),
            "category": pa.array(["b", None]).dictionary_encode(),
            "digits": pa.array(["1", "x"]),
            "blank": pa.array(["", None]),
            "money": pa.array([Decimal("1.25"), None]),
            "lists": pa.array([[1], [2]]),
            "time": pa.array([0, 1], pa.duration("s")),
            "bytes": pa.array([b"\xff", b""]),
            "__index_level_0__": pa.array([5, 6]),
        }
    )
    parquet.write_table(table, path)
    columns = read_data(str(path)).columns
    assert {name: column.kind for name, column in columns.items()} == {
        "small": "number",
        "single": "number",
        "holes": "number",
        "truth": "boolean",
        "category": "text",
        "digits": "text",  # a column that was stored as text is text
        "blank": "number",
        "money": "number",
        "lists": "other",
        "time": "other",
        "bytes": "other",
    }
    assert columns["small"].values.dtype == np.int8
    assert (columns["single"].dtype, columns["holes"].dtype) == ("float32", "uint16")
    assert_array_equal(columns["holes"].values, [np.nan, 3])
    assert_array_equal(columns["truth"].values, [1, np.nan])
    assert_array_equal(columns["money"].values, [1.25, np.nan])
    assert columns["time"].content == "durations"
    assert "list" in columns["lists"].content


# --------------------------------------------------------------------------------- arrays


def test_arrays(tmp_path):
    X, y = np.arange(6, dtype=">i4").reshape(2, 3), np.array(["a", "b"])
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "xy.npz", X=X, y=y, weight=np.ones(2))
    np.savez(tmp_path / "one.npz", anything=X)
    for name in ("x.npy", "one.npz"):
        arrays = read_data(str(tmp_path / name))
        assert_array_equal(arrays.X, X)
        assert arrays.X.dtype == np.int32
        assert arrays.X.dtype.isnative
        assert arrays.y is None
    arrays = read_data(str(tmp_path / "xy.npz"))
    assert_array_equal(arrays.y, y)
    assert list(arrays.others) == ["weight"]


class Trap:
    def __reduce__(self):
        return pytest.fail, ("the file was executed",)


def test_arrays_of_objects_are_not_opened(tmp_path):
    np.save(tmp_path / "x.npy", np.array([[Trap()]], dtype=object), allow_pickle=True)
    with pytest.raises(TableError, match="is not a whole npy or npz file of numbers or text"):
        read_data(str(tmp_path / "x.npy"))


# --------------------------------------------------------------------------------- errors


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def broken_parquet():
    file = io.BytesIO()
    parquet.write_table(pa.table({"a": np.arange(1000)}), file)
    content = bytearray(file.getvalue())
    content[20:200] = bytes(180)
    return bytes(content)


WRONG = {
    "nothing": ("t.csv", b"", "t.csv is empty: it must have a header and rows"),
    "blanks": ("t.csv", b"\n \n", "t.csv is empty"),
    "a header alone": ("t.csv", b"a,b\n", "has no rows"),
    "a short row": (
        "t.csv",
        b"a,b\n1,2\n3\n",
        "has 1 cells in line 3, and its header 2",
    ),
    "a long row": ("t.csv", b"a,b\n1,2,3\n", "has 3 cells in line 2"),
    "no header": ("t.csv", b"1,2\n3,4\n", "has no header.* is '1,2'"),
    "a name twice": ("t.csv", b"a,b,a\n1,2,3\n", "has two columns 'a': rename one"),
    "a header in latin1": ("t.csv", b"\xfc,b\n1,2\n", "the header of .* is not UTF-8 text"),
    "a cell in latin1": ("t.csv", b"a,b\n\xfc,2\n", "column 'a' of .* is not UTF-8 text: save"),
    "a parquet that is none": ("t.parquet", b"a,b\n1,2\n", "is not a whole parquet file"),
    "a parquet with a hole": ("t.parquet", broken_parquet(), "is not a whole parquet file"),
    "an empty parquet": ("t.parquet", b"", "is not a whole parquet file"),
    "an npy that is none": ("t.npy", b"hello", "is not a whole npy or npz file"),
    "an npy that is cut": ("t.npy", npy(np.ones((9, 9)))[:-8], "is not a whole npy or npz file"),
    "an npz that is cut": ("t.npz", npz(X=np.ones((9, 9)))[:-40], "is not a whole npy or npz"),
    "two arrays": (
        "t.npz",
        npz(a=np.ones((2, 2)), b=np.ones(2)),
        "or one array, got a, b",
    ),
    "no array": ("t.npz", npz(), "X and y, or one array, got None"),
    "a short y": (
        "t.npz",
        npz(X=np.ones((2, 2)), y=np.ones(3)),
        r"\(2,\), got .* \(3,\)",
    ),
    "one axis": ("t.npy", npy(np.ones(5)), r"got the shape \(5,\)"),
    "no rows": ("t.npy", npy(np.ones((0, 5))), r"got the shape \(0, 5\)"),
    "an array of text": ("t.npy", npy(np.array([["a"]])), "must hold numbers, got .* <U1"),
    "complex numbers": ("t.npy", npy(np.ones((2, 2), complex)), "must hold numbers"),
    "another suffix": ("t.xls", b"", r"does not end in \.csv.*--format csv\|tsv\|parquet"),
}


@pytest.mark.parametrize("name", WRONG)
def test_files_that_cannot_be_read(name, tmp_path):
    file, content, message = WRONG[name]
    with pytest.raises(TableError, match=message):
        read_data(csv(tmp_path, content, file))


def test_files_that_are_not_there(tmp_path):
    csv(tmp_path, "a\n1\n", "houses.csv")
    with pytest.raises(TableError, match=r"there is no file .*hose.csv: did you mean .*houses.csv"):
        read_data(str(tmp_path / "hose.csv"))
    with pytest.raises(TableError, match=r"nor a folder .*nowhere"):
        read_data(str(tmp_path / "nowhere" / "t.csv"))


def test_the_end_of_a_name_tells_the_format():
    names = {"a.csv": "csv", "b.TSV": "tsv", "c.pq": "parquet", "d.parquet": "parquet"}
    names |= {"e.npy": "npy", "f.npz": "npz", "-": "csv"}
    assert {name: format_of(name, None) for name in names} == names
    assert all(format_of("a.csv", form) == form for form in FORMATS)


@pytest.mark.parametrize("form", ["csv", "parquet", "npy"])
def test_standard_input(form, monkeypatch):
    file = io.BytesIO()
    if form == "parquet":
        parquet.write_table(pa.table({"a": [1, 2]}), file)
    elif form == "npy":
        np.save(file, np.array([[1], [2]]))
    else:
        file.write(b"a\n1\n2\n")
    file.seek(0)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
    data = read_data("-", None if form == "csv" else form)
    values = data.X[:, 0] if form == "npy" else data.columns["a"].values
    assert_array_equal(values, [1, 2])
    assert data.source == "standard input"
