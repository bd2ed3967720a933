"""The table of all estimators in the documentation tells what the classes can do."""

from __future__ import annotations

import importlib.util
import inspect
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, is_classifier
from sklearn.utils import get_tags

import manifoldforest as mf

PAGE = Path(__file__).parents[2] / "docs" / "estimators.md"
COLUMNS = ["X", "y", "missing values", "weights", "goes on learning", "parallel", "saved"]


def _rows():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    header, _, *rows = cells
    assert header[1:] == COLUMNS
    names = [re.fullmatch(r"{class}`~manifoldforest\.(\w+)`", row[0])[1] for row in rows]
    columns = [dict(zip(COLUMNS, row[1:], strict=True)) for row in rows]
    return dict(zip(names, columns, strict=True))


ROWS = _rows()
NAMES = sorted(ROWS)


def _small(kind):
    """Return an estimator that is fitted in no time."""
    sizes = {"n_estimators": 2, "epochs": 1, "hidden": (4,)}
    known = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in sizes.items() if name in known})


def _learn(kind, X):
    estimator = _small(kind)
    if hasattr(estimator, "add"):
        estimator.add(X)
    else:
        estimator.fit(X, np.arange(len(X)) % 2)
    return estimator


def _takes(kind, X):
    try:
        _learn(kind, X)
    except ValueError:
        return False
    return True


def _yes(condition):
    return "yes" if condition else "no"


@pytest.fixture(params=NAMES)
def kind(request):
    if request.param == "DifferentiableBoundaryTree" and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    return getattr(mf, request.param)


def test_every_estimator_has_a_row():
    public = {name: getattr(mf, name) for name in mf.__all__}
    kinds = {
        name
        for name, value in public.items()
        if inspect.isclass(value)
        and (issubclass(value, BaseEstimator) or hasattr(value, "query"))
        and not issubclass(value, TransformerMixin)
    }
    kinds.add("DifferentiableBoundaryTree")  # a transformer as well
    assert ROWS.keys() == kinds


def test_the_column_of_examples_is_true(kind):
    images = np.random.default_rng(0).normal(size=(20, 3, 4))
    assert _takes(kind, images)
    measures = "metric" in inspect.signature(kind).parameters
    assert ROWS[kind.__name__]["X"] == ("numbers or objects" if measures else "numbers, any shape")


def test_the_column_of_missing_values_is_true(kind):
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[0, 0] = np.nan
    assert ROWS[kind.__name__]["missing values"] == _yes(_takes(kind, X))


def test_the_column_of_responses_is_true(kind):
    parameters = inspect.signature(kind).parameters
    if not issubclass(kind, BaseEstimator) or not hasattr(kind, "predict"):
        expected = "none: finds neighbours"
    elif "space" in parameters:
        expected = "points of a space"
    elif "kernel" in parameters:
        expected = "points with a kernel"
    else:
        several = get_tags(_small(kind)).target_tags.multi_output
        expected = "labels" if is_classifier(_small(kind)) else "numbers"
        expected += ", several columns" if several else ""
    assert ROWS[kind.__name__]["y"] == expected


def test_the_column_of_weights_is_true(kind):
    fit = inspect.signature(kind.fit).parameters if hasattr(kind, "fit") else {}
    ways = ["rows"] if "sample_weight" in fit else []
    ways += ["classes"] if "class_weight" in inspect.signature(kind).parameters else []
    assert ROWS[kind.__name__]["weights"] == (", ".join(ways) or "no")


def test_the_column_of_further_learning_is_true(kind):
    if hasattr(kind, "partial_fit") or hasattr(kind, "add"):
        expected = "more examples"
    else:
        warm = "warm_start" in inspect.signature(kind).parameters
        expected = "more trees" if warm else "no"
    assert ROWS[kind.__name__]["goes on learning"] == expected


def test_the_columns_of_threads_and_files_are_true(kind):
    row = ROWS[kind.__name__]
    assert row["parallel"] == _yes("n_jobs" in inspect.signature(kind).parameters)
    assert row["saved"] == _yes(hasattr(kind, "save"))


def test_all_can_be_pickled(kind):
    X = np.random.default_rng(0).normal(size=(20, 3))
    learned = _learn(kind, X)
    again = pickle.loads(pickle.dumps(learned))
    answer = "predict" if hasattr(learned, "predict") else "query"
    np.testing.assert_array_equal(getattr(again, answer)(X), getattr(learned, answer)(X))
