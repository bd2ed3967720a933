"""imbalanced-learn, arrays in the layout of aeon and sktime, joblib, and responses in spaces."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
from imblearn.ensemble import BalancedBaggingClassifier
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline as make_sampling_pipeline
from imblearn.under_sampling import RandomUnderSampler
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score

import manifoldforest as mf
from interop.data import ESTIMATORS, NAMES, small, y_of
from interop.data import X as ROWS
from manifoldforest.projections import Patches

CLASSIFIERS = [name for name in ESTIMATORS if name.endswith("Classifier")]
RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(80, 3))
TABLE = pd.DataFrame(VALUES, columns=NAMES)
RARE = pd.Series(np.where(np.argsort(np.argsort(VALUES[:, 0])) >= 70, "rare", "common"))
SERIES = RNG.normal(size=(60, 2, 20))  # examples, channels, times
MOVES = (SERIES[:, 0, 5:9].sum(axis=1) > 0).astype(int)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("sampler", [RandomOverSampler, RandomUnderSampler, SMOTE])
def test_a_sampler_of_imbalanced_learn_in_its_pipeline(name, sampler):
    model = make_sampling_pipeline(sampler(random_state=0), small(name)).fit(TABLE, RARE)
    X, y = sampler(random_state=0).fit_resample(TABLE, RARE)
    assert (y == "rare").mean() == 0.5
    assert_array_equal(model.predict(TABLE), small(name).fit(X, y).predict(TABLE))
    assert model[-1].feature_names_in_.tolist() == NAMES
    assert cross_val_score(model, TABLE, RARE, cv=3, scoring="balanced_accuracy").mean() > 0.6


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_an_ensemble_of_imbalanced_learn(name):
    bags = BalancedBaggingClassifier(small(name), n_estimators=3, random_state=0)
    assert bags.fit(VALUES, RARE).score(VALUES, RARE) > 0.6


def test_images_pass_through_samplers_as_flat_rows():
    flat = SERIES.reshape(60, -1)
    forest = small("ForestClassifier", projection=Patches(shape=(2, 20), channel_axis=0))
    sampler = RandomUnderSampler(random_state=0)
    model = make_sampling_pipeline(sampler, forest).fit(flat, MOVES)
    assert model[-1].projection_.shape == (2, 20)
    assert model.predict(flat).shape == (60,)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_arrays_of_series_by_channels_and_times(name):
    y = MOVES if name in CLASSIFIERS else SERIES[:, 0, 5:9].sum(axis=1)
    params = {} if name.startswith("Boundary") else {"projection": Patches(channel_axis=0)}
    forest = small(name, **params).fit(SERIES, y)
    assert forest.feature_shape_ == (2, 20)
    flat = forest.predict(SERIES.reshape(60, -1))
    assert_array_equal(forest.predict(SERIES), flat)
    if params:
        assert forest.feature_importances_.shape == (2, 20)
    with pytest.raises(ValueError, match="X must have the shape"):
        forest.predict(SERIES.transpose(0, 2, 1))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_joblib_stores_estimators_with_their_names(name, tmp_path):
    table = pd.DataFrame(ROWS, columns=NAMES)
    forest = small(name).fit(table, y_of(name))
    joblib.dump(forest, tmp_path / "forest.joblib", compress=3)
    again = joblib.load(tmp_path / "forest.joblib")
    assert again.feature_names_in_.tolist() == NAMES
    assert_array_equal(again.predict(table), forest.predict(table))


def test_responses_that_are_matrices_in_folds_and_searches():
    y = np.array([np.diag(np.exp([a, b])) for a, b in ROWS[:, :2]])
    forest = small("MetricForestRegressor", space=mf.spaces.SPD())
    search = GridSearchCV(forest, {"max_depth": [1, 4]}, cv=2, error_score="raise").fit(ROWS, y)
    assert search.predict(ROWS).shape == (40, 2, 2)
    assert search.score(ROWS, y) > 0.3
    folds = cross_val_predict(forest, ROWS, y, cv=2)
    assert folds.shape == (40, 2, 2)
    assert (np.linalg.eigvalsh(folds) > 0).all()
