"""Who is told of growing trees: a listener of the context, besides `verbose`, and of no trials."""

from __future__ import annotations

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest._progress import current_listener, progress_told_to

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] > 0).astype(int)


class Listener:
    def __init__(self):
        self.told = []

    def __call__(self, done, total):
        self.told.append((done, total))


@pytest.mark.parametrize(
    "forest",
    [
        mf.ForestClassifier(7, random_state=0),
        mf.ForestRegressor(7, random_state=0),
        mf.ForestClassifier(7, augment=mf.augmentation.Shifts(1), random_state=0),
        mf.MetricForestRegressor(7, random_state=0),
        mf.BoostedForestClassifier(7, random_state=0),
        mf.BoostedForestRegressor(7, random_state=0),
    ],
    ids=lambda forest: type(forest).__name__,
)
@pytest.mark.parametrize("verbose", [0, 1])
def test_a_listener_is_told_of_all_trees(forest, verbose, capsys):
    listener = Listener()
    with progress_told_to(listener):
        forest.set_params(verbose=verbose).fit(X, Y)
    assert listener.told[-1] == (7, 7)
    assert listener.told == sorted(set(listener.told))
    assert ("7 of 7 trees" in capsys.readouterr().err) == bool(verbose)


def test_trials_of_projections_tell_nobody():
    images = RNG.integers(0, 256, size=(40, 6, 6), dtype=np.uint8)
    listener = Listener()
    with progress_told_to(listener):
        mf.named_forest("image", n_estimators=3, random_state=0).fit(images, Y[:40])
    assert {total for _, total in listener.told} == {3}


def test_a_context_ends_also_with_an_error_and_listens_no_more():
    listener = Listener()
    with pytest.raises(ValueError, match="y must"), progress_told_to(listener):
        mf.ForestClassifier(3).fit(X, [])
    assert current_listener() is None
    mf.ForestClassifier(3).fit(X, Y)
    assert not listener.told


def test_listening_changes_no_forest():
    plain = mf.ForestClassifier(5, random_state=0).fit(X, Y)
    with progress_told_to(Listener()):
        told = mf.ForestClassifier(5, random_state=0).fit(X, Y)
    assert vars(told).keys() == vars(plain).keys()
    np.testing.assert_array_equal(told.predict_proba(X), plain.predict_proba(X))
