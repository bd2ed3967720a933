"""scikit-learn's own checks of what an estimator must do."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import manifoldforest as mf
from manifoldforest.augmentation import Shifts
from manifoldforest.projections import Axis, DilatedKernels, Intervals, Patches, Sporf
from manifoldforest.views import Difference, FromTransformer, Spectrum

_WEIGHTS_AS_REPETITIONS = "check_sample_weight_equivalence_on_dense_data"


def _expected_failures(estimator: Any) -> dict[str, str]:
    if isinstance(estimator, mf.BoostedForestClassifier | mf.BoostedForestRegressor):
        several = "classes_ is a list if there are several outputs, and cannot be indexed as one"
        failures = {"check_classifier_multioutput": several} if is_classifier(estimator) else {}
        if estimator.subsample < 1.0:
            failures[_WEIGHTS_AS_REPETITIONS] = "repetitions of a row may not be drawn together"
        return failures
    if getattr(estimator, "bootstrap", False):
        reason = "with bootstrap a weight is a repetition in distribution, not draw by draw"
        return {_WEIGHTS_AS_REPETITIONS: reason}
    if getattr(estimator, "refine", False):
        return {_WEIGHTS_AS_REPETITIONS: "repeated rows are visited in another order"}
    return {}


def _forests() -> list[Any]:
    forests = [
        kind(5, projection=projection, bootstrap=bootstrap)
        for kind in (mf.ForestClassifier, mf.ForestRegressor)
        for projection in (Axis(), Sporf(), Sporf(scale="std"), Patches())
        for bootstrap in (True, False)
    ]
    metric = [
        kind(5, bootstrap=bootstrap)
        for kind in (mf.MetricForestRegressor, mf.KernelForestRegressor)
        for bootstrap in (True, False)
    ]
    seen = [
        kind(5, projection=Patches(view=view, max_size=1), bootstrap=bootstrap)
        for kind in (mf.ForestClassifier, mf.ForestRegressor)
        for view in (Difference(1, 1), Spectrum(), FromTransformer(StandardScaler()))
        for bootstrap in (True, False)
    ]
    # thresholds of shares are answers to rows that are drawn, where a weight is no repetition
    kernels = DilatedKernels(10, pool=("maximum", "mean", "position"))
    on_series = [
        kind(5, projection=projection, bootstrap=bootstrap)
        for kind in (mf.ForestClassifier, mf.ForestRegressor)
        for projection in (Intervals("mean", depth=2), Intervals(), kernels)
        for bootstrap in (True, False)
    ]
    others = [
        mf.ForestClassifier(5, ranks=True, bootstrap=False),
        mf.ForestClassifier(5, refine=True, bootstrap=False),
        mf.ForestClassifier(5, augment=Shifts((0,), flip=0), bootstrap=False),
        mf.ForestRegressor(12, augment=Shifts((0,), flip=0)),
    ]
    boosted = [
        kind(5, learning_rate=0.5, projection=projection, subsample=subsample, splitter=splitter)
        for kind in (mf.BoostedForestClassifier, mf.BoostedForestRegressor)
        for projection, subsample, splitter in (("auto", 0.5, "auto"), ("axis", 1.0, "exact"))
    ]
    return [*forests, *seen, *on_series, *metric, *others, *boosted]


# The checks provoke warnings on purpose: column vectors as y, feature names that are missing.
@pytest.mark.filterwarnings("default")
@parametrize_with_checks(
    [*_forests(), mf.RankTransformer()], expected_failed_checks=_expected_failures
)
def test_estimator_passes_scikit_learns_checks(estimator, check):
    check(estimator)
