"""Boosting on shifted copies of examples."""

from __future__ import annotations

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest.augmentation import Shifts
from manifoldforest.augmentation._as_augmentation import random_of_draw
from manifoldforest.boosting._copies import ROUNDS_PER_DRAW

RNG = np.random.default_rng(0)
X = RNG.integers(0, 256, (60, 6, 7), dtype=np.uint8)
Y = RNG.integers(0, 3, 60)
NUMBERS = X[:, 2, 2] + X[:, 3, 3] / 2.0


def classifier(n_estimators=5, **params):
    params = {"max_features": 3, "max_depth": 3, "random_state": 0, **params}
    return mf.BoostedForestClassifier(n_estimators, projection="patches", **params)


def scores(forest, images=X):
    return forest.decision_function(images)


def test_copies_of_one_draw_are_further_rows():
    """A fit on the rows and the copies of the first draw, by hand, has the same trees."""
    augmented = classifier(augment=Shifts(1, copies=2)).fit(X, Y)
    random = random_of_draw(augmented._model.seed, 0)
    rows = Shifts(1, copies=2)._draw(X.reshape(60, -1), (6, 7), random).reshape(-1, 6, 7)
    by_hand = classifier().fit(rows, np.tile(Y, 3))
    assert (scores(augmented) == scores(by_hand)).all()
    assert (augmented.train_loss_ == by_hand.train_loss_).all()


def test_every_draw_has_copies_of_its_own():
    n = ROUNDS_PER_DRAW + 3
    forest = classifier(n, augment=1).fit(X, Y)
    longer = classifier(2 * n, augment=1).fit(X, Y)
    assert forest.n_estimators_ == n == len(forest.train_loss_)
    # the same copies for the same rounds, whatever comes after them
    assert (forest.train_loss_ == longer.train_loss_[:n]).all()
    plain = classifier(n).fit(X, Y)
    assert not np.array_equal(plain.train_loss_, forest.train_loss_)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("first", [3, ROUNDS_PER_DRAW, ROUNDS_PER_DRAW + 1])
def test_a_warm_start_equals_one_fit(first, n_jobs):
    at_once = classifier(ROUNDS_PER_DRAW + 4, augment=1).fit(X, Y)
    grown = classifier(first, augment=1, warm_start=True, n_jobs=n_jobs).fit(X, Y)
    grown.set_params(n_estimators=ROUNDS_PER_DRAW + 4).fit(X, Y)
    assert (scores(at_once) == scores(grown)).all()


HOLDING_OUT = {"early_stopping": True, "validation_fraction": 0.4, "learning_rate": 0.5, "l2": 1.0}


def test_copies_of_rows_that_are_held_out_are_not_learned():
    """Labels are noise: of rows that are not learned, nothing becomes known."""
    forest = classifier(60, augment=1, n_iter_no_change=1000, **HOLDING_OUT).fit(X, Y)
    assert forest.train_loss_[-1] < 0.2
    assert forest.validation_loss_[-1] > 1.2


def test_a_best_round_of_an_earlier_draw_is_kept():
    n = ROUNDS_PER_DRAW + 10
    forest = classifier(n, augment=1, n_iter_no_change=1000, **HOLDING_OUT).fit(X, Y)
    assert forest.n_estimators_ == int(np.argmin(forest.validation_loss_)) + 1 < ROUNDS_PER_DRAW
    assert len(forest.trees_) == forest.n_estimators_
    *_, last = forest.staged_predict_proba(X)
    assert (last == forest.predict_proba(X)).all()


def test_rounds_stop_when_the_loss_falls_no_more():
    forest = classifier(2 * ROUNDS_PER_DRAW, augment=1, n_iter_no_change=5, **HOLDING_OUT)
    assert len(forest.fit(X, Y).validation_loss_) == forest.n_estimators_ + 5 < ROUNDS_PER_DRAW


def test_regression_files_and_the_fitted_object(tmp_path):
    forest = mf.BoostedForestRegressor(
        6, projection="patches", augment=Shifts(1, copies=1, flip=1), random_state=0
    ).fit(X, NUMBERS)
    assert forest.augmentation_ == Shifts(1, copies=1, flip=1)
    forest.save(tmp_path / "forest.mf")
    loaded = mf.load(tmp_path / "forest.mf")
    assert (loaded.predict(X) == forest.predict(X)).all()
    assert (loaded.augment, loaded.augmentation_) == (forest.augment, forest.augmentation_)
    assert mf.BoostedForestClassifier(augment=2).fit(X, Y).augmentation_ == Shifts(2)


def test_what_cannot_be_shifted_is_refused():
    with pytest.raises(ValueError, match="max_shift"):
        classifier(augment=7).fit(X, Y)
    with pytest.raises(TypeError, match="augment must be"):
        classifier(augment="shift").fit(X, Y)
