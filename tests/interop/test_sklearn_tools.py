"""Our estimators inside the tools of scikit-learn, on tables with names and on images."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SelectFromModel
from sklearn.impute import SimpleImputer
from sklearn.inspection import (
    DecisionBoundaryDisplay,
    PartialDependenceDisplay,
    partial_dependence,
    permutation_importance,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import manifoldforest as mf
import versions
from interop.data import ESTIMATORS, FORESTS, NAMES
from interop.data import small as smallest
from manifoldforest.projections import Patches

mpl.use("agg")

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(60, 3)).astype(np.float32)
TABLE = pd.DataFrame(VALUES, columns=NAMES)
LABELS = pd.Series(np.array(["no", "yes"])[(VALUES[:, 0] > 0).astype(int)])
NUMBERS = pd.Series(VALUES[:, 0].astype(np.float64))
IMAGES = RNG.normal(size=(60, 4, 4))
IMAGE_LABELS = (IMAGES[:, 1:3, 1:3].sum(axis=(1, 2)) > 0).astype(int)
WEIGHT = np.random.default_rng(1).integers(0, 3, size=60).astype(float)

CLASSIFIERS = [name for name in ESTIMATORS if name.endswith("Classifier")]
REGRESSORS = [name for name in ESTIMATORS if name.endswith("Regressor")]


def small(name, **params):
    """Return a small estimator, with enough rounds of boosting to have learned something."""
    rounds = {"n_estimators": 20} if name.startswith("Boosted") else {}
    return smallest(name, **(rounds | params))


def answer(estimator, X):
    """Return what tells forests apart: probabilities, or numbers."""
    return getattr(estimator, "predict_proba", estimator.predict)(X)


def y_of(name):
    return LABELS if name in CLASSIFIERS else NUMBERS


@pytest.mark.parametrize("name", ESTIMATORS)
def test_pipeline(name):
    pipeline = make_pipeline(StandardScaler(), small(name)).fit(TABLE, y_of(name))
    scaled = StandardScaler().fit_transform(TABLE)
    expected = small(name).fit(scaled, y_of(name)).predict(scaled)
    assert_array_equal(pipeline.predict(TABLE), expected)
    assert pipeline.feature_names_in_.tolist() == NAMES
    assert not hasattr(pipeline[-1], "feature_names_in_")


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_set_output(name, kind):
    pipeline = make_pipeline(StandardScaler(), mf.RankTransformer(), small(name))
    pipeline.set_output(transform=kind)
    table = TABLE if kind == "pandas" else pl.DataFrame(dict(zip(NAMES, VALUES.T, strict=True)))
    pipeline.fit(table, y_of(name))
    assert pipeline[-1].feature_names_in_.tolist() == NAMES
    plain = make_pipeline(StandardScaler(), mf.RankTransformer(), small(name))
    plain.fit(VALUES, y_of(name))
    assert_array_equal(pipeline.predict(table), plain.predict(VALUES))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_column_transformer(name):
    table = TABLE.assign(colour=["red", "blue", "green"] * 20)
    table.loc[::7, "age"] = np.nan
    numbers = ["age", "height", "weight"]
    if name in FORESTS:
        steps = [("ranks", mf.RankTransformer(), numbers)]
    else:  # takes no missing values
        steps = [("means", SimpleImputer(), numbers)]
    steps += [("colour", OneHotEncoder(sparse_output=False), ["colour"])]
    columns = ColumnTransformer(steps, verbose_feature_names_out=False)
    model = make_pipeline(columns.set_output(transform="pandas"), small(name))
    model.fit(table, y_of(name))
    expected = [*numbers, "colour_blue", "colour_green", "colour_red"]
    assert model[-1].feature_names_in_.tolist() == expected
    assert model.score(table, y_of(name)) > 0.5


@pytest.mark.parametrize("name", FORESTS)
def test_select_from_model(name):
    chosen = SelectFromModel(small(name, projection="axis"), max_features=1, threshold=-np.inf)
    chosen.fit(TABLE, y_of(name))
    assert chosen.get_feature_names_out().tolist() == ["age"]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_clone_and_get_params(name):
    forest = small(name).fit(TABLE, y_of(name))
    copy = clone(forest)
    assert not hasattr(copy, "feature_names_in_")
    assert copy.get_params().keys() == forest.get_params().keys()
    assert repr(copy) == repr(forest)
    assert_array_equal(copy.fit(TABLE, y_of(name)).predict(TABLE), forest.predict(TABLE))


GRIDS = {
    "ForestClassifier": {"projection": ["axis", "sporf"], "max_depth": [1, 3]},
    "ForestRegressor": {"projection": ["axis", "sporf"], "max_depth": [1, 3]},
    "BoostedForestClassifier": {"learning_rate": [0.1, 0.5]},
    "BoostedForestRegressor": {"learning_rate": [0.1, 0.5]},
    "MetricForestRegressor": {"max_depth": [1, 3]},
    "KernelForestRegressor": {"max_depth": [1, 3]},
    "BoundaryForestClassifier": {"n_estimators": [1, 3]},
    "BoundaryForestRegressor": {"n_estimators": [1, 3]},
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_grid_search(name):
    search = GridSearchCV(small(name), GRIDS[name], cv=2, error_score="raise")
    search.fit(TABLE, y_of(name))
    n = np.prod([len(values) for values in GRIDS[name].values()])
    assert len(search.cv_results_["params"]) == n
    assert search.best_estimator_.feature_names_in_.tolist() == NAMES
    assert search.predict(TABLE).shape == (60,)
    drawn = RandomizedSearchCV(small(name), GRIDS[name], n_iter=1, cv=2, random_state=0)
    assert np.isfinite(drawn.fit(TABLE, y_of(name)).best_score_)


def test_grid_search_over_parameters_of_a_projection_on_images():
    forest = small("ForestClassifier", projection=Patches())
    grid = {"projection__max_size": [1, 3]}
    search = GridSearchCV(forest, grid, cv=2, error_score="raise").fit(IMAGES, IMAGE_LABELS)
    assert search.best_estimator_.projection.max_size in (1, 3)
    assert forest.projection.max_size is None


@pytest.mark.parametrize("name", ESTIMATORS)
def test_halving_grid_search(name):
    grid = {"n_jobs": [1, 2]}  # what to choose does not matter here
    trees = HalvingGridSearchCV(
        small(name), grid, resource="n_estimators", max_resources=6, cv=2, error_score="raise"
    )
    assert trees.fit(TABLE, y_of(name)).best_params_["n_estimators"] <= 6
    rows = HalvingGridSearchCV(small(name), grid, cv=2, random_state=0, error_score="raise")
    assert np.isfinite(rows.fit(TABLE, y_of(name)).best_score_)


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated_classifier(name, method):
    calibrated = CalibratedClassifierCV(small(name), method=method, cv=2).fit(TABLE, LABELS)
    shares = calibrated.predict_proba(TABLE)
    assert_allclose(shares.sum(axis=1), 1)
    assert calibrated.classes_.tolist() == ["no", "yes"]
    assert calibrated.feature_names_in_.tolist() == NAMES
    assert calibrated.score(TABLE, LABELS) > 0.6


def test_calibrated_classifier_of_images():
    calibrated = CalibratedClassifierCV(small("ForestClassifier", projection=Patches()), cv=2)
    assert calibrated.fit(IMAGES, IMAGE_LABELS).predict_proba(IMAGES).shape == (60, 2)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_permutation_importance(name):
    forest = small(name).fit(TABLE, y_of(name))
    found = permutation_importance(forest, TABLE, y_of(name), n_repeats=2, random_state=0)
    assert found.importances_mean.argmax() == 0  # the only column that counts


def test_permutation_importance_of_images_takes_flat_rows():
    forest = small("ForestClassifier").fit(IMAGES, IMAGE_LABELS)
    flat = IMAGES.reshape(60, -1)
    found = permutation_importance(forest, flat, IMAGE_LABELS, n_repeats=1, random_state=0)
    assert found.importances.shape == (16, 1)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_partial_dependence(name):
    table = TABLE.astype(np.float64)
    forest = small(name).fit(table, y_of(name))
    found = partial_dependence(forest, table, ["age"], grid_resolution=5, kind="average")
    average = found["average"][0]
    assert average[-1] > average[0]
    display = PartialDependenceDisplay.from_estimator(
        forest, table, ["age", ("age", "height")], grid_resolution=3
    )
    assert display.axes_[0, 0].get_xlabel() == "age"
    mpl.pyplot.close("all")


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_decision_boundary_display(name):
    two = TABLE[["age", "height"]]
    forest = small(name).fit(two, LABELS)
    for method in ("predict", "predict_proba"):
        display = DecisionBoundaryDisplay.from_estimator(
            forest, two, response_method=method, grid_resolution=5, class_of_interest=None
        )
        assert display.response.shape[:2] == (5, 5)
        assert display.xlabel == "age"
    mpl.pyplot.close("all")


@pytest.mark.parametrize("name", REGRESSORS)
def test_decision_boundary_display_of_numbers(name):
    two = TABLE[["age", "height"]]
    forest = small(name).fit(two, NUMBERS)
    display = DecisionBoundaryDisplay.from_estimator(forest, two, grid_resolution=5)
    assert np.isfinite(display.response).all()
    mpl.pyplot.close("all")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_cross_validation(name):
    y = y_of(name)
    folds = cross_val_predict(small(name), TABLE, y, cv=3)
    assert folds.shape == (60,)
    assert_array_equal(folds, cross_val_predict(small(name), VALUES, y.to_numpy(), cv=3))
    scores = cross_val_score(small(name), TABLE, y, cv=3, error_score="raise", n_jobs=1)
    assert scores.mean() > 0.3
    results = cross_validate(small(name), TABLE, y, cv=2, return_estimator=True)
    assert results["estimator"][0].feature_names_in_.tolist() == NAMES
    if name in CLASSIFIERS:
        shares = cross_val_predict(small(name), TABLE, y, cv=3, method="predict_proba")
        assert_allclose(shares.sum(axis=1), 1)


def test_cross_validation_of_images_keeps_their_shape():
    forest = small("ForestClassifier", projection=Patches())
    results = cross_validate(forest, IMAGES, IMAGE_LABELS, cv=2, return_estimator=True)
    assert results["estimator"][0].feature_shape_ == (4, 4)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_shuffled_labels_of_a_permutation_test_go_by_their_order(name):
    score, permuted, _ = permutation_test_score(
        small(name), TABLE, y_of(name), cv=2, n_permutations=3, random_state=0
    )
    assert score > permuted.mean()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_learning_curve(name):
    sizes, train, test = learning_curve(
        small(name), TABLE, y_of(name), train_sizes=[0.5, 1.0], cv=2, error_score="raise"
    )
    assert len(sizes) == len(train) == len(test) == 2
    assert np.isfinite(train).all()
    assert np.isfinite(test).all()


def test_learning_curve_of_a_stream():
    curve = learning_curve(
        small("BoundaryForestClassifier"),
        TABLE,
        LABELS,
        train_sizes=[0.5, 1.0],
        cv=2,
        exploit_incremental_learning=True,
        error_score="raise",
    )
    assert np.isfinite(curve[2]).all()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_validation_curve(name):
    train, test = validation_curve(
        small(name), TABLE, y_of(name), param_name="n_estimators", param_range=[1, 3], cv=2
    )
    assert np.isfinite(test).all()
    assert train.shape == test.shape == (2, 2)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_stacking_and_voting_of_classifiers(name):
    models = [("ours", small(name)), ("line", LogisticRegression())]
    stack = StackingClassifier(models, cv=2).fit(TABLE, LABELS)
    assert stack.score(TABLE, LABELS) > 0.8
    assert "ours" in "".join(stack.get_feature_names_out())
    for voting in ("hard", "soft"):
        vote = VotingClassifier(models, voting=voting).fit(TABLE, LABELS)
        assert vote.score(TABLE, LABELS) > 0.8
        assert vote.feature_names_in_.tolist() == NAMES
    bagging = BaggingClassifier(small(name), n_estimators=2, random_state=0)
    assert bagging.fit(VALUES, LABELS).score(VALUES, LABELS) > 0.7


@pytest.mark.parametrize("name", REGRESSORS)
def test_stacking_and_voting_of_regressors(name):
    models = [("ours", small(name)), ("again", small("ForestRegressor"))]
    assert StackingRegressor(models, cv=2).fit(TABLE, NUMBERS).score(TABLE, NUMBERS) > 0.5
    assert VotingRegressor(models).fit(TABLE, NUMBERS).score(TABLE, NUMBERS) > 0.5
    scaled = TransformedTargetRegressor(small(name), func=np.exp, inverse_func=np.log)
    assert scaled.fit(TABLE, NUMBERS).score(TABLE, NUMBERS) > 0.3


def test_images_in_ensembles_of_others():
    classifiers = [("ours", small("ForestClassifier", projection=Patches()))]
    regressors = [("ours", small("ForestRegressor", projection=Patches()))]
    for model in (
        StackingClassifier(classifiers, cv=2),
        VotingClassifier(classifiers),
        MultiOutputClassifier(classifiers[0][1]),
        StackingRegressor(regressors, cv=2),
        VotingRegressor(regressors),
        TransformedTargetRegressor(regressors[0][1]),
    ):
        y = IMAGE_LABELS
        if isinstance(model, MultiOutputClassifier):
            y = np.stack([y, 1 - y], axis=1)
        assert model.fit(IMAGES, y).predict(IMAGES).shape == y.shape


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_multi_output_classifier(name):
    second = np.array(["low", "high"])[(VALUES[:, 1] > 0).astype(int)]
    Y = pd.DataFrame({"first": LABELS, "second": second})
    model = MultiOutputClassifier(small(name)).fit(TABLE, Y)
    assert model.predict(TABLE).shape == (60, 2)
    assert [classes.tolist() for classes in model.classes_] == [["no", "yes"], ["high", "low"]]
    assert len(model.predict_proba(TABLE)) == 2


@pytest.mark.parametrize("name", REGRESSORS)
def test_multi_output_regressor(name):
    Y = np.stack([NUMBERS, VALUES[:, 1]], axis=1)
    model = MultiOutputRegressor(small(name)).fit(TABLE, Y)
    assert model.predict(TABLE).shape == (60, 2)
    assert model.score(TABLE, Y) > 0.3


@pytest.mark.parametrize("name", FORESTS)
def test_metadata_routing_of_weights(name):
    y = y_of(name)
    expected = answer(small(name).fit(TABLE, y, sample_weight=WEIGHT), TABLE)
    assert np.any(expected != answer(small(name).fit(TABLE, y), TABLE))
    with config_context(enable_metadata_routing=True):
        forest = small(name).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(mf.RankTransformer().set_fit_request(sample_weight=False), forest)
        pipeline.fit(TABLE, y, sample_weight=pd.Series(WEIGHT))
        ranks = mf.RankTransformer().fit_transform(TABLE)
        direct = small(name).fit(ranks, y, sample_weight=WEIGHT)
        assert_array_equal(answer(pipeline, TABLE), answer(direct, ranks))
        search = GridSearchCV(forest.set_score_request(sample_weight=False), {}, cv=2)
        search.fit(TABLE, y, sample_weight=WEIGHT)
        assert_array_equal(answer(search, TABLE), expected)
        with pytest.raises(TypeError, match="sample_weight"):
            unasked = small(name).set_fit_request(sample_weight=False)
            make_pipeline(unasked).fit(TABLE, y, sample_weight=WEIGHT)


def test_metadata_routing_of_weights_to_scores():
    with config_context(enable_metadata_routing=True):
        forest = small("ForestClassifier").set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        results = cross_validate(
            forest, TABLE, LABELS, params={"sample_weight": WEIGHT}, scoring=scorer, cv=2
        )
    assert np.isfinite(results["test_score"]).all()


def test_train_test_split_keeps_tables_and_images():
    parts = train_test_split(TABLE, IMAGES, LABELS, random_state=0)
    forest = small("ForestClassifier").fit(parts[0], parts[4])
    assert forest.feature_names_in_.tolist() == NAMES
    assert small("ForestClassifier").fit(parts[2], parts[4]).feature_shape_ == (4, 4)


# ----------------------------------------------------------- tables other than those of pandas


def as_polars(values):
    return pl.DataFrame(dict(zip(NAMES, values.T, strict=True)))


def as_arrow(values):
    return pa.table(dict(zip(NAMES, values.T, strict=True)))


def run_tools_on(table, y):
    """Run the tools that take a table apart by rows or columns, and check names and answers."""
    labels = LABELS.to_numpy()
    assert_array_equal(
        cross_val_predict(small("ForestClassifier"), table, y, cv=3),
        cross_val_predict(small("ForestClassifier"), VALUES, labels, cv=3),
    )
    search = GridSearchCV(small("BoostedForestClassifier"), {"max_depth": [1, 3]}, cv=2)
    assert search.fit(table, y).best_estimator_.feature_names_in_.tolist() == NAMES
    part = train_test_split(table, y, random_state=0)[0]
    assert type(part) is type(table)
    columns = ColumnTransformer([("ranks", mf.RankTransformer(), ["age", "height"])])
    model = make_pipeline(columns, small("BoundaryForestClassifier")).fit(table, y)
    assert model[-1].n_features_in_ == 2
    calibrated = CalibratedClassifierCV(small("ForestClassifier"), cv=2).fit(table, y)
    assert calibrated.feature_names_in_.tolist() == NAMES
    curve = learning_curve(small("ForestClassifier"), table, y, cv=2, train_sizes=[0.5, 1.0])
    assert np.isfinite(curve[2]).all()


def test_polars_in_tools():
    run_tools_on(as_polars(VALUES), pl.Series(LABELS.tolist()))
    two = as_polars(VALUES).select(["age", "height"])
    forest = small("ForestClassifier").fit(two, LABELS)
    assert DecisionBoundaryDisplay.from_estimator(forest, two, grid_resolution=3).xlabel == "age"
    mpl.pyplot.close("all")


@pytest.mark.skipif(versions.SKLEARN < (1, 9), reason="scikit-learn took no rows of such tables")
def test_arrow_in_tools():
    run_tools_on(as_arrow(VALUES), pa.array(LABELS.tolist()))


@pytest.mark.parametrize("convert", [as_polars, as_arrow])
def test_permutation_importance_of_other_tables_warns_of_lost_names(convert):
    table = convert(VALUES)
    forest = small("ForestClassifier").fit(table, LABELS)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        found = permutation_importance(forest, table, LABELS, n_repeats=1, random_state=0)
    assert found.importances_mean.argmax() == 0
