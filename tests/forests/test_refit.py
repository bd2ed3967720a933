"""What estimators answer while they are fitted again: that of one whole fit, the old or the new."""

from __future__ import annotations

import itertools
import sys
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_equal

import manifoldforest as mf

RNG = np.random.default_rng(0)
WIDE = RNG.normal(size=(40, 5))
NARROW = RNG.normal(size=(30, 3))
IMAGES = RNG.normal(size=(30, 3, 1))
PATIENCE = 30  # seconds
NAMES = np.array(["ant", "bee", "cat", "dog"])

LABELS = {
    "features": ((WIDE, np.arange(40) % 2), (NARROW, np.arange(30) % 2)),
    "shape": ((NARROW, np.arange(30) % 2), (IMAGES, np.arange(30) % 3)),
    "classes": ((WIDE, np.arange(40) % 2), (WIDE[:30], NAMES[np.arange(30) % 4])),
    "outputs": ((WIDE, np.arange(40) % 3), (WIDE, np.stack([np.arange(40) % 2] * 2, axis=1))),
}
NUMBERS = {
    "features": ((WIDE, WIDE[:, 0]), (NARROW, NARROW[:, 1])),
    "outputs": ((WIDE, WIDE[:, 0]), (WIDE, WIDE[:, :2])),
}
ANGLES = {
    "features": ((WIDE, WIDE[:, 0]), (NARROW, NARROW[:, 1])),
    "rows": ((WIDE, WIDE[:, 0]), (WIDE[:25], WIDE[:25, 1])),
}


def classifier():
    return mf.ForestClassifier(4, oob_score=lambda y, p: 0.5, random_state=0)


def regressor():
    return mf.ForestRegressor(4, oob_score=lambda y, p: 0.5, random_state=0)


def of_angles():
    return mf.MetricForestRegressor(4, space="circle", oob_score=lambda y, p: 0.5, random_state=0)


def boundary_classifier():
    return mf.BoundaryForestClassifier(4, random_state=0)


def boundary_regressor():
    return mf.BoundaryForestRegressor(4, random_state=0)


class Ranks(mf.RankTransformer):
    """Ranks, asked for in the same words as a forest."""

    def fit(self, X, y=None):
        return super().fit(X.reshape(len(X), -1))

    def predict(self, X):
        return self.transform(X)


ALL = ("predict", "apply", "decision_path", "forest_weights", "proximity")
KINDS = {
    "classifier": (
        classifier,
        LABELS,
        (*ALL, "predict_proba", "predict_log_proba", "predict_proba_per_tree"),
    ),
    "regressor": (regressor, NUMBERS, (*ALL, "predict_interval", "predict_per_tree")),
    "angles": (of_angles, ANGLES, (*ALL, "predict_region")),
    "boundary classifier": (
        boundary_classifier,
        {case: pair for case, pair in LABELS.items() if case != "outputs"},
        ("predict", "predict_proba", "query"),
    ),
    "boundary regressor": (boundary_regressor, NUMBERS, ("predict", "query")),
    "ranks": (Ranks, ANGLES, ("transform",)),
}
FORESTS = ("classifier", "regressor", "angles")


def cases(kinds):
    return [
        pytest.param(KINDS[kind][0], *pair, KINDS[kind][2], id=f"{kind}-{case}")
        for kind in kinds
        for case, pair in KINDS[kind][1].items()
    ]


pytestmark = pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")


def plain(answer):
    """An answer as lists and arrays, which numpy can compare."""
    if isinstance(answer, tuple | list):
        return [plain(part) for part in answer]
    return answer.toarray() if hasattr(answer, "toarray") else answer


class FitsMeanwhile:
    """Examples that have the forest fitted on other data while they are being read."""

    def __init__(self, X, fit):
        self.X, self.fit = X, fit
        self.shape = X.shape

    def __len__(self):
        return len(self.X)

    def __array__(self, dtype=None, copy=None):
        self.fit()
        return np.asarray(self.X, dtype=dtype)


@pytest.mark.parametrize(("make", "first", "second", "methods"), cases(KINDS))
def test_a_fit_amid_a_call_does_not_change_its_answer(make, first, second, methods):
    for name in methods:
        expected = plain(getattr(make().fit(*first), name)(first[0]))
        forest = make().fit(*first)
        X = FitsMeanwhile(first[0], lambda forest=forest: forest.fit(*second))
        assert_equal(plain(getattr(forest, name)(X)), expected)
        assert_equal(forest.predict(second[0]), make().fit(*second).predict(second[0]))


@pytest.mark.parametrize(("make", "first", "second", "methods"), cases(FORESTS))
def test_importances_and_scores_amid_a_fit(make, first, second, methods):
    def asked(forest, X):
        return {
            "score": lambda: forest.score(X, first[1]),
            "importance": lambda: forest.permutation_importance(X, first[1], random_state=0),
        }

    for name in asked(None, None):
        if name == "score" and np.ndim(first[1]) != 1:
            continue
        expected = asked(make().fit(*first), first[0])[name]()
        forest = make().fit(*first)
        X = FitsMeanwhile(first[0], lambda forest=forest: forest.fit(*second))
        assert_equal(asked(forest, X)[name](), expected)


@pytest.mark.parametrize("kind", FORESTS)
def test_a_warm_start_amid_a_fit_continues_what_it_began_with(kind):
    make, pairs, _ = KINDS[kind]
    (X, y), other = pairs["features"]
    expected = make().set_params(warm_start=True).fit(X, y).set_params(n_estimators=6).fit(X, y)
    forest = make().set_params(warm_start=True).fit(X, y).set_params(n_estimators=6)
    meanwhile = lambda: forest.__dict__.update(vars(make().fit(*other)))  # noqa: E731
    forest.fit(FitsMeanwhile(X, meanwhile), y)
    assert_equal(forest.predict(X), expected.predict(X))
    assert_equal(forest.n_features_in_, 5)


def errors_of(forest, X):
    """The message with which a forest refuses X, or None."""
    try:
        forest.predict(X)
    except ValueError as error:
        return str(error)
    return None


@pytest.mark.parametrize(("make", "first", "second", "methods"), cases(KINDS))
def test_other_threads_see_one_whole_fit(make, first, second, methods):
    forests = [make().fit(*first), make().fit(*second)]
    whole = {}
    for X, name in itertools.product((first[0], second[0]), methods):
        for forest in forests:
            refused = errors_of(forest, X)
            answer = refused or plain(getattr(forest, name)(X))
            whole.setdefault((id(X), name), []).append(answer)
    forest = make().fit(*first)
    wrong, asked, done = [], [], threading.Event()

    def ask():
        while not done.is_set():
            for X, name in itertools.product((first[0], second[0]), methods):
                try:
                    answer = plain(getattr(forest, name)(X))
                except ValueError as error:
                    answer = str(error)
                except Exception as error:  # any other is a mixture of two fits
                    answer = repr(error)
                asked.append(name)
                if not any(is_equal(answer, one) for one in whole[id(X), name]):
                    wrong.append((name, answer))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=ask) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        end = time.monotonic() + PATIENCE
        n_fits = 0
        while n_fits < 30 or (len(asked) < 100 and time.monotonic() < end):
            forest.fit(*second)
            forest.fit(*first)
            n_fits += 1
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
    assert not wrong, f"{len(wrong)} of {len(asked)} answers, such as {wrong[0]}"
    assert len(asked) >= 100


def is_equal(answer, expected):
    if isinstance(answer, str) or isinstance(expected, str):  # an error
        return isinstance(answer, type(expected)) and answer == expected
    try:
        assert_equal(answer, expected)
    except (AssertionError, ValueError, TypeError, FutureWarning):  # the last by NumPy < 1.25
        return False
    return True


def test_a_failed_fit_leaves_the_former_one():
    forest = classifier().fit(*LABELS["features"][0])
    before = dict(vars(forest))
    with pytest.raises(ValueError, match="y must"):
        forest.fit(NARROW, np.zeros((2, 2, 2)))
    assert vars(forest).keys() == before.keys()
    assert all(vars(forest)[name] is value for name, value in before.items())
