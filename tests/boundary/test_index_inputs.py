"""What BoundaryIndex refuses, as its exact twin does, and without changing itself."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

import manifoldforest as mf
from manifoldforest.boundary import BruteForceIndex
from reference.boundary import edit_distance

X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)

KINDS = {
    "forest": lambda **params: mf.BoundaryIndex(5, max_children=3, random_state=0, **params),
    "twin": BruteForceIndex,
}


@pytest.fixture(params=KINDS)
def make(request):
    """The index and its twin: they refuse the same with errors of the same type."""
    return KINDS[request.param]


def state(index):
    trees = [(t.example.tolist(), t.parent.tolist()) for t in getattr(index, "trees_", [])]
    answers = [a.tolist() for a in index.query(X[:10], 40)] if len(index) else []
    return list(index), trees, answers


def with_value(value):
    bad = X[:5].copy()
    bad[3, 1] = value
    return bad


REFUSED_POINTS = {
    "NaN": (with_value(np.nan), "X contains NaN"),
    "infinite": (with_value(-np.inf), "X contains infinity"),
    "too large": (np.full((5, 3), 1.1e300), r"X must hold numbers in \[-1e\+300, 1e\+300\]"),
    "too narrow": (X[:5, :2], "X has 2 features"),
    "too wide": (np.zeros((5, 4)), "X has 4 features"),
    "one axis": (X[0], "X"),
    "no rows": (X[:0], "X|0 sample"),
    "ragged": ([[1.0, 2.0, 3.0], [3.0]], "X must be"),
    "words": (np.full((5, 3), "a"), "X must hold numbers"),
    "huge integers": ([[10**400, 0.5, 1]] * 5, "X must hold numbers"),
    "sparse": (sparse.csr_matrix(X[:5]), "[Ss]parse"),
    "nothing": (None, "X"),
}


@pytest.mark.parametrize("case", REFUSED_POINTS)
def test_bad_points_are_refused_and_nothing_changes(case, make):
    bad, message = REFUSED_POINTS[case]
    index = make()
    index.add(X[:20])
    before = state(index)
    for call in (index.add, index.query, lambda rows: index.update(np.arange(5), rows)):
        with pytest.raises((ValueError, TypeError), match=message):
            call(bad)
        assert state(index) == before
    assert index.add(X[20:]).tolist() == list(range(20, 40))  # no id was lost


def test_an_embedding_must_keep_all_rows(make):
    def two_at_most(rows):
        return rows[:2]

    index = make(embedding=two_at_most)
    for rows in (X[:3], X[:3].tolist(), pd.DataFrame(X[:3])):
        with pytest.raises(ValueError, match="embedding of X must have .* the 3 rows .* got 2"):
            index.add(rows)
    assert len(index) == 0
    index.add(X[:2])
    for call in (index.add, index.query, lambda rows: index.update([0, 1], rows)):
        with pytest.raises(ValueError, match="embedding of X must have .* the 3 rows .* got 2"):
            call(X[:3])
    assert_array_equal(index.get([0, 1]), X[:2])
    doubling = make(embedding=lambda rows: np.vstack([rows, rows]))
    with pytest.raises(ValueError, match="embedding of X must have .* the 3 rows .* got 6"):
        doubling.add(X[:3])


def test_an_embedding_may_read_what_has_no_number_of_rows(make):
    index = make(embedding=lambda rows: np.array(list(rows)))
    assert index.add(iter(X[:3])).tolist() == [0, 1, 2]


REFUSED_IDS = {
    "too few": ([70], ValueError),
    "too many": ([70, 71, 72], ValueError),
    "twice": ([70, 70], ValueError),
    "floats": ([70.0, 71.0], TypeError),
    "float array": (np.array([70.0, 71.0]), TypeError),
    "booleans": ([True, False], TypeError),
    "words": (["a", "b"], TypeError),
    "a set": ({70, 71}, TypeError),
    "two axes": (np.array([[70, 71]]), ValueError),
    "too large": ([70, 2**63], ValueError),
}


@pytest.mark.parametrize("case", REFUSED_IDS)
def test_bad_ids_are_refused_and_nothing_changes(case, make):
    ids, error = REFUSED_IDS[case]
    index = make()
    index.add(X[:20])
    before = state(index)
    with pytest.raises(error, match="ids must"):
        index.add(X[20:22], ids=ids)
    with pytest.raises(error, match="ids must"):
        index.update(ids, X[20:22])
    assert state(index) == before


def test_ids_must_be_new_or_known(make):
    index = make()
    index.add(X[:20])
    before = state(index)
    with pytest.raises(ValueError, match="ids must be new, got 3"):
        index.add(X[:2], ids=[99, 3])
    for ids in ([0, 99], [99], np.array([-1])):
        with pytest.raises(KeyError, match="ids must be in the index"):
            index.remove(ids)
    with pytest.raises(KeyError, match="ids must be in the index, got 99"):
        index.update([0, 99], X[:2])
    with pytest.raises(KeyError, match="among must be in the index, got 99"):
        index.query(X, among=[0, 99])
    with pytest.raises(ValueError, match="ids must be all different, got 1 twice"):
        index.remove([1, 0, 1])
    with pytest.raises(ValueError, match="among must hold at least one id"):
        index.query(X, among=[])
    assert state(index) == before
    index.remove([])
    assert state(index) == before


@pytest.mark.parametrize(
    ("k", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (1.0, TypeError),
        (True, TypeError),
        ("1", TypeError),
        (None, TypeError),
    ],
)
def test_bad_k_is_refused(k, error, make):
    index = make()
    index.add(X)
    with pytest.raises(error, match="k must be an integer >= 1"):
        index.query(X, k)


def test_an_empty_index_cannot_be_queried(make):
    index = make()
    with pytest.raises(ValueError, match="index"):
        index.query(X)
    with pytest.raises(KeyError):
        index.remove([0])
    with pytest.raises(KeyError):
        index.update([0], X[:1])
    assert len(index) == 0


REFUSED_PARAMETERS = [
    ("metric", "minkowski", ValueError),
    ("metric", 3, TypeError),
    ("embedding", "pca", TypeError),
    ("n_jobs", 0, ValueError),
    ("n_estimators", 0, ValueError),
    ("n_estimators", 1.5, TypeError),
    ("max_children", 1, ValueError),
    ("random_state", "seed", TypeError),
]


@pytest.mark.parametrize(("name", "value", "error"), REFUSED_PARAMETERS)
def test_bad_parameters_are_refused_by_name(name, value, error):
    with pytest.raises(error, match=f"{name} must be"):
        mf.BoundaryIndex(**{name: value})


class Moody:
    """The number of different letters, and something else for a word with a question mark."""

    def __init__(self, answer):
        self.answer = answer

    def __call__(self, a, b):
        return self.answer() if "?" in a or "?" in b else edit_distance(a, b)


def boom():
    raise ZeroDivisionError("boom")


@pytest.mark.parametrize("n_points", [2, 12])
@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (lambda: float("nan"), ValueError, "metric must return"),
        (lambda: -1, ValueError, "metric must return"),
        (lambda: 10**400, ValueError, "metric must return finite numbers >= 0, got a number too"),
        (lambda: "far", TypeError, "metric must return"),
        (boom, ZeroDivisionError, "boom"),
    ],
)
def test_a_metric_that_fails_leaves_the_index_as_it_was(answer, error, message, n_points):
    words = [f"{i:b}" for i in range(1, 40)]
    index = KINDS["forest"](metric=Moody(answer))
    index.add(words[:n_points])

    def seen():
        return list(index), [a.tolist() for a in index.query(words, 5)], index.n_nodes_.tolist()

    before = seen()
    with pytest.raises(error, match=message):
        index.add([*words[:9], "1?1", *words[9:12]])
    assert seen() == before
    with pytest.raises(error, match=message):
        index.update([0, 1], ["111", "1?0"])
    assert seen() == before
    with pytest.raises(error, match=message):
        index.query(["1", "?"])
    assert seen() == before
    unharmed = KINDS["forest"](metric=edit_distance)
    unharmed.add(words[:n_points])
    assert index.add(words[n_points:]).tolist() == unharmed.add(words[n_points:]).tolist()
    assert_array_equal(index.query(words, 5), unharmed.query(words, 5))


def test_a_metric_that_fails_while_a_point_is_removed_leaves_the_index_as_it_was():
    class Tired:
        failing = False

        def __call__(self, a, b):
            if self.failing:
                raise ZeroDivisionError("tired")
            return edit_distance(a, b)

    words = [f"{i:b}" for i in range(1, 60)]
    metric = Tired()
    index = KINDS["forest"](metric=metric)
    index.add(words)
    before = [(t.example.tolist(), t.parent.tolist()) for t in index.trees_]
    roots = [tree.example[0] for tree in index.trees_]
    metric.failing = True
    with pytest.raises(ZeroDivisionError, match="tired"):
        index.remove(roots)  # whose children need new parents
    metric.failing = False
    assert [(t.example.tolist(), t.parent.tolist()) for t in index.trees_] == before
    assert len(index) == 59
    index.remove(roots)
    assert len(index) == 54


def test_arrays_of_doubles_are_queries_of_any_metric():
    """A space, or any function, measures objects; arrays of floats are many of them."""
    rng = np.random.default_rng(0)
    units = rng.normal(size=(30, 3))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    for metric in (mf.spaces.Sphere(), lambda a, b: float(np.linalg.norm(a - b))):
        index = mf.BoundaryIndex(5, metric=metric, random_state=0)
        ids = index.add(units)
        found = index.query(units[:4])
        np.testing.assert_array_equal(found[1][:, 0], ids[:4])
        np.testing.assert_allclose(found[0], 0, atol=1e-7)


@pytest.mark.parametrize("index", [mf.BoundaryIndex, mf.boundary.BruteForceIndex])
def test_columns_without_numbers_are_named_by_an_index(index):
    table = pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})
    with pytest.raises(TypeError, match=r"X must hold numbers, got text in .*'colour'.*encode"):
        index().add(table)
    with pytest.raises(TypeError, match="X must hold numbers, got dates in column 'day'"):
        index().add(table[["size"]].assign(day=pd.date_range("2026-01-01", periods=2)))


@pytest.mark.parametrize("index", [mf.BoundaryIndex, mf.boundary.BruteForceIndex])
def test_one_image_in_place_of_several_is_told(index):
    filled = index()
    filled.add(np.zeros((3, 4, 5)))
    with pytest.raises(ValueError, match=r"for one point pass X\[None\]"):
        filled.query(np.zeros((4, 5)))
