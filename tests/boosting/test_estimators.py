"""Boosted forests as estimators: what they learn, remember and promise."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris

import manifoldforest as mf
import stages
from manifoldforest import _core
from manifoldforest.projections import Patches

RNG = np.random.default_rng(0)
X, LABELS = load_iris(return_X_y=True)
X_NUMBERS, NUMBERS = load_diabetes(return_X_y=True)
IMAGES = RNG.integers(0, 256, size=(300, 6, 5), dtype=np.uint8)
OF_IMAGES = (IMAGES[:, :3, :3].sum(axis=(1, 2)) // 300).astype(int)


def classifier(**params):
    return mf.BoostedForestClassifier(**{"n_estimators": 10, "random_state": 0, **params})


def regressor(**params):
    return mf.BoostedForestRegressor(**{"n_estimators": 10, "random_state": 0, **params})


def same_trees(one, other):
    a, b = one._model.trees.arrays, other._model.trees.arrays
    same = all(np.array_equal(a[name], b[name]) for name in a)
    return a.keys() == b.keys() and same and np.array_equal(one.train_loss_, other.train_loss_)


# ------------------------------------------------------------------------------------- predictions


def test_probabilities_scores_and_labels_agree():
    for y in (LABELS, LABELS > 0):
        forest = classifier().fit(X, y)
        proba, scores = forest.predict_proba(X), forest.decision_function(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1)
        np.testing.assert_allclose(np.log(proba), forest.predict_log_proba(X), atol=1e-12)
        if scores.ndim == 1:
            np.testing.assert_allclose(scores, np.log(proba[:, 1] / proba[:, 0]), atol=1e-9)
        else:
            np.testing.assert_allclose(np.diff(scores), np.diff(np.log(proba)), atol=1e-9)
        assert np.array_equal(forest.predict(X), forest.classes_[proba.argmax(axis=1)])


def test_logarithms_of_probabilities_are_finite_where_probabilities_vanish():
    x = np.array([[0.0]] * 50 + [[1.0]] * 50)
    forest = classifier(learning_rate=1000.0, subsample=1.0, l2=0.0)
    forest.fit(x, [0] * 50 + [1] * 50)
    assert forest.predict_proba(x).min() == 0
    assert np.isfinite(forest.predict_log_proba(x)).all()


def test_stages_end_with_the_prediction():
    forest = classifier().fit(X, LABELS)
    stages_of_labels = list(forest.staged_predict(X))
    stages_of_shares = list(forest.staged_predict_proba(X))
    assert len(stages_of_labels) == len(stages_of_shares) == 10
    assert np.array_equal(stages_of_labels[-1], forest.predict(X))
    assert np.array_equal(stages_of_shares[-1], forest.predict_proba(X))
    short = classifier(n_estimators=4).fit(X, LABELS)
    assert np.array_equal(stages_of_shares[3], short.predict_proba(X))
    numbers = regressor(loss="poisson").fit(X_NUMBERS, NUMBERS)
    *_, last = numbers.staged_predict(X_NUMBERS)
    assert np.array_equal(last, numbers.predict(X_NUMBERS))


def test_the_training_loss_falls_and_is_that_of_the_predictions():
    forest = regressor(subsample=1.0, n_estimators=30).fit(X_NUMBERS, NUMBERS)
    assert (np.diff(forest.train_loss_) < 0).all()
    stages_of_losses = [np.mean((NUMBERS - p) ** 2) for p in forest.staged_predict(X_NUMBERS)]
    np.testing.assert_allclose(forest.train_loss_, stages_of_losses, rtol=1e-9)


def test_several_outputs_are_learned_side_by_side():
    y = np.stack([LABELS, LABELS > 0, np.zeros_like(LABELS), 2 - LABELS], axis=1)
    forest = classifier().fit(X, y)
    assert forest._model.trees["value"].shape[1] == 3 + 1 + 1 + 3
    proba = forest.predict_proba(X)
    assert [p.shape[1] for p in proba] == [3, 2, 1, 3]
    assert (forest.predict(X) == y).mean() > 0.95
    scores = forest.decision_function(X)
    assert [np.ndim(s) for s in scores] == [2, 1, 1, 2]
    both = np.stack([NUMBERS, X_NUMBERS[:, 0] * 1000], axis=1)
    numbers = regressor(n_estimators=50).fit(X_NUMBERS, both)
    assert numbers.predict(X_NUMBERS).shape == both.shape
    assert numbers.score(X_NUMBERS, both) > 0.7


@pytest.mark.parametrize("projection", ["mean_difference", "rotation", "principal_axes"])
def test_projections_that_look_at_the_node_or_the_tree_can_be_boosted(projection):
    assert classifier(projection=projection).fit(X, LABELS).score(X, LABELS) > 0.95
    forest = regressor(projection=projection, loss="absolute_error").fit(X_NUMBERS, NUMBERS)
    assert forest.score(X_NUMBERS, NUMBERS) > 0.2


# ------------------------------------------------------------------------------------ special data


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_a_constant_response_is_predicted_as_it_is(loss):
    forest = regressor(loss=loss).fit(X, np.full(len(X), 3.25))
    np.testing.assert_allclose(forest.predict(X), 3.25, rtol=1e-12)
    assert forest._model.trees.n_nodes == 10


def test_one_class_and_one_row_can_be_learned():
    forest = classifier().fit(X, np.full(len(X), "only"))
    assert set(forest.predict(X)) == {"only"}
    np.testing.assert_array_equal(forest.predict_proba(X), np.ones((len(X), 1)))
    assert classifier().fit(X[:1], [7]).predict(X[:1]).tolist() == [7]
    assert regressor().fit(X[:1], [7.5]).predict(X[:3]).tolist() == [7.5] * 3


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e30, 1e300])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_responses_of_any_size_have_the_same_trees(loss, size):
    """Powers of two, so that nothing is rounded."""
    factor = 2.0 ** np.round(np.log2(size))
    params = {"loss": loss, "l2": 0.0}
    forest = regressor(**params).fit(X_NUMBERS, NUMBERS)
    other = regressor(**params).fit(X_NUMBERS, NUMBERS * factor)
    assert np.array_equal(forest._model.trees["left"], other._model.trees["left"])
    ratio = other.predict(X_NUMBERS) / factor / forest.predict(X_NUMBERS)
    np.testing.assert_allclose(ratio, 1, rtol=1e-9)
    with np.errstate(over="ignore"):
        power = 2 if loss == "squared_error" else 1
        np.testing.assert_allclose(other.train_loss_, forest.train_loss_ * factor**power, rtol=1e-9)


@pytest.mark.parametrize("unit", [2.0**-150, 2.0**150])
def test_weights_of_any_size_are_moderate(unit):
    """Without a penalty a common factor of all weights changes nothing."""
    weight = RNG.uniform(0.5, 2.0, len(X))
    one = classifier(l2=0.0).fit(X, LABELS, sample_weight=weight)
    other = classifier(l2=0.0).fit(X, LABELS, sample_weight=weight * unit)
    assert same_trees(one, other) or np.array_equal(one.predict(X), other.predict(X))
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-6)


def test_an_outlier_does_not_hide_the_other_rows():
    """Derivatives are rounded relative to the largest of the node, not of all rows."""
    x = np.linspace(0, 1, 1000)[:, None]
    y = np.sin(6 * x[:, 0])
    y[500] = 1e8
    forest = regressor(n_estimators=200, subsample=1.0, learning_rate=0.5, projection="axis")
    others = np.arange(1000) != 500
    error = forest.fit(x, y).predict(x[others]) - y[others]
    assert np.median(np.abs(error)) < 0.05


def test_missing_values_choose_a_side():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(600, 3))
    missing = rng.random(600) < 0.3
    y = np.where(missing, 2, (x[:, 0] > 0).astype(int))
    x[missing, 0] = np.nan
    for splitter in ("auto", "exact"):
        for rows in (x, x[:100]):
            forest = classifier(splitter=splitter, projection="axis", n_estimators=30)
            forest.fit(rows, y[: len(rows)])
            assert forest.score(rows, y[: len(rows)]) > 0.97
    only = np.where(rng.random((200, 1)) < 0.5, np.nan, 1.0)
    forest = classifier(projection="axis").fit(only, np.isnan(only[:, 0]))
    assert forest.score(only, np.isnan(only[:, 0])) == 1


def test_exact_search_and_bins_agree_on_missing_values():
    """Of few distinct values, all thresholds lie between bins."""
    rng = np.random.default_rng(2)
    x = rng.integers(0, 30, size=(500, 4)).astype(float)
    y = (x[:, 0] + rng.normal(size=500) > 15).astype(int)
    x[rng.random(x.shape) < 0.2] = np.nan
    params = {"n_estimators": 3, "subsample": 1.0, "projection": "axis", "max_depth": 2}
    one, other = (classifier(splitter=s, **params).fit(x, y) for s in ("auto", "exact"))
    np.testing.assert_allclose(one.train_loss_, other.train_loss_, rtol=1e-2)
    assert one.trees_[0].missing_left[0] == other.trees_[0].missing_left[0]


# ------------------------------------------------------------------------------ weights and classes


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_weight_two_is_the_row_twice(kind):
    twice = np.random.default_rng(0).integers(0, 6, len(X))
    make, y = (classifier, LABELS) if kind == "classes" else (regressor, X[:, 0] * 3)
    params = {"splitter": "exact", "subsample": 1.0, "min_samples_leaf": 4, "projection": "axis"}
    weighted = make(**params).fit(X, y, sample_weight=twice)
    repeated = make(**params).fit(np.repeat(X, twice, axis=0), np.repeat(y, twice))
    assert np.array_equal(weighted._model.trees["threshold"], repeated._model.trees["threshold"])
    np.testing.assert_allclose(
        weighted._model.trees["value"], repeated._model.trees["value"], rtol=1e-9, atol=1e-12
    )


def test_rows_of_weight_zero_are_absent():
    weight = (np.arange(len(X)) % 3 != 0).astype(float)
    params = {"subsample": 1.0, "splitter": "exact"}
    one = classifier(**params).fit(X, LABELS, sample_weight=weight)
    some = weight > 0
    other = classifier(**params).fit(X[some], LABELS[some])
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_class_weights_are_sample_weights():
    weight = np.where(LABELS == 1, 5.0, 1.0)
    one = classifier(class_weight={1: 5.0}).fit(X, LABELS)
    assert same_trees(one, classifier().fit(X, LABELS, sample_weight=weight))
    uneven = np.concatenate([X[:50], X[50:60], X[100:]])
    labels = np.concatenate([LABELS[:50], LABELS[50:60], LABELS[100:]])
    balanced = classifier(class_weight="balanced").fit(uneven, labels)
    np.testing.assert_allclose(np.exp(balanced._model.fallback), 1 / 3)


# ---------------------------------------------------------------------------------- same in any way


@pytest.mark.parametrize("n_rows", [300, 40_000])
def test_the_forest_does_not_depend_on_threads_or_instruction_sets(n_rows):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, size=(n_rows, 6, 6), dtype=np.uint8)
    y = (x[:, 0, 0].astype(int) + x[:, 3, 3]) // 130
    params = {"n_estimators": 3, "early_stopping": True}
    first = classifier(**params).fit(x, y)
    assert same_trees(first, classifier(n_jobs=3, **params).fit(x, y))
    others = _core.supported_kernels()
    try:
        for name in others:
            stages.use_kernels(name)
            assert same_trees(first, classifier(**params).fit(x, y))
    finally:
        stages.use_kernels(others[-1])


@pytest.mark.parametrize("n_classes", [2, 5, 12, 25, 40])
@pytest.mark.parametrize("kind", ["floats", "holes", "bytes"])
def test_all_widths_of_rows_are_the_same_on_every_instruction_set(n_classes, kind):
    rng = np.random.default_rng(n_classes)
    x = rng.normal(size=(700, 5)).astype(np.float32)
    y = rng.integers(0, n_classes, 700)
    y[: len(y) // 2] = np.digitize(x[: len(y) // 2, 0], np.linspace(-1.5, 1.5, n_classes - 1))
    if kind == "holes":
        x[rng.random(x.shape) < 0.1] = np.nan
    if kind == "bytes":
        x = np.clip(x * 40 + 128, 0, 255).astype(np.uint8)
    names = _core.supported_kernels()
    found = []
    try:
        for name in names:
            stages.use_kernels(name)
            found.append(classifier(n_estimators=2, projection="axis").fit(x, y))
    finally:
        stages.use_kernels(names[-1])
    assert all(same_trees(found[0], other) for other in found)


def test_the_seed_decides():
    assert same_trees(classifier().fit(X, LABELS), classifier().fit(X, LABELS))
    assert not same_trees(classifier().fit(X, LABELS), classifier(random_state=1).fit(X, LABELS))


# ------------------------------------------------------------------------------- stopping, starting


def test_early_stopping_keeps_the_trees_up_to_the_smallest_loss():
    noise = np.random.default_rng(0).integers(0, 2, 400)
    x = np.random.default_rng(1).normal(size=(400, 5))
    params = {"n_estimators": 200, "early_stopping": True, "n_iter_no_change": 5}
    forest = classifier(**params).fit(x, noise)
    losses = forest.validation_loss_
    assert forest.n_estimators_ == np.argmin(losses) + 1 == len(forest) == len(forest.trees_)
    assert len(losses) == len(forest.train_loss_) == forest.n_estimators_ + 5 < 200
    assert forest.apply(x).shape == (400, forest.n_estimators_)


def test_rows_are_held_out_only_if_there_are_many_or_if_asked():
    assert len(classifier(early_stopping="auto").fit(X, LABELS).validation_loss_) == 0
    many = np.random.default_rng(0).normal(size=(10_001, 1)).astype(np.float32)
    params = {"n_estimators": 2, "max_depth": 1, "early_stopping": "auto"}
    assert len(regressor(**params).fit(many, many[:, 0]).validation_loss_) == 2
    assert len(regressor(**params).fit(many[1:], many[1:, 0]).validation_loss_) == 0
    never = regressor(**{**params, "early_stopping": False}).fit(many, many[:, 0])
    assert len(never.validation_loss_) == 0


def test_each_class_is_held_out_in_its_share():
    from manifoldforest.boosting._held_out import draw_held_out

    strata = np.repeat([0, 1, 2, 3], [600, 300, 100, 1]).astype(np.int32)
    present = np.ones(len(strata), dtype=bool)
    present[:100] = False
    for seed in range(20):
        held_out = draw_held_out(present, strata, 0.1, seed)
        counts = np.bincount(strata[held_out], minlength=4)
        assert np.abs(counts - [50, 30, 10, 0]).max() <= 1
        assert counts[3] == 0
        assert not held_out[:100].any()
        assert not np.array_equal(held_out, draw_held_out(present, strata, 0.1, seed + 1))


@pytest.mark.parametrize("fraction", [0.001, 0.999])
def test_some_row_is_held_out_and_some_row_is_learned_from(fraction):
    forest = regressor(early_stopping=True, validation_fraction=fraction)
    forest.fit(X[:5], X[:5, 0])
    assert np.isfinite(forest.validation_loss_).all()
    assert np.isfinite(forest.train_loss_).all()


def test_early_stopping_needs_two_rows():
    with pytest.raises(ValueError, match="early_stopping must be False"):
        regressor(early_stopping=True).fit(X[:1], [1.0])


@pytest.mark.parametrize("kind", ["classes", "odds", "numbers", "medians", "rates", "many"])
def test_a_warm_start_equals_a_single_fit(kind):
    make, x, y = regressor, X_NUMBERS, NUMBERS
    params = {}
    if kind == "classes":
        make, x, y = classifier, X, LABELS
    elif kind == "odds":
        make, x, y = classifier, IMAGES, OF_IMAGES > 3
    elif kind == "many":
        make, x, y = classifier, X_NUMBERS, (NUMBERS // 9).astype(int)
    else:
        params["loss"] = {
            "numbers": "squared_error",
            "medians": "absolute_error",
            "rates": "poisson",
        }[kind]
    forest = make(n_estimators=4, warm_start=True, **params).fit(x, y)
    forest.set_params(n_estimators=10).fit(x, y)
    single = make(**params).fit(x, y)
    assert same_trees(forest, single)
    assert np.array_equal(forest.predict(x), single.predict(x))


def test_a_warm_start_goes_on_with_the_rows_that_were_held_out():
    params = {"early_stopping": True, "n_iter_no_change": 100}
    forest = classifier(n_estimators=4, warm_start=True, **params).fit(X, LABELS)
    single = classifier(n_estimators=10, **params).fit(X, LABELS)
    kept = forest.n_estimators_
    forest.set_params(n_estimators=10).fit(X, LABELS)
    assert kept == 4
    assert same_trees(forest, single)
    assert np.array_equal(forest.validation_loss_, single.validation_loss_)


def test_a_warm_start_refuses_what_has_changed():
    forest = classifier(warm_start=True).fit(X, LABELS)
    with pytest.raises(ValueError, match="n_estimators must be at least 10"):
        forest.set_params(n_estimators=5).fit(X, LABELS)
    forest.set_params(n_estimators=12)
    with pytest.raises(ValueError, match="number of rows"):
        forest.fit(X[1:], LABELS[1:])
    with pytest.raises(ValueError, match="the y"):
        forest.fit(X, LABELS > 0)
    with pytest.raises(ValueError, match="projection"):
        forest.set_params(projection="axis").fit(X, LABELS)
    assert len(forest) == 10
    forest.set_params(projection="auto", n_estimators=10)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        forest.fit(X, LABELS)


# -------------------------------------------------------------------------------------- projections


def test_parameters_of_a_named_projection_can_be_set():
    forest = classifier(projection="sporf").set_params(projection__rate=2.0)
    assert forest.projection.rate == 2.0
    assert "projection__rate" in classifier(projection="sporf").get_params()
    assert clone(classifier()).projection == "auto"


# ------------------------------------------------------------------------------------ what is asked


def test_importance_lies_where_the_signal_is():
    patches = Patches(min_size=2, max_size=5, placement="interior")
    forest = classifier(n_estimators=30, projection=patches).fit(IMAGES, OF_IMAGES)
    importance = forest.feature_importances_
    assert importance.shape == forest.feature_usage_.shape == (6, 5)
    assert importance[:3, :3].sum() > 0.6
    assert importance.sum() == pytest.approx(1)


def test_the_forest_says_what_it_is(capsys):
    forest = classifier(n_estimators=2, verbose=1).fit(X, LABELS)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert f"training loss {forest.train_loss_[1]:.6g}" in lines[1]
    assert "2 of 2 trees" in lines[1]
    text = str(forest.describe())
    assert "3 classes" in text
    assert "2 numbers" in str(regressor().fit(X, X[:, :2]).describe())


def test_files_and_pickles_hold_everything(tmp_path):
    two = np.stack([LABELS, LABELS > 0], axis=1)
    for forest in (
        classifier(early_stopping=True).fit(X, np.array(["a", "b", "c"])[LABELS]),
        classifier().fit(X, two),
        regressor(loss="poisson").fit(X_NUMBERS, NUMBERS),
        classifier(warm_start=True, projection=Patches(max_size=2)).fit(IMAGES, OF_IMAGES),
    ):
        x = IMAGES if forest.n_features_in_ == 30 else X
        x = X_NUMBERS if forest.n_features_in_ == 10 else x
        forest.save(tmp_path / "model.mf")
        for again in (mf.load(tmp_path / "model.mf"), pickle.loads(pickle.dumps(forest))):
            assert same_trees(forest, again)
            assert np.array_equal(forest.predict(x), again.predict(x))
            assert again.n_estimators_ == forest.n_estimators_
            assert np.array_equal(again.validation_loss_, forest.validation_loss_)
            assert again.get_params()["learning_rate"] == forest.learning_rate
        again = mf.load(tmp_path / "model.mf")
        again.save(tmp_path / "again.mf")
        assert (tmp_path / "again.mf").read_bytes() == (tmp_path / "model.mf").read_bytes()


def test_a_loaded_forest_can_be_continued(tmp_path):
    forest = regressor(n_estimators=4, warm_start=True).fit(X_NUMBERS, NUMBERS)
    forest.save(tmp_path / "model.mf")
    again = mf.load(tmp_path / "model.mf").set_params(n_estimators=10).fit(X_NUMBERS, NUMBERS)
    assert same_trees(again, regressor().fit(X_NUMBERS, NUMBERS))


def test_a_failed_fit_leaves_the_forest_as_it_was():
    forest = classifier().fit(X, LABELS)
    before = forest.predict_proba(X)
    for bad in ({"learning_rate": -1.0}, {"projection": "none"}, {"subsample": 2.0}):
        good = {name: getattr(forest, name) for name in bad}
        with pytest.raises(ValueError, match=next(iter(bad))):
            forest.set_params(**bad).fit(X[:, :2], LABELS)
        forest.set_params(**good)
    with pytest.raises(ValueError, match="rows"):
        forest.fit(X[:, :2], LABELS[1:])
    assert np.array_equal(forest.predict_proba(X), before)
    assert forest.n_features_in_ == 4


def test_a_loss_that_is_set_later_changes_no_prediction_and_no_warm_start():
    y = np.abs(X[:, 0]) + 1
    forest = regressor(warm_start=True).fit(X, y)
    before = forest.predict(X)
    forest.set_params(loss="poisson")
    assert (forest.predict(X) == before).all()
    with pytest.raises(ValueError, match="warm_start must continue with the loss it began with"):
        forest.set_params(n_estimators=forest.n_estimators + 1).fit(X, y)
    assert forest.loss_ == "squared_error"


def test_a_warm_start_keeps_its_copies():
    forest = classifier(augment=1, warm_start=True).fit(X, LABELS)
    forest.set_params(augment=None, n_estimators=forest.n_estimators + 1)
    with pytest.raises(ValueError, match="continue with the augment it began with"):
        forest.fit(X, LABELS)
