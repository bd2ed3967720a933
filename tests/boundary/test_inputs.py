"""What boundary forests refuse: by name, and without a trace in what they have learned."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.exceptions import NotFittedError

import manifoldforest as mf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)).astype(np.float32)
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
X_NEW = RNG.normal(size=(30, 4)).astype(np.float32)


def forest_of(kind, **params):
    return kind(**({"n_estimators": 5, "max_children": 3, "random_state": 0} | params))


def state(forest):
    """All that can be seen of what a forest has learned."""
    trees = [
        (t.example.tolist(), t.parent.tolist(), np.array(t.label).tolist()) for t in forest.trees_
    ]
    points, labels = forest.stored_examples_
    seen = (forest.n_seen_, forest.stored_.tolist(), list(points), labels.tolist())
    classes = getattr(forest, "classes_", np.array([])).tolist()
    return repr((trees, seen, classes, forest.n_nodes_.tolist(), forest.n_features_in_))


KINDS = [mf.BoundaryForestClassifier, mf.BoundaryForestRegressor]


def with_value(value):
    bad = X.copy()
    bad[50, 2] = value
    return bad


REFUSED_DATA = {
    "NaN": (with_value(np.nan), Y, "X contains NaN"),
    "infinite": (with_value(np.inf), Y, "X contains infinity"),
    "too large": (with_value(1.0).astype(float) * 1e303, Y, "X must hold numbers in"),
    "one axis": (X[:, 0], Y, "X|2D array"),
    "no rows": (X[:0], Y[:0], "0 sample|at least one row"),
    "no features": (X[:, :0], Y, "feature"),
    "words": (np.full((60, 4), "a"), Y, "X must hold numbers"),
    "sparse": (sparse.csr_matrix(X), Y, "[Ss]parse"),
    "complex": (X + 1j, Y, "Complex"),
    "nothing": (None, Y, "X"),
    "no y": (X, None, "y"),
    "too few labels": (X, Y[:-1], "60 .* 59|59 .* 60"),
    "NaN label": (X, np.where(Y == 0, np.nan, 1.0), "y contains NaN"),
    "infinite label": (X, np.where(Y == 0, np.inf, 1.0), "y contains infinity"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", REFUSED_DATA)
def test_bad_data_are_refused_and_nothing_changes(case, kind):
    bad, y, message = REFUSED_DATA[case]
    forest = forest_of(kind)
    for method in ("fit", "partial_fit"):
        with pytest.raises((ValueError, TypeError), match=message):
            getattr(forest, method)(bad, y)
        with pytest.raises(NotFittedError):
            forest.predict(X)
    forest.fit(X, Y)
    before = state(forest)
    for method in ("fit", "partial_fit"):
        with pytest.raises((ValueError, TypeError), match=message):
            getattr(forest, method)(bad, y)
        assert state(forest) == before
    if not case.endswith(("y", "label", "labels")):
        for method in ("predict", "query"):
            with pytest.raises((ValueError, TypeError), match=message):
                getattr(forest, method)(bad)


@pytest.mark.parametrize("kind", KINDS)
def test_another_width_is_refused_after_the_first_batch(kind):
    forest = forest_of(kind).partial_fit(X, Y)
    before = state(forest)
    message = f"X has 3 features, but {kind.__name__} is expecting 4 features as input"
    for call in (forest.predict, forest.query, lambda rows: forest.partial_fit(rows, Y)):
        with pytest.raises(ValueError, match=message):
            call(X[:, :3])
    assert state(forest) == before


def test_continuous_labels_are_no_classes():
    forest = forest_of(mf.BoundaryForestClassifier).fit(X, Y)
    before = state(forest)
    for method in (forest.fit, forest.partial_fit):
        with pytest.raises(ValueError, match="continuous"):
            method(X, X[:, 0])
    with pytest.raises((ValueError, TypeError), match="y"):
        forest.partial_fit(X, np.full(60, "word"))  # there are only numbers so far
    assert state(forest) == before


def test_another_number_of_outputs_is_refused():
    forest = forest_of(mf.BoundaryForestRegressor).fit(X, np.stack([Y, Y], axis=1))
    before = state(forest)
    for y in (Y, np.stack([Y, Y, Y], axis=1)):
        with pytest.raises(ValueError, match="y .*2"):
            forest.partial_fit(X, y)
    assert state(forest) == before


REFUSED_PARAMETERS = [
    ("n_estimators", 0, ValueError),
    ("n_estimators", True, TypeError),
    ("n_estimators", 2.0, TypeError),
    ("max_children", 1, ValueError),
    ("max_children", 2.5, TypeError),
    ("max_children", None, TypeError),
    ("metric", "minkowski", ValueError),
    ("metric", 3, TypeError),
    ("embedding", "pca", TypeError),
    ("power", -1.0, ValueError),
    ("power", np.nan, ValueError),
    ("power", "2", TypeError),
    ("passes", 0, ValueError),
    ("passes", 1.5, TypeError),
    ("n_jobs", 0, ValueError),
    ("random_state", "seed", TypeError),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "value", "error"), REFUSED_PARAMETERS)
def test_bad_parameters_are_refused_by_name_and_nothing_changes(name, value, error, kind):
    forest = forest_of(kind).fit(X, Y)
    before = state(forest)
    forest.set_params(**{name: value})
    with pytest.raises(error, match=f"{name} must be"):
        forest.fit(X, Y)
    assert state(forest) == before


@pytest.mark.parametrize(
    ("tolerance", "error"),
    [(-0.1, ValueError), (np.nan, ValueError), (np.inf, ValueError), ("wide", TypeError)],
)
def test_a_bad_tolerance_is_refused(tolerance, error):
    with pytest.raises(error, match="tolerance must be"):
        forest_of(mf.BoundaryForestRegressor, tolerance=tolerance).fit(X, Y)


@pytest.mark.parametrize(
    ("k", "error"),
    [
        (0, ValueError),
        (-3, ValueError),
        (1.5, TypeError),
        ("two", TypeError),
        (True, TypeError),
        (None, TypeError),
    ],
)
def test_a_bad_number_of_neighbours_is_refused(k, error):
    with pytest.raises(error, match="k must be an integer >= 1"):
        forest_of(mf.BoundaryForestClassifier).fit(X, Y).query(X, k)


def test_asking_before_fitting_is_refused():
    for kind in KINDS:
        forest = forest_of(kind)
        for method in ("predict", "query"):
            with pytest.raises(NotFittedError):
                getattr(forest, method)(X)
        for name in ("trees_", "n_nodes_", "stored_", "depth_"):
            assert not hasattr(forest, name)
        with pytest.raises(NotFittedError):
            forest.save("forest.mf")


# ------------------------------------------------------- functions that fail


class Moody:
    """The sum of differences, and something else for a point that has a 99 in it."""

    def __init__(self, answer):
        self.answer = answer

    def __call__(self, a, b):
        if a[0] == 99 or b[0] == 99:
            return self.answer()
        return float(np.abs(a - b).sum())


def boom():
    raise ZeroDivisionError("boom")


MOODS = {
    "NaN": (lambda: float("nan"), ValueError, "metric must return"),
    "negative": (lambda: -1.0, ValueError, "metric must return"),
    "no number": (lambda: "far", TypeError, "metric must return"),
    "nothing": (lambda: None, TypeError, "metric must return"),
    "an error": (boom, ZeroDivisionError, "boom"),
}


@pytest.mark.parametrize("n_learned", [0, 3, 40])
@pytest.mark.parametrize("mood", MOODS)
def test_a_metric_that_fails_leaves_the_forest_as_it_was(mood, n_learned):
    """In a batch with good examples before and behind the bad one; also during the start."""
    answer, error, message = MOODS[mood]
    batch = X[40:].copy()
    batch[7, 0] = 99
    for kind in KINDS:
        forest = forest_of(kind, metric=Moody(answer))
        unharmed = forest_of(kind, metric=Moody(answer))
        if n_learned:
            for each in (forest, unharmed):
                each.partial_fit(X[:n_learned], Y[:n_learned])
            before = state(forest)
        with pytest.raises(error, match=message):
            forest.partial_fit(batch, Y[40:])
        if n_learned:
            assert state(forest) == before
            with pytest.raises(error, match=message):
                forest.predict(batch)
            with pytest.raises(error, match=message):
                forest.fit(batch, Y[40:])
            assert state(forest) == before
        # and it learns on as if nothing had been
        for each in (forest, unharmed):
            each.partial_fit(X[40:], Y[40:])
        assert state(forest) == state(unharmed)
        assert_array_equal(forest.predict(X_NEW), unharmed.predict(X_NEW))


@pytest.mark.parametrize("passes", [2, None])
def test_a_metric_that_fails_in_a_later_pass_leaves_the_forest_as_it_was(passes):
    class Tired:
        def __init__(self):
            self.calls_left = 10**9

        def __call__(self, a, b):
            self.calls_left -= 1
            if self.calls_left < 0:
                raise ZeroDivisionError("tired")
            return float(np.abs(a - b).sum())

    metric = Tired()
    forest = forest_of(mf.BoundaryForestClassifier, metric=metric, passes=1).fit(X, Y)
    one_pass = 10**9 - metric.calls_left
    before = state(forest)
    forest.set_params(passes=passes)
    metric.calls_left = one_pass + 200
    with pytest.raises(ZeroDivisionError, match="tired"):
        forest.fit(X[::-1], Y[::-1])
    assert state(forest) == before


def test_an_embedding_must_keep_all_rows():
    forest = mf.BoundaryForestClassifier(3, embedding=lambda rows: rows[:40], random_state=0)
    forest.fit(X[:40], Y[:40])
    for call in (forest.predict, forest.query):
        with pytest.raises(ValueError, match="embedding of X must have .* the 41 rows .* got 40"):
            call(X[:41])


def test_an_embedding_that_fails_leaves_the_forest_as_it_was():
    def embedding(rows):
        return np.where(rows > 50, np.nan, rows)

    forest = forest_of(mf.BoundaryForestClassifier, embedding=embedding).fit(X, Y)
    before = state(forest)
    for call in (forest.predict, lambda rows: forest.partial_fit(rows, Y)):
        with pytest.raises(ValueError, match="contains NaN"):
            call(X * 1000)
    assert state(forest) == before


# ------------------------------------------------------------------- handled


def test_layout_and_type_of_arrays_do_not_matter():
    expected = forest_of(mf.BoundaryForestClassifier).fit(X, Y)
    wide = np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)
    readonly = X.copy()
    readonly.flags.writeable = False
    forms = [np.asfortranarray(X), wide[::2, ::2], readonly, X.astype(">f4"), X.astype(float)]
    for form in [*forms, X.tolist()]:
        forest = forest_of(mf.BoundaryForestClassifier).fit(form, Y.tolist())
        assert state(forest) == state(expected)
        assert_array_equal(forest.predict_proba(form), expected.predict_proba(X))


def test_what_happens_to_the_callers_array_later_does_not_matter():
    rows, y = X.copy(), Y.copy()
    forest = forest_of(mf.BoundaryForestClassifier).partial_fit(rows, y)
    before, answers = state(forest), forest.predict_proba(X_NEW)
    rows[:], y[:] = 0, 0
    assert state(forest) == before
    assert_array_equal(forest.predict_proba(X_NEW), answers)


def test_tables_give_their_feature_names():
    table = pd.DataFrame(X, columns=list("abcd"))
    forest = forest_of(mf.BoundaryForestClassifier).partial_fit(table, Y)
    assert forest.feature_names_in_.tolist() == list("abcd")
    assert_array_equal(
        forest.predict(table), forest_of(mf.BoundaryForestClassifier).fit(X, Y).predict(X)
    )
    before = state(forest)
    with pytest.raises(ValueError, match="feature names"):
        forest.partial_fit(table.rename(columns={"a": "z"}), Y)
    assert state(forest) == before
