"""Forests in metric spaces when parameters, weights, units or training data change."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import manifoldforest as mf
from manifoldforest import spaces
from manifoldforest.responses._frechet_variance import frechet_variance
from manifoldforest.responses._kernel_space import KernelSpace

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
NUMBERS = X[:, 0] + 0.3 * RNG.normal(size=60)
UNITS = np.column_stack([NUMBERS, RNG.normal(size=(60, 2))])
UNITS /= np.linalg.norm(UNITS, axis=1, keepdims=True)


def forest(n_estimators=10, **params):
    return mf.MetricForestRegressor(n_estimators, random_state=0, **params)


# ------------------------------------------------------------- parameters changed after the fit


@pytest.mark.parametrize(
    "params",
    [
        {"prediction": "median"},
        {"prediction": "frechet"},
        {"embedding_dim": 0},
        {"embedding_dim": 60},
        {"affinity": "foo"},
        {"smoothness": -1.0},
        {"bandwidth": 0.0},
        {"distance_order": "barycentre"},
    ],
)
def test_predictions_refuse_parameters_that_a_fit_refuses(params):
    fitted = forest(space=spaces.Isomap(8), prediction="medoid").fit(X, UNITS)
    fitted.set_params(**{"prediction": "drf", "embedding_dim": 2} | params)
    with pytest.raises(ValueError, match=f"{next(iter(params))} must"):
        fitted.predict(X)


def test_predictions_refuse_parameters_of_wrong_types():
    fitted = forest(space=spaces.Isomap(8), prediction="medoid").fit(X, UNITS)
    fitted.set_params(prediction="drf", embedding_dim="2")
    with pytest.raises(TypeError, match="embedding_dim must be an integer >= 1 or None, got '2'"):
        fitted.predict(X)


@pytest.mark.filterwarnings("ignore:the distances between responses are not Euclidean")
@pytest.mark.parametrize("prediction", ["medoid", "drf", "barycentre", "frechet"])
def test_a_prediction_chosen_later_is_that_of_a_fresh_fit(prediction):
    fresh = forest(30, space="sphere", prediction=prediction, oob_score=True).fit(X, UNITS)
    changed = forest(30, space="sphere", oob_score=True).fit(X, UNITS)
    changed.set_params(prediction=prediction)
    np.testing.assert_array_equal(changed.predict(X), fresh.predict(X))
    assert changed.predict_region(X[:1])[1] == fresh.predict_region(X[:1])[1]


def test_spaces_by_name_have_parameters():
    search = forest(space="isomap").set_params(space__n_neighbors=3)
    assert search.space == spaces.Isomap(3)
    assert forest(space="circle").get_params()["space__period"] == 2 * np.pi
    assert clone(search).space == spaces.Isomap(3)


def test_another_fit_forgets_the_data_before():
    secret = UNITS + 1e-9 * np.arange(60)[:, None]
    fitted = forest(prediction="drf", embedding_dim=2).fit(X, secret)
    fitted.predict_region(X[:1])
    fitted.set_params(prediction="medoid").fit(X, NUMBERS)
    assert secret.tobytes() not in pickle.dumps(fitted)


# -------------------------------------------------------------------------------------- weights


@pytest.mark.parametrize("prediction", ["frechet", "medoid", "barycentre", "drf"])
def test_rows_without_weight_are_as_good_as_absent(prediction):
    weight = np.r_[np.ones(50), np.zeros(10)]
    garbage = UNITS.copy()
    garbage[50:] += 1000
    params = {"prediction": prediction, "embedding_dim": 2, "bootstrap": False, "smoothness": 10.0}
    one = forest(**params).fit(X, UNITS, sample_weight=weight)
    other = forest(**params).fit(X, garbage, sample_weight=weight)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    params["bootstrap"] = True
    one = forest(30, **params).fit(X, UNITS, sample_weight=weight)
    other = forest(30, **params).fit(X, garbage, sample_weight=weight)
    assert one.predict_region(X[:1])[1] == other.predict_region(X[:1])[1]


def test_kernel_forests_predict_no_row_without_weight():
    weight = np.r_[np.ones(50), np.zeros(10)]
    fitted = mf.KernelForestRegressor(20, affinity="all", random_state=0)
    predicted = fitted.fit(X, np.arange(60.0), sample_weight=weight).predict(X)
    assert predicted.max() < 50


@pytest.mark.parametrize("size", [1e-58, 1e-30, 1e30, 1e39, 1e58])
def test_the_unit_of_weights_does_not_matter(size):
    rng = np.random.default_rng(1)
    features = rng.normal(size=(300, 3))
    angles = features[:, 0] + 0.3 * rng.normal(size=300)
    weight = 1 + rng.random(300)
    params = {"space": spaces.Circle(split="geodesic"), "bootstrap": False, "max_features": None}
    plain = forest(1, **params).fit(features, angles, sample_weight=weight)
    scaled = forest(1, **params).fit(features, angles, sample_weight=size * weight)
    assert plain.trees_[0].n_nodes > 100
    assert scaled.trees_[0].n_nodes == plain.trees_[0].n_nodes


# ------------------------------------------------------------------------ responses and kernels


@pytest.mark.parametrize("space", [spaces.SPD("affine-invariant"), spaces.KendallShape()])
def test_equal_responses_are_not_split_by_rounding(space):
    rng = np.random.default_rng(2)
    factors = rng.normal(size=(2, 3, 3))
    two = factors @ factors.transpose(0, 2, 1) + 0.1 * np.eye(3)
    one = forest(1, space=space, bootstrap=False).fit(X, two[np.zeros(60, int)])
    assert one.trees_[0].n_nodes == 1
    side = (X[:, 0] > 0).astype(int)
    both = forest(1, space=space, bootstrap=False).fit(X, two[side])
    assert both.trees_[0].n_nodes == 3


def test_kernels_tell_small_responses_apart():
    moderate = mf.KernelForestRegressor(10, bandwidth=1e9, random_state=0).fit(X, NUMBERS)
    small = mf.KernelForestRegressor(10, random_state=0).fit(X, NUMBERS * 1e-9)
    np.testing.assert_array_equal(moderate.apply(X), small.apply(X))


def test_callable_kernels_are_checked():
    for kernel, message in (
        (lambda A, B: -A @ B.T, "no negative values on its diagonal"),
        (lambda A, B: A @ np.roll(B, 1, axis=1).T, "kernel must be symmetric"),
    ):
        with pytest.raises(ValueError, match=message):
            mf.KernelForestRegressor(3, kernel=kernel).fit(X, UNITS)


def test_scores_refuse_responses_of_another_shape():
    fitted = forest(3).fit(X, UNITS)
    with pytest.raises(ValueError, match=r"y must have responses of the shape \(3,\), as at fit"):
        fitted.score(X, NUMBERS)


def test_warm_start_compares_objects():
    space = spaces.FromCallable(lambda a, b: float(np.linalg.norm(a - b)))
    grown = forest(3, space=space, warm_start=True).fit(X, UNITS)
    grown.set_params(n_estimators=5).fit(X, UNITS)
    assert len(grown.trees_) == 5
    with pytest.raises(ValueError, match="continue with the y"):
        grown.set_params(n_estimators=6).fit(X, UNITS[::-1])


@pytest.mark.parametrize("name", ["sphere", "rotations", "kendall"])
def test_a_loaded_forest_goes_on_as_before(name, tmp_path):
    rng = np.random.default_rng(3)
    matrices = np.linalg.qr(rng.normal(size=(60, 3, 3)))[0]
    matrices *= np.linalg.det(matrices)[:, None, None]
    Y = {"sphere": UNITS, "rotations": matrices, "kendall": matrices}[name]
    fitted = forest(3, space=name, warm_start=True).fit(X, Y)
    fitted.save(tmp_path / "a.mf")
    again = mf.load(tmp_path / "a.mf")
    again.save(tmp_path / "b.mf")
    assert (tmp_path / "a.mf").read_bytes() == (tmp_path / "b.mf").read_bytes()
    again.set_params(n_estimators=5).fit(X, Y)
    whole = forest(5, space=name).fit(X, Y)
    np.testing.assert_array_equal(again.predict(X), whole.predict(X))


@pytest.mark.parametrize("name", ["kendall", "spd", "sphere"])
def test_a_single_row_has_nothing_out_of_bag(name):
    one = {"kendall": np.eye(4, 2)[None], "spd": np.eye(2)[None], "sphere": UNITS[:1]}[name]
    space = spaces.SPD("affine-invariant") if name == "spd" else spaces.as_space(name)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        fitted = forest(3, space=space, oob_score=True).fit(X[:1], one)
    assert np.isnan(fitted.oob_score_)


def test_no_warnings_of_others():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mf.KernelForestRegressor(30, affinity="inbag", oob_score=True, random_state=0).fit(X, UNITS)


def test_variances_without_all_pairs():
    weight = RNG.random(60)
    weight /= weight.sum()
    squared = np.sum((UNITS[:, None] - UNITS) ** 2, axis=2)
    expected = (weight @ squared).min()
    assert frechet_variance(KernelSpace("linear", 1.0), UNITS, weight) == pytest.approx(expected)
    assert frechet_variance(spaces.Isomap(5), UNITS, weight) == pytest.approx(expected)
    kernel = KernelSpace("rbf", 0.5)
    expected = (weight @ kernel.distances(UNITS) ** 2).min()
    assert frechet_variance(kernel, UNITS, weight) == pytest.approx(expected)


@pytest.mark.parametrize("prediction", ["drf", "barycentre"])
@pytest.mark.parametrize("power", [-600, 600])
def test_embeddings_do_not_depend_on_the_unit(prediction, power):
    D = np.abs(NUMBERS[:, None] - NUMBERS)
    moderate = forest(space=spaces.Precomputed(D), prediction=prediction).fit(X, np.arange(60))
    space = spaces.Precomputed(np.ldexp(D, power))
    extreme = forest(space=space, prediction=prediction).fit(X, np.arange(60))
    np.testing.assert_array_equal(moderate.predict(X), extreme.predict(X))


def test_many_equal_responses(monkeypatch):
    """Above a number of responses other eigenpairs are computed; of nothing there are none."""
    monkeypatch.setattr("manifoldforest.responses._classical_scaling._FULL", 20)
    space = spaces.Precomputed(np.zeros((60, 60)))
    assert forest(space=space, max_rank=5).fit(X, np.arange(60)).truncation_error_ == 0
    both = mf.projections.Axis() + mf.projections.MeanDifference()
    assert forest(1, space=space, projection=both).fit(X, np.arange(60)).trees_[0].n_nodes == 1


def test_kernel_affinities_out_of_bag_with_rows_without_weight():
    weight = np.r_[np.ones(5), np.zeros(55)]
    params = {"affinity": "oob", "random_state": 0}
    fitted = mf.KernelForestRegressor(2, **params).fit(X, NUMBERS, sample_weight=weight)
    assert np.isin(fitted.predict(X), NUMBERS[:5]).all()


def test_scores_of_objects_of_any_length():
    words = [("a",) * (1 + i % 3) for i in range(60)]
    space = spaces.FromCallable(lambda a, b: float(abs(len(a) - len(b))))
    fitted = forest(space=space).fit(X, words)
    assert fitted.score(X[:2], words[:2]) <= 1
    assert np.isfinite(fitted.score(X, words))


def test_what_was_changed_after_the_fit_is_not_stored(tmp_path):
    fitted = forest(space="euclidean").fit(X, UNITS).set_params(space="sphere")
    with pytest.raises(ValueError, match="space must be the one that the forest was fitted with"):
        fitted.save(tmp_path / "forest.mf")
    kernel = mf.KernelForestRegressor(3).fit(X, UNITS).set_params(bandwidth=7.0)
    with pytest.raises(ValueError, match="kernel and bandwidth must be those"):
        kernel.save(tmp_path / "forest.mf")


def test_importances_refuse_what_predictions_refuse():
    fitted = forest().fit(X, UNITS).set_params(prediction="nonsense")
    with pytest.raises(ValueError, match="prediction must be one of"):
        fitted.permutation_importance(X, UNITS)


def test_precomputed_distances_are_taken_as_symmetric():
    D = np.abs(NUMBERS[:, None] - NUMBERS)
    noisy = D + 1e-8 * np.arange(3600).reshape(60, 60) / 3600
    space = spaces.Precomputed(noisy)
    rows = space.check(np.arange(60))
    chunk = np.concatenate([some for _, some in space.split_distance_chunks(rows)])
    np.testing.assert_array_equal(chunk, chunk.T)
    np.testing.assert_array_equal(chunk, space.distances(rows))
