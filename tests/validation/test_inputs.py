"""What a forest accepts as X, y and parameters, and what it refuses without changing itself."""

from __future__ import annotations

import copy
import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.preprocessing import StandardScaler

import manifoldforest as mf
from manifoldforest.projections import Dictionary, GraphBalls, Patches


def small_data(n=40, p=6, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


def small_forest(**params):
    return mf.ForestClassifier(**({"n_estimators": 3, "random_state": 0} | params))


def state(forest):
    """Everything a forest knows, by identity of what it holds."""
    return {name: id(value) for name, value in vars(forest).items()}


# ------------------------------------------------------------------ refused

X_OK, Y_OK = small_data()


def with_value(value):
    X = X_OK.copy()
    X[3, 2] = value
    return X


REFUSED_DATA = {
    "one axis": (X_OK[:, 0], Y_OK, "2D array"),
    "no rows": (X_OK[:0], Y_OK[:0], "0 sample"),
    "no features": (X_OK[:, :0], Y_OK, "0 feature"),
    "no pixels": (np.zeros((40, 3, 0)), Y_OK, "0 feature"),
    "infinite": (with_value(np.inf), Y_OK, "X contains infinity"),
    "minus infinite": (with_value(-np.inf), Y_OK, "X contains infinity"),
    "too large for float32": (with_value(1e300), Y_OK, "X contains infinity"),
    "nothing": (None, Y_OK, "X must be an array or a table .* got None"),
    "dictionary": ({"a": [1]}, [0], "X must be an array or a table .* of type dict"),
    "lazy table": (pl.LazyFrame({"a": [1.0]}), [0], "X must be .* of type LazyFrame"),
    "ragged": ([[1.0, 2.0], [3.0]], [0, 1], "X must be"),
    "words": (np.full((40, 6), "a"), Y_OK, "X must hold numbers"),
    "sparse": (sparse.csr_matrix(X_OK), Y_OK, "Sparse data"),
    "complex": (X_OK + 1j, Y_OK, "Complex"),
    "no y": (X_OK, None, "requires y"),
    "too few labels": (X_OK, Y_OK[:-1], "X and y .* 40 .* 39"),
    "empty labels": (X_OK, [], "y must have the shape"),
    "labels with three axes": (X_OK, np.zeros((40, 2, 2)), "y must have the shape"),
    "mixed labels": (X_OK[:3], [1, "a", 2.5], "y must hold labels of one type"),
    "mixed array": (X_OK[:3], np.array([1, "a", 2.5], dtype=object), "y must hold labels of one"),
    "missing label": (X_OK[:2], ["a", None], "y must hold labels of one type"),
    "labels that are sets": (X_OK[:2], [{1}, {2}], "y must hold numbers or strings"),
    "continuous labels": (X_OK, X_OK[:, 0], "continuous"),
    "NaN label": (X_OK, np.where(Y_OK == 0, np.nan, 1.0), "y contains NaN"),
    "sparse labels": (X_OK, sparse.csr_matrix(Y_OK[:, None]), "y must be a dense"),
}


@pytest.mark.parametrize("case", REFUSED_DATA)
def test_bad_data_are_refused_and_nothing_changes(case):
    X, y, message = REFUSED_DATA[case]
    fresh, fitted = small_forest(), small_forest().fit(X_OK, Y_OK)
    for forest in (fresh, fitted):
        before = state(forest)
        with pytest.raises((ValueError, TypeError), match=message):
            forest.fit(X, y)
        assert state(forest) == before


N_FEW = 8
AGES = np.arange(float(N_FEW))
COLOURS = ["red", "blue"] * (N_FEW // 2)
DAYS = np.datetime64("2024-01-01") + np.arange(N_FEW)
DATES = [datetime.date(2024, 1, 1 + i) for i in range(N_FEW)]
ENCODE = r".* encode .*sklearn\.preprocessing\.OrdinalEncoder or OneHotEncoder"


def table(**columns):
    return pd.DataFrame({"age": AGES, **columns})


NOT_NUMBERS = {
    "text": (table(colour=COLOURS), "text in column 'colour' .such as 'red'." + ENCODE),
    "objects": (table(colour=np.array(COLOURS, object)), "text in column 'colour'" + ENCODE),
    "text and gaps": (
        table(colour=pd.array([pd.NA, *COLOURS[1:]], dtype="string")),
        "text in column 'colour' .such as 'blue'.",
    ),
    "categories": (
        table(colour=pd.Categorical(COLOURS)),
        "categories in column 'colour' .such as 'red'." + ENCODE,
    ),
    "dates": (table(day=DAYS), "dates in column 'day' .*days since a first date"),
    "nothing but dates": (pd.DataFrame({"day": DAYS}), "dates in column 'day'"),
    "dates with zones": (
        table(day=pd.to_datetime(DAYS).tz_localize("UTC")),
        "dates in column 'day'",
    ),
    "dates as objects": (table(day=DATES), "dates in column 'day'"),
    "durations": (table(wait=DAYS - DAYS[0]), "durations in column 'wait' .* divide by a unit"),
    "several": (
        table(day=DAYS, colour=COLOURS, size=COLOURS),
        "dates in column 'day' .*; text in columns 'colour' and 'size'",
    ),
    "many": (
        pd.DataFrame({f"c{j}": COLOURS for j in range(6)}),
        "text in columns 'c0', 'c1', 'c2' and 3 more",
    ),
    "intervals": (table(i=pd.cut(AGES, 3)), "objects of type Interval in column 'i'"),
    "polars text": (pl.DataFrame({"age": AGES, "colour": COLOURS}), "text in column 'colour'"),
    "polars categories": (
        pl.DataFrame({"age": AGES, "colour": pl.Series(COLOURS, dtype=pl.Categorical)}),
        "categories in column 'colour'" + ENCODE,
    ),
    "polars dates": (pl.DataFrame({"age": AGES, "day": DATES}), "dates in column 'day'"),
    "polars lists": (
        pl.DataFrame({"age": AGES, "l": [[1], [2, 3]] * (N_FEW // 2)}),
        "objects of type ndarray in column 'l'",
    ),
    "array of text": (np.array([COLOURS, COLOURS]).T, "text in columns 0 and 1" + ENCODE),
    "array of objects": (np.array([[1.0, "a"]] * N_FEW, dtype=object), "text in column 1"),
    "objects with dates": (np.array([[1.0, DATES[0]]] * N_FEW, object), "dates in column 1"),
    "array of dates": (np.stack([DAYS, DAYS], axis=1), "dates in columns 0 and 1"),
    "array of durations": (np.stack([DAYS] * 2, axis=1) - DAYS[0], "durations in columns 0 and 1"),
    "list": ([[1.0, "a"]] * N_FEW, "text in column 1"),
    "images": (np.array([[[1, 2], ["a", 4]]] * N_FEW, object), r"text in column \[:, 1, 0\]"),
    "fields": (
        np.array([(1.0, "a")] * N_FEW, dtype=[("age", float), ("colour", "U1")]),
        r"structured array with the fields 'age', 'colour': pass pandas\.DataFrame\(X\)",
    ),
}


@pytest.mark.parametrize("kind", [mf.ForestClassifier, mf.BoundaryForestClassifier])
@pytest.mark.parametrize("case", NOT_NUMBERS)
def test_columns_that_are_not_numbers_are_named(kind, case):
    X, message = NOT_NUMBERS[case]
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        kind(2).fit(X, [0, 1] * (N_FEW // 2))
    assert type(caught.value) in (TypeError, ValueError)


@pytest.mark.parametrize("case", ["text", "categories", "dates", "polars dates", "list", "fields"])
def test_columns_that_have_no_ranks_are_named(case):
    X, message = NOT_NUMBERS[case]
    with pytest.raises((TypeError, ValueError), match=message):
        mf.RankTransformer().fit(pd.DataFrame(X) if case == "list" else X)


def test_columns_that_are_not_numbers_are_named_at_predict():
    forest = small_forest().fit(table(size=AGES), [0, 1] * (N_FEW // 2))
    for size, what in ((COLOURS, "text"), (DAYS, "dates")):
        with pytest.raises((TypeError, ValueError), match=f"{what} in column 'size'"):
            forest.predict(table(size=size))


def test_numbers_in_any_wrapping_are_read():
    y = [0, 1] * (N_FEW // 2)
    X = np.stack([AGES, AGES], axis=1)
    expected = small_forest().fit(X, y).predict_proba(X)
    for values in (
        AGES.astype(object),
        pd.Categorical(AGES),
        AGES.astype(str),
        pd.array(AGES.astype(int), dtype="Int64"),
    ):
        wrapped = table(size=values)
        assert_array_equal(small_forest().fit(wrapped, y).predict_proba(wrapped), expected)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(39), "sample_weight must have the shape"),
        (np.ones((40, 2)), "sample_weight must have the shape"),
        (np.full(40, -1.0), "sample_weight must hold finite numbers >= 0, got -1.0"),
        (np.full(40, np.nan), "sample_weight must hold finite"),
        (np.zeros(40), "sample_weight .* not zero"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    forest = small_forest()
    before = state(forest)
    with pytest.raises(ValueError, match=message):
        forest.fit(X_OK, Y_OK, sample_weight=weight)
    assert state(forest) == before


@pytest.mark.parametrize(
    ("weight", "got"),
    [
        (["a"] * 40, "entries of type <U1"),
        (np.full(40, 1j), "entries of type complex128"),
        (1j, "an object of type complex"),
    ],
)
def test_weights_that_are_no_numbers_are_refused(weight, got):
    forest = small_forest()
    before = state(forest)
    with pytest.raises(TypeError, match=f"sample_weight must be an array of real numbers .*{got}"):
        forest.fit(X_OK, Y_OK, sample_weight=weight)
    assert state(forest) == before


REFUSED_PARAMETERS = [
    ("n_estimators", 0),
    ("max_features", 0),
    ("max_features", 0.0),
    ("max_features", "all"),
    ("max_features", np.inf),
    ("criterion", "squared_error"),
    ("splitter", "best"),
    ("max_depth", 0),
    ("min_samples_split", 1),
    ("min_samples_leaf", 1.5),
    ("min_balance", 0.6),
    ("min_impurity_decrease", -0.1),
    ("min_impurity_decrease", 10**400),
    ("max_leaf_nodes", 1),
    ("ccp_alpha", np.nan),
    ("max_samples", 0),
    ("max_samples", 2**31),
    ("max_samples", float("inf")),
    ("honest_fraction", 1.0),
    ("empty_leaf", "guess"),
    ("voting", "loud"),
    ("class_weight", "fair"),
    ("class_weight", {0: -1.0}),
    ("class_weight", [{0: 1.0}, {0: 1.0}]),
    ("class_weight", {0: 0.0, 1: 0.0}),
    ("keep_samples", "sometimes"),
    ("n_jobs", 0),
    ("random_state", -1),
    ("verbose", -1),
]


PARAMETERS_OF_WRONG_TYPES = [
    ("n_estimators", True),
    ("n_estimators", 2.0),
    ("max_features", True),
    ("bootstrap", "yes"),
    ("oob_score", "accuracy"),
    ("class_weight", {0: "heavy"}),
    ("class_weight", [1.0, 2.0]),
    ("random_state", "seed"),
]


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [(*case, ValueError) for case in REFUSED_PARAMETERS]
    + [(*case, TypeError) for case in PARAMETERS_OF_WRONG_TYPES],
)
def test_bad_parameters_are_refused_by_name_and_nothing_changes(name, value, error):
    forest = small_forest().fit(X_OK, Y_OK).set_params(**{name: value})
    before = state(forest)
    with pytest.raises(error, match=name):
        forest.fit(X_OK, Y_OK)
    assert state(forest) == before


def test_refused_parameters_name_what_is_accepted():
    with pytest.raises(ValueError, match="splitter must be one of 'auto', 'exact', .* got 'best'"):
        small_forest(splitter="best").fit(X_OK, Y_OK)


@pytest.mark.parametrize(
    ("projection", "message"),
    [
        (Patches(max_size=9, shape=(2, 3)), "max_size"),
        (Patches(shape=(4, 4)), "shape"),
        (Dictionary(np.eye(5)), "Dictionary.atoms"),
        (GraphBalls(np.eye(5)), "GraphBalls.adjacency"),
        ("diagonal", "projection"),
        (3, "projection"),
    ],
)
def test_projections_that_do_not_fit_are_refused(projection, message):
    forest = small_forest().fit(X_OK, Y_OK).set_params(projection=projection)
    before = state(forest)
    with pytest.raises((ValueError, TypeError), match=message):
        forest.fit(X_OK, Y_OK)
    assert state(forest) == before


def test_another_width_at_predict_is_refused():
    forest = small_forest().fit(X_OK, Y_OK)
    message = "X has 5 features, but ForestClassifier is expecting 6 features as input"
    for method in ("predict", "predict_proba", "apply", "forest_weights", "proximity"):
        with pytest.raises(ValueError, match=message):
            getattr(forest, method)(X_OK[:, :5])


def test_another_shape_at_predict_is_refused():
    images = np.random.default_rng(0).normal(size=(20, 4, 6))
    forest = small_forest(projection="patches").fit(images, np.arange(20) % 2)
    with pytest.raises(
        ValueError, match=r"X must have the shape .*4, 6.* or .*24.*got \(20, 6, 4\)"
    ):
        forest.predict(images.transpose(0, 2, 1))
    with pytest.raises(ValueError, match="X has 12 features, .* expecting 24"):
        forest.predict(images[:, :2].reshape(20, -1))


@pytest.mark.parametrize("kind", [mf.ForestClassifier, mf.BoundaryForestClassifier])
def test_one_image_is_not_a_set_of_images(kind):
    images = np.random.default_rng(0).normal(size=(20, 4, 6))
    forest = kind(2).fit(images, np.arange(20) % 2)
    with pytest.raises(ValueError, match=r"one example, \(4, 6\): for one example pass X\[None\]"):
        forest.predict(images[0])
    assert forest.predict(images[0][None]).shape == (1,)
    rows = kind(2).fit(images[:, :1], np.arange(20) % 2)  # a row of one line is an image, too
    assert rows.predict(images[0, :1]).shape == (1,)


def test_asking_before_fitting_is_refused():
    forest = small_forest()
    for method in ("predict", "apply", "forest_weights", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(forest, method)(X_OK)
    with pytest.raises(NotFittedError):
        forest.describe()
    with pytest.raises(NotFittedError):
        _ = forest.trees_


# ------------------------------------------------------------------ handled


def test_the_short_way_to_predict_gives_the_same_results_and_errors():
    X = X_OK.astype(np.float32)
    forest = small_forest().fit(X, Y_OK)
    assert_array_equal(forest.predict_proba(X), forest.predict_proba(X.tolist()))
    bad = X.copy()
    bad[0, 0] = np.inf
    messages = []
    for form in (bad, np.asfortranarray(bad)):
        with pytest.raises(ValueError, match="infinity") as caught:
            forest.predict(form)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    with pytest.raises(ValueError, match="0 sample"):
        forest.predict(X[:0])


def forms_of(images):
    """The same examples in every form in which they may come; the first two take the short way."""
    flat = images.reshape(len(images), -1)
    wide = np.repeat(images, 2, axis=2)
    readonly = images.copy()
    readonly.flags.writeable = False
    return {
        "images": images,
        "flat": flat,
        "read-only": readonly,
        "Fortran": np.asfortranarray(flat),
        "strided": wide[:, :, ::2],
        "other byte order": images.astype(images.dtype.newbyteorder()),
        "wider numbers": images.astype(np.float64),
        "subclass": images.view(np.ma.MaskedArray),
        "list": flat.tolist(),
    }


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("projection", ["axis", "sporf", "patches", "rotation"])
def test_one_row_is_predicted_like_many_in_every_form(projection, dtype):
    images = np.random.default_rng(0).integers(0, 256, size=(40, 4, 6)).astype(dtype)
    y = images[:, 1:3, 2:4].sum(axis=(1, 2)) > 500
    classifier = small_forest(projection=projection).fit(images, y)
    regressor = mf.ForestRegressor(3, projection=projection, random_state=0).fit(images, y)
    methods = [classifier.predict, classifier.predict_proba, classifier.apply, regressor.predict]
    for method in methods:
        expected = method(images.reshape(40, -1).tolist())
        for X in forms_of(images).values():
            assert_array_equal(method(X), expected)
            for i in (0, 17, 39):
                assert_array_equal(method(X[i : i + 1]), expected[i : i + 1])


IMAGES = np.ones((5, 4, 6), np.float32)
REFUSED_AT_PREDICT = {
    "too narrow": IMAGES[:, :, :5].copy(),
    "too narrow and flat": IMAGES.reshape(5, -1)[:, :23].copy(),
    "another shape": np.ones((5, 6, 4), np.uint8),
    "a further axis": IMAGES[:, None].copy(),
    "infinite": np.where(np.arange(24).reshape(4, 6) == 7, np.inf, IMAGES).astype(np.float32),
    "complex": IMAGES.reshape(5, -1) + 1j,
    "words": np.full((5, 24), "a"),
    "sparse": sparse.csr_matrix(IMAGES.reshape(5, -1)),
}


@pytest.mark.parametrize("case", REFUSED_AT_PREDICT)
def test_one_row_is_refused_like_many(case):
    X = REFUSED_AT_PREDICT[case]
    forest = small_forest(projection="patches").fit(IMAGES, np.arange(5) % 2)
    messages = []
    for rows in (X, X[:1]):
        with pytest.raises((ValueError, TypeError)) as caught:
            forest.predict_proba(rows)
        messages.append(str(caught.value).split("\n")[0].replace("(1, ", "(5, "))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("n_rows", [0, 1, 5])
def test_requests_that_cannot_be_met_are_refused_for_any_number_of_rows(n_rows):
    forest = small_forest(projection="patches")
    with pytest.raises(NotFittedError):
        forest.predict(IMAGES[:n_rows])
    forest.fit(IMAGES, np.arange(5) % 2)
    with pytest.raises(ValueError, match="n_jobs must be an integer other|0 sample"):
        forest.set_params(n_jobs=0).predict(IMAGES[:n_rows])


@pytest.mark.parametrize("n_rows", [1, 5])
@pytest.mark.parametrize(
    ("n_jobs", "error"),
    [(0, ValueError)]
    + [(wrong, TypeError) for wrong in ("a", 1.5, 1.0, True, np.array(1), np.array([1, 2]))],
)
def test_n_jobs_is_checked_if_it_is_set_after_the_fit(n_jobs, error, n_rows):
    rows = X_OK[:n_rows].astype(np.float32)
    for forest in (small_forest(), mf.ForestRegressor(3, random_state=0)):
        forest.fit(X_OK, Y_OK).set_params(n_jobs=n_jobs)
        for call in (forest.predict, forest.apply):
            with pytest.raises(error, match="n_jobs must be an integer other than 0 or None, got"):
                call(rows)


HUGE = 10**400
ESTIMATORS = (
    mf.ForestClassifier,
    mf.ForestRegressor,
    mf.BoundaryForestClassifier,
    mf.BoundaryForestRegressor,
)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_integers_beyond_all_floats_are_refused_by_name(kind):
    rows = X_OK.tolist()
    rows[3][2] = HUGE
    for X in (rows, np.array(rows, dtype=object), pd.DataFrame(rows, dtype=object)):
        with pytest.raises(ValueError, match="X.* must hold numbers"):
            kind(3).fit(X, Y_OK)
        with pytest.raises(ValueError, match="X.* must hold numbers"):
            kind(3).fit(X_OK, Y_OK).predict(X[:5])
    y = [HUGE, *Y_OK[1:].tolist()]
    for labels in (y, np.array(y, dtype=object)):
        with pytest.raises(ValueError, match="^y must "):
            kind(3).fit(X_OK, labels)


def test_huge_integers_do_not_hide_text():
    X = np.array([[HUGE, 1.0], ["red", 2.0]], dtype=object)
    with pytest.raises(TypeError, match="X must hold numbers, got text in column 0 .*'red'"):
        small_forest().fit(X, [0, 1])


def test_huge_sample_weights_are_refused_by_name():
    for weight in (HUGE, [HUGE] + [1] * 39, [HUGE] + [0.5] * 39):
        with pytest.raises(ValueError, match="sample_weight must be an array of real numbers"):
            small_forest().fit(X_OK, Y_OK, sample_weight=weight)


@pytest.mark.parametrize("number", [2**31, 2**63, 2**70])
def test_more_trees_than_can_be_counted_are_refused(number):
    for kind in (mf.ForestClassifier, mf.ForestRegressor):
        with pytest.raises(ValueError, match=r"n_estimators must be an integer in \[1, 2147483647"):
            kind(number).fit(X_OK, Y_OK)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_complex_targets_are_no_numbers(kind):
    for y in (Y_OK + 1j, (Y_OK + 1j).tolist(), (Y_OK + 1j).astype(object)):
        with pytest.raises(TypeError, match="^y must "):
            kind(3).fit(X_OK, y)


def test_names_are_missed_on_one_row_too():
    table = pd.DataFrame(X_OK, columns=[f"feature {j}" for j in range(6)])
    forest = small_forest().fit(table, Y_OK)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        forest.predict(X_OK[:1].astype(np.float32))


def test_layout_of_arrays_does_not_matter():
    X = X_OK.astype(np.float32)
    wide = np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)
    readonly = X.copy()
    readonly.flags.writeable = False
    expected = small_forest().fit(X, Y_OK).predict_proba(X)
    forms = [np.asfortranarray(X), wide[::2, ::2], X[::-1][::-1], readonly, X.astype(">f4")]
    for form in forms:
        before = form.copy()
        y = Y_OK.copy()
        y.flags.writeable = False
        assert_array_equal(small_forest().fit(form, y).predict_proba(form), expected)
        assert_array_equal(form, before)


def test_bytes_and_booleans_keep_their_meaning():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 8))
    y = X[:, 0] ^ X[:, 1]
    forests = [small_forest().fit(X.astype(t), y) for t in (np.uint8, bool, np.float32, np.int64)]
    expected = forests[0].predict_proba(X.astype(np.uint8))
    for forest in forests[1:]:
        assert_array_equal(forest.predict_proba(X.astype(np.uint8)), expected)
        assert_array_equal(forest.predict_proba(X.astype(np.float32)), expected)


@pytest.mark.parametrize("shape", [(4, 6), (2, 3, 4), (2, 2, 3, 2)])
def test_examples_with_several_axes_equal_flat_ones(shape):
    X = np.random.default_rng(0).normal(size=(30, *shape))
    y = np.arange(30) % 3
    forest = small_forest().fit(X, y)
    assert forest.n_features_in_ == 24
    assert forest.feature_shape_ == shape
    assert forest.feature_importances_.shape == forest.feature_usage_.shape == shape
    flat = X.reshape(30, -1)
    assert_array_equal(forest.predict_proba(X), forest.predict_proba(flat))
    assert_array_equal(forest.predict_proba(X), small_forest().fit(flat, y).predict_proba(flat))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_tables_give_their_feature_names(frame):
    names = [f"feature {j}" for j in range(6)]
    table = frame({name: X_OK[:, j] for j, name in enumerate(names)})
    if not hasattr(StandardScaler().fit(table), "feature_names_in_"):
        pytest.skip("this scikit-learn does not read the names of such tables")
    forest = small_forest().fit(table, Y_OK)
    assert forest.feature_names_in_.tolist() == names
    assert_array_equal(forest.predict(table), small_forest().fit(X_OK, Y_OK).predict(X_OK))
    renamed = frame({f"another {name}": X_OK[:, j] for j, name in enumerate(names)})
    with pytest.raises(ValueError, match="feature names"):
        forest.predict(renamed)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        forest.predict(X_OK)
    assert not hasattr(forest.fit(X_OK, Y_OK), "feature_names_in_")


def test_missing_values_are_accepted():
    X = X_OK.copy()
    X[::3, 0] = np.nan
    X[:, 5] = np.nan
    forest = small_forest(n_estimators=20).fit(X, Y_OK)
    assert forest.score(X, Y_OK) > 0.9
    assert np.isfinite(forest.predict_proba(np.full((1, 6), np.nan))).all()


LABELS = {
    "strings": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "booleans": np.array([False, True]),
    "whole floats": np.array([-1.0, 2.0]),
    "bytes of pixels": np.array([0, 255], dtype=np.uint8),
    "unordered": np.array([7, -3]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type_come_back(kind):
    labels = LABELS[kind]
    y = labels[Y_OK]
    forest = small_forest().fit(X_OK, y)
    assert_array_equal(forest.classes_, np.unique(labels))
    predicted = forest.predict(X_OK)
    assert predicted.dtype == labels.dtype
    assert np.mean(predicted == y) > 0.8


def test_labels_in_lists_and_series():
    words = np.array(["no", "yes"])[Y_OK]
    expected = small_forest().fit(X_OK, words).predict(X_OK).tolist()
    for y in (words.tolist(), tuple(words), pd.Series(words), pl.Series(words)):
        assert small_forest().fit(X_OK, y).predict(X_OK).tolist() == expected


def test_label_columns_may_differ_in_type():
    y = pd.DataFrame({"word": np.array(["a", "b"])[Y_OK], "number": 1 - Y_OK})
    forest = small_forest(bootstrap=False).fit(X_OK, y)
    assert [labels.tolist() for labels in forest.classes_] == [["a", "b"], [0, 1]]
    assert forest.predict(X_OK).tolist() == y.to_numpy().tolist()


def test_a_column_of_labels_is_taken_with_a_warning():
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        forest = small_forest().fit(X_OK, Y_OK[:, None])
    assert forest.n_outputs_ == 1
    assert forest.predict(X_OK).shape == (40,)


SINGULAR = {
    "one class": (X_OK, np.zeros(40)),
    "one row": (X_OK[:1], Y_OK[:1]),
    "two rows": (X_OK[:2], [0, 1]),
    "constant column": (np.c_[X_OK, np.ones(40)], Y_OK),
    "duplicated columns": (np.c_[X_OK, X_OK, X_OK], Y_OK),
    "all rows equal": (np.ones((40, 6)), Y_OK),
    "one feature": (X_OK[:, :1], Y_OK),
    "few rows, many features": (np.random.default_rng(0).normal(size=(5, 500)), [0, 1, 0, 1, 1]),
    "everything missing": (np.full((40, 6), np.nan), Y_OK),
}


@pytest.mark.parametrize("case", SINGULAR)
@pytest.mark.parametrize("projection", ["axis", "sporf", "patches", "rotation", "mean_difference"])
def test_singular_data_are_handled_without_a_warning(case, projection):
    X, y = SINGULAR[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        forest = small_forest(projection=projection, max_features=50).fit(X, y)
        shares = forest.predict_proba(X)
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)
        assert np.isfinite(forest.feature_importances_).all()
        assert forest.apply(X).shape == (len(X), 3)
        response = mf.ForestRegressor(3, projection=projection, random_state=0).fit(X, y)
        assert np.isfinite(response.predict(X)).all()


def test_all_rows_equal_give_the_class_shares():
    forest = small_forest(bootstrap=False).fit(np.ones((40, 6)), Y_OK)
    assert all(tree.n_nodes == 1 for tree in forest.trees_)
    np.testing.assert_allclose(forest.predict_proba(np.ones((1, 6)))[0, 1], Y_OK.mean(), rtol=1e-6)


def test_more_candidates_than_atoms_equal_all_atoms():
    X, y = X_OK[:, :3], Y_OK
    few = small_forest(projection="axis", max_features=3, bootstrap=False).fit(X, y)
    many = small_forest(projection="axis", max_features=1000, bootstrap=False).fit(X, y)
    assert many.score(X, y) == few.score(X, y) == 1.0


def test_numpy_numbers_are_numbers():
    plain = small_forest(n_estimators=4, max_features=2, max_depth=3)
    numpy = small_forest(
        n_estimators=np.int64(4), max_features=np.int32(2), max_depth=np.int8(3), bootstrap=np.True_
    )
    assert_array_equal(
        numpy.fit(X_OK, Y_OK).predict_proba(X_OK), plain.fit(X_OK, Y_OK).predict_proba(X_OK)
    )


@pytest.mark.parametrize("number", [2**31, 2**63, 2**70])
def test_whole_numbers_beyond_all_data_are_taken_as_such(number):
    for name in ("min_samples_split", "min_samples_leaf"):
        forest = small_forest(**{name: number}).fit(X_OK, Y_OK)
        assert all(tree.n_nodes == 1 for tree in forest.trees_)
    expected = small_forest().fit(X_OK, Y_OK).predict_proba(X_OK)
    for params in ({"max_leaf_nodes": number}, {"max_depth": number}, {"n_jobs": number}):
        forest = small_forest(**params).fit(X_OK, Y_OK)
        assert_array_equal(forest.predict_proba(X_OK), expected)
    forest = small_forest(n_jobs=-number).fit(X_OK, Y_OK)
    assert_array_equal(forest.predict_proba(X_OK), expected)


@pytest.mark.parametrize("ranks", [True, False])
@pytest.mark.parametrize("bootstrap", [True, False])
def test_numbers_near_the_end_of_their_range_give_no_warning(ranks, bootstrap):
    X = np.sign(X_OK) * 3e38
    for weight in (np.full(40, 1e308), np.full(40, 5e-324), np.linspace(0, 1.7e308, 40)):
        for kind in (mf.ForestClassifier, mf.ForestRegressor):
            forest = kind(3, ranks=ranks, bootstrap=bootstrap, random_state=0)
            forest.fit(X, Y_OK, sample_weight=weight)
            assert np.isfinite(forest.predict(X)).all()
            assert forest.score(X, Y_OK) > 0.5
            assert np.isfinite(forest.forest_weights(X).data).all()
    for class_weight in ("balanced", {0: 1e308, 1: 1.0}, {0: 1e308, 1: 1e308}):
        forest = small_forest(bootstrap=bootstrap, class_weight=class_weight)
        forest.fit(X, Y_OK, sample_weight=np.full(40, 1e308))
        assert np.isfinite(forest.predict_proba(X)).all()


def test_fit_leaves_parameters_and_data_alone():
    projection = Patches(max_size=2)
    forest = small_forest(projection=projection)
    params = copy.deepcopy(forest.get_params())
    X, y, weight = X_OK.copy(), Y_OK.copy(), np.ones(40)
    forest.fit(X, y, sample_weight=weight)
    assert forest.get_params() == params
    assert forest.projection is projection
    assert forest.projection_ is not projection
    assert_array_equal(X, X_OK)
    assert_array_equal(y, Y_OK)
    assert_array_equal(weight, np.ones(40))


# ------------------------------------------------------------------ labels that are whole numbers


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8", ">i4"])
@pytest.mark.parametrize("low", ["least", "zero", "most"])
@pytest.mark.parametrize("n_labels", [1, 2, 100, 200])
@pytest.mark.parametrize("gaps", [False, True])
def test_classes_are_those_of_numpy_at_both_ends_of_a_type(dtype, low, n_labels, gaps):
    limits = np.iinfo(np.dtype(dtype))
    first = {"least": limits.min, "zero": 0, "most": limits.max - n_labels + 1}[low]
    if first + n_labels - 1 > limits.max:
        first = limits.max - n_labels + 1
    labels = [first + k for k in range(n_labels) if k % 3 != 1 or not gaps]
    y = np.array(3 * labels[::-1] + 500 * [labels[0]], dtype=dtype)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    forest = small_forest(n_estimators=1, bootstrap=False).fit(X, y)
    assert_array_equal(forest.classes_, np.unique(y))
    assert forest.classes_.dtype == y.dtype
    assert_array_equal(forest.predict(X), y)
