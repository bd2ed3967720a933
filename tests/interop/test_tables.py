"""Tables of pandas, polars and Arrow as X, y and weights: values, types, gaps and names."""

from __future__ import annotations

import datetime
import decimal
import pickle
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr
from numpy.testing import assert_array_equal

import manifoldforest as mf
from interop.data import ESTIMATORS, FORESTS, LABELS, NAMES, NUMBERS, TABLES, as_table, small, y_of
from interop.data import X as ROWS

N = len(ROWS)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_reads_every_table(name, kind):
    y, table = y_of(name), as_table(kind, list(ROWS.T))
    expected = small(name).fit(ROWS, y).predict(ROWS)
    forest = small(name).fit(table, y)
    assert_array_equal(forest.predict(table), expected)
    assert forest.feature_names_in_.tolist() == NAMES
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert_array_equal(forest.predict(ROWS), expected)
    for other in TABLES:  # what names a column has counts, not who holds it
        assert_array_equal(forest.predict(as_table(other, list(ROWS.T))), expected)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_columns_with_other_names_or_in_another_order_are_refused(name, kind):
    forest = small(name).fit(as_table(kind, list(ROWS.T)), y_of(name))
    for names in (["age", "height", "width"], NAMES[::-1]):
        with pytest.raises(ValueError, match="feature names"):
            forest.predict(as_table(kind, list(ROWS.T), names))
    with pytest.raises(ValueError, match="feature names"):
        forest.predict(as_table(kind, list(ROWS.T[:2]), NAMES[:2]))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("make", [mf.BoundaryIndex, mf.boundary.BruteForceIndex])
def test_indexes_read_every_table_and_keep_its_names(make, kind, tmp_path):
    index = make()
    index.add(as_table(kind, list(ROWS[:30].T)))
    index.add(as_table(kind, list(ROWS[30:].T)))
    plain = make()
    plain.add(ROWS[:30])
    plain.add(ROWS[30:])
    index.save(tmp_path / "index.mf")
    for known in (index, mf.load(tmp_path / "index.mf"), pickle.loads(pickle.dumps(index))):
        expected = plain.query(ROWS[:5], k=3)
        for queries in (ROWS[:5], as_table(kind, list(ROWS[:5].T))):
            assert_array_equal(known.query(queries, k=3), expected)
        swapped = as_table(kind, list(ROWS.T), NAMES[::-1])
        for call in (known.add, known.query, partial(known.update, range(N))):
            with pytest.raises(ValueError, match="X must have the columns .*another order"):
                call(swapped)
        assert len(known) == N
        with pytest.raises(ValueError, match="X must have the columns .*'age'.* got 'width'"):
            known.query(as_table(kind, list(ROWS.T), ["age", "height", "width"]))
    index.remove(index.ids)
    index.add(swapped)  # the first points of an empty index
    assert len(index.query(swapped)[0]) == N


def test_an_index_that_refuses_points_keeps_no_names():
    index = mf.BoundaryIndex()
    with pytest.raises(ValueError, match="NaN"):
        index.add(pd.DataFrame({"a": [np.nan]}))
    index.add(pd.DataFrame({"b": [1.0]}))
    assert index.query(pd.DataFrame({"b": [3.0]}))[0].tolist() == [[2.0]]


def gaps(values, every):
    return [None if i % every == 1 else value for i, value in enumerate(values)]


BYTES = np.random.default_rng(1).integers(0, 256, size=(N, 2)).astype(np.uint8)
INTEGERS = gaps(BYTES[:, 0].tolist(), 4)
FLAGS = gaps([value > 100 for value in BYTES[:, 1].tolist()], 5)
TWO = ["first", "second"]
WITH_GAPS = {
    "pandas nullable": pd.DataFrame(
        {"first": pd.array(INTEGERS, dtype="Int64"), "second": pd.array(FLAGS, dtype="boolean")}
    ),
    "pandas nullable bytes": pd.DataFrame(
        {"first": pd.array(INTEGERS, dtype="UInt8"), "second": pd.array(FLAGS, dtype="boolean")}
    ),
    "pandas of Arrow": pd.DataFrame(
        {
            "first": pd.array(INTEGERS, dtype="int64[pyarrow]"),
            "second": pd.array(FLAGS, dtype="bool[pyarrow]"),
        }
    ),
    "pandas objects": pd.DataFrame({"first": INTEGERS, "second": FLAGS}, dtype=object),
    "polars": pl.DataFrame({"first": INTEGERS, "second": FLAGS}),
    "polars bytes": pl.DataFrame(
        {"first": pl.Series(INTEGERS, dtype=pl.UInt8), "second": pl.Series(FLAGS)}
    ),
    "arrow": pa.table({"first": INTEGERS, "second": FLAGS}),
    "arrow bytes": pa.table({"first": pa.array(INTEGERS, pa.uint8()), "second": FLAGS}),
    "arrow batch": pa.RecordBatch.from_arrays([pa.array(INTEGERS), pa.array(FLAGS)], names=TWO),
}


@pytest.mark.parametrize("case", WITH_GAPS)
def test_missing_integers_and_booleans_are_missing_values(case):
    table, y = WITH_GAPS[case], LABELS
    expected = np.array([INTEGERS, FLAGS], dtype=np.float64).T
    forest = small("ForestClassifier").fit(table, y)
    assert_array_equal(forest._rows(table), expected.astype(np.float32))
    for name in FORESTS:
        plain = small(name).fit(expected, y_of(name))
        assert_array_equal(
            small(name).fit(table, y_of(name)).predict(table), plain.predict(expected)
        )
    ranks = mf.RankTransformer()
    assert_array_equal(ranks.fit_transform(table), ranks.fit_transform(expected))
    with pytest.raises(ValueError, match="NaN"):
        small("BoundaryForestClassifier").fit(table, y)


def typed(kind, dtype, columns):
    if kind == "pandas":
        return pd.DataFrame({f"c{j}": pd.Series(c, dtype=dtype) for j, c in enumerate(columns)})
    if kind == "polars":
        types = {"UInt8": pl.UInt8, "boolean": pl.Boolean}
        return pl.DataFrame(
            {f"c{j}": pl.Series(c, dtype=types[dtype]) for j, c in enumerate(columns)}
        )
    types = {"UInt8": pa.uint8(), "boolean": pa.bool_()}
    return pa.table({f"c{j}": pa.array(c, types[dtype]) for j, c in enumerate(columns)})


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("dtype", ["UInt8", "boolean"])
def test_bytes_and_booleans_without_gaps_stay_bytes(kind, dtype):
    values = BYTES if dtype == "UInt8" else BYTES > 100
    table = typed(kind, dtype, values.T.tolist())
    forest = small("ForestClassifier").fit(table, LABELS)
    assert forest._rows(table).dtype == np.uint8
    assert_array_equal(forest._rows(table), values)
    boundary = small("BoundaryForestClassifier").fit(table, LABELS)
    assert boundary.stored_examples_[0].dtype == np.uint8
    index = mf.BoundaryIndex()
    index.add(table)
    assert index.get([0]).dtype == np.uint8


def test_decimals_and_half_precision_are_numbers():
    table = pa.table(
        {
            "money": pa.array([decimal.Decimal(int(b)) / 4 for b in BYTES[:, 0]]),
            "half": pa.array(BYTES[:, 1].astype(np.float16)),
        }
    )
    forest = small("ForestRegressor").fit(table, NUMBERS)
    assert_array_equal(forest._rows(table), np.stack([BYTES[:, 0] / 4, BYTES[:, 1]], axis=1))


DAY = datetime.datetime(2024, 1, 1)
ENCODE = ".* encode .*OrdinalEncoder or OneHotEncoder"
NOT_NUMBERS = {
    "text": (pa.array(["red", "blue"] * 20), "text in column 'second' .such as 'red'." + ENCODE),
    "categories": (
        pa.array(["red", "blue"] * 20).dictionary_encode(),
        "categories in column 'second' .such as 'red'." + ENCODE,
    ),
    "dates": (pa.array([DAY.date()] * N), "dates in column 'second' .*days since a first date"),
    "times": (pa.array([DAY] * N, pa.timestamp("s")), "dates in column 'second'"),
    "zones": (pa.array([DAY] * N, pa.timestamp("s", "UTC")), "dates in column 'second'"),
    "durations": (pa.array([DAY - DAY] * N), "durations in column 'second' .* divide by a unit"),
    "lists": (pa.array([[1.0], [2.0, 3.0]] * 20), "objects of type .* in column 'second'"),
}


@pytest.mark.parametrize("case", NOT_NUMBERS)
def test_columns_of_arrow_that_are_not_numbers_are_named(case):
    values, message = NOT_NUMBERS[case]
    numbers = pa.array(BYTES[:, 0])
    table = pa.table({"first": numbers, "second": values})
    batch = pa.RecordBatch.from_arrays([numbers, values], names=TWO)
    fitted = small("ForestClassifier").fit(pa.table({"first": numbers, "second": numbers}), LABELS)
    for bad in (table, batch):
        for name in ("ForestClassifier", "BoostedForestClassifier", "BoundaryForestClassifier"):
            with pytest.raises(TypeError, match="X must hold numbers, got " + message):
                small(name).fit(bad, LABELS)
        for call in (
            fitted.predict,
            mf.RankTransformer().fit,
            mf.BoundaryIndex().add,
            mf.boundary.BruteForceIndex().add,
        ):
            with pytest.raises(TypeError, match="X must hold numbers, got " + message):
                call(bad)


def test_integers_of_arrow_that_doubles_would_round_are_refused_by_column():
    table = pa.table({"key": [2**53 + 1, 1], "size": [0.5, 1.5]})
    for call in (
        lambda: mf.BoundaryForestRegressor(2).fit(table, [0.0, 1.0]),
        lambda: mf.BoundaryIndex().add(table),
    ):
        with pytest.raises(ValueError, match="the column 'key' of X .* 9007199254740993"):
            call()


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "record batch"])
def test_columns_that_single_precision_merges_are_named(kind):
    times = 1.7e9 + np.arange(N)
    table = as_table(kind, [ROWS[:, 0], times], names=["size", "time"])
    with pytest.warns(UserWarning, match="column 'time' of X holds values that differ"):
        small("ForestClassifier").fit(table, LABELS)


CODES = (LABELS == "yes").astype(int)
LABEL_FORMS = {
    "pandas": pd.Series(LABELS, name="answer"),
    "pandas categories": pd.Series(pd.Categorical(LABELS)),
    "pandas string": pd.Series(LABELS, dtype="string"),
    "pandas of Arrow": pd.Series(LABELS, dtype="string[pyarrow]"),
    "polars": pl.Series("answer", LABELS.tolist()),
    "polars categories": pl.Series(LABELS.tolist(), dtype=pl.Categorical),
    "arrow": pa.array(LABELS.tolist()),
    "arrow chunks": pa.chunked_array([LABELS[:7].tolist(), LABELS[7:].tolist()]),
    "arrow categories": pa.array(LABELS.tolist()).dictionary_encode(),
    "xarray": xr.DataArray(LABELS, dims="row"),
}
NUMBER_FORMS = {
    "pandas": lambda y: pd.Series(y, name="answer"),
    "pandas nullable": lambda y: pd.Series(y, dtype="Float64"),
    "pandas of Arrow": lambda y: pd.Series(y, dtype="double[pyarrow]"),
    "polars": lambda y: pl.Series("answer", y),
    "arrow": pa.array,
    "arrow chunks": lambda y: pa.chunked_array([y[:7], y[7:]]),
    "xarray": lambda y: xr.DataArray(y, dims="row"),
}


@pytest.mark.parametrize("form", LABEL_FORMS)
def test_labels_may_come_from_any_package(form):
    for name in ("ForestClassifier", "BoostedForestClassifier", "BoundaryForestClassifier"):
        forest = small(name).fit(ROWS, LABEL_FORMS[form])
        assert forest.classes_.tolist() == ["no", "yes"]
        expected = small(name).fit(ROWS, LABELS)
        assert forest.predict(ROWS).tolist() == expected.predict(ROWS).tolist()
        assert forest.score(ROWS, LABEL_FORMS[form]) == expected.score(ROWS, LABELS)


@pytest.mark.parametrize("form", NUMBER_FORMS)
def test_numbers_to_predict_and_weights_may_come_from_any_package(form):
    convert = NUMBER_FORMS[form]
    weight = (BYTES[:, 0] % 3).astype(np.float64)
    for name in ESTIMATORS:
        if name.endswith("Classifier"):
            continue
        expected = small(name).fit(ROWS, NUMBERS)
        forest = small(name).fit(ROWS, convert(NUMBERS))
        assert_array_equal(forest.predict(ROWS), expected.predict(ROWS))
        assert forest.score(ROWS, convert(NUMBERS)) == expected.score(ROWS, NUMBERS)
    for name in FORESTS:
        expected = small(name).fit(ROWS, y_of(name), sample_weight=weight)
        forest = small(name).fit(ROWS, y_of(name), sample_weight=convert(weight))
        assert_array_equal(forest.predict(ROWS), expected.predict(ROWS))


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_tables_of_several_outputs_are_read_column_by_column(kind):
    labels = as_table(kind, [LABELS.tolist(), CODES.tolist()], names=TWO)
    numbers = as_table(kind, [NUMBERS, ROWS[:, 1]], names=TWO)
    for name in ("ForestClassifier", "BoostedForestClassifier"):
        forest = small(name).fit(ROWS, labels)
        assert [classes.tolist() for classes in forest.classes_] == [["no", "yes"], [0, 1]]
    for name in ("ForestRegressor", "BoostedForestRegressor", "BoundaryForestRegressor"):
        expected = small(name).fit(ROWS, np.stack([NUMBERS, ROWS[:, 1]], axis=1))
        assert_array_equal(small(name).fit(ROWS, numbers).predict(ROWS), expected.predict(ROWS))


MISSING = {
    "pandas": (pd.Series([None, *CODES[1:]], dtype="Int64"), pd.Series([None] + [1.0] * (N - 1))),
    "polars": (pl.Series([None, *CODES[1:].tolist()]), pl.Series([None] + [1.0] * (N - 1))),
    "arrow": (pa.array([None, *CODES[1:].tolist()]), pa.array([None] + [1.0] * (N - 1))),
}


@pytest.mark.parametrize("kind", MISSING)
def test_missing_labels_numbers_and_weights_are_refused(kind):
    y, weight = MISSING[kind]
    for name in ESTIMATORS:
        # pandas 2.0 gives objects, among them NA, where later versions give NaN
        with pytest.raises((ValueError, TypeError), match="^(Input )?y .*(NaN|nan|NAType)"):
            small(name).fit(ROWS, y)
    for name in FORESTS:
        with pytest.raises(ValueError, match="sample_weight must hold finite numbers >= 0"):
            small(name).fit(ROWS, y_of(name), sample_weight=weight)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_rows_of_x_and_y_go_by_their_order_whatever_their_index(name):
    y = y_of(name)
    expected = small(name).fit(ROWS, y).predict(ROWS)
    labels = np.random.default_rng(2).permutation(N)
    table = pd.DataFrame(ROWS, columns=NAMES, index=labels)
    for index in (labels, labels[::-1], [f"row {i}" for i in range(N)], [0] * N):
        forest = small(name).fit(table, pd.Series(y, index=index))
        assert_array_equal(forest.predict(table), expected)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "record batch"])
def test_evaluations_and_suggestions_take_tables(kind):
    table = as_table(kind, list(ROWS.T))
    forest = small("ForestClassifier").fit(table, LABELS)
    plain = small("ForestClassifier").fit(ROWS, LABELS)
    evaluation = mf.evaluate(forest, table, pd.Series(LABELS), n_bootstrap=2)
    assert evaluation.to_dict() == mf.evaluate(plain, ROWS, LABELS, n_bootstrap=2).to_dict()
    suggestion = mf.suggest_projection(table, LABELS, n_estimators=3, random_state=0)
    expected = mf.suggest_projection(ROWS, LABELS, n_estimators=3, random_state=0)
    assert suggestion.best == expected.best


def test_names_come_back_from_files(tmp_path):
    for name in ESTIMATORS:
        table = as_table("arrow", list(ROWS.T))
        small(name).fit(table, y_of(name)).save(tmp_path / "forest.mf")
        assert mf.load(tmp_path / "forest.mf").feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_set_output_gives_tables_of_ranks_with_the_names_of_the_columns(kind):
    table = as_table(kind, list(ROWS.T))
    ranks = mf.RankTransformer().set_output(transform=kind)
    made = ranks.fit_transform(table)
    assert type(made) is type(table)
    assert list(made.columns) == ranks.get_feature_names_out().tolist() == NAMES
    assert_array_equal(made, mf.RankTransformer().fit_transform(ROWS))
