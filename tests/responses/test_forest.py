"""Forests for responses in metric spaces: predictions, scores, regions, importance."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

import manifoldforest as mf
from manifoldforest import spaces
from reference.responses import algorithm_1, back_score, embedding, ok3_pre_image, out_of_sample


@pytest.fixture(scope="module")
def directions():
    """Angles that depend on two of three features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).astype(np.float32)
    return X, np.mod(np.arctan2(X[:, 1], X[:, 0]) + 0.2 * rng.normal(size=200), 2 * np.pi)


@pytest.fixture(scope="module")
def roll():
    X, Y = mf.datasets.make_swiss_roll_responses(150, random_state=1)
    return X[:100], Y[:100], X[100:], Y[100:]


def metric_forest(n_estimators=20, **params):
    return mf.MetricForestRegressor(n_estimators, random_state=0, **params)


# --------------------------------------------------------------------------- the same as others


@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("params", [{}, {"honest": True}, {"bootstrap": False, "max_features": 2}])
def test_euclidean_responses_are_an_ordinary_forest(roll, n_outputs, params):
    X, Y, X_test, _ = roll
    Y = Y[:, 0] if n_outputs == 1 else Y
    ordinary = mf.ForestRegressor(20, projection="axis", random_state=0, **params).fit(X, Y)
    metric = metric_forest(**params).fit(X, Y)
    predicted = metric.predict(X_test)
    assert predicted.shape == (50, *Y.shape[1:])
    np.testing.assert_allclose(predicted, ordinary.predict(X_test), rtol=1e-9, atol=1e-9)
    assert metric.score(X_test, Y[:50]) == pytest.approx(
        ordinary.score(X_test, Y[:50]) if n_outputs == 1 else metric.score(X_test, Y[:50])
    )
    np.testing.assert_allclose(
        metric.feature_importances_, ordinary.feature_importances_, rtol=1e-4
    )


def test_precomputed_distances_are_the_space_they_come_from(roll):
    X, Y, X_test, Y_test = roll
    everything = cdist(np.vstack([Y, Y_test]), np.vstack([Y, Y_test]))
    by_points = metric_forest(prediction="medoid").fit(X, Y)
    by_rows = metric_forest(space=spaces.Precomputed(everything)).fit(X, np.arange(100))
    rows = by_rows.predict(X_test)
    assert rows.dtype.kind == "i"
    np.testing.assert_array_equal(Y[rows], by_points.predict(X_test))
    assert by_rows.score(X_test, np.arange(100, 150)) > 0.5


def test_kernel_forest_is_the_forest_of_the_kernels_distances(roll):
    X, Y, X_test, _ = roll
    G = np.exp(-cdist(Y, Y, "sqeuclidean") / (2 * 2.5**2))
    D = np.sqrt(np.maximum(2 - 2 * G, 0))
    np.fill_diagonal(D, 0)
    kernel = mf.KernelForestRegressor(20, bandwidth=2.5, random_state=0).fit(X, Y)
    metric = metric_forest(space=spaces.Precomputed(D)).fit(X, np.arange(100))
    np.testing.assert_array_equal(kernel.apply(X_test), metric.apply(X_test))
    np.testing.assert_array_equal(kernel.predict(X_test), Y[metric.predict(X_test)])
    given = mf.KernelForestRegressor(20, kernel=G, random_state=0).fit(X, np.arange(100))
    np.testing.assert_array_equal(Y[given.predict(X_test)], kernel.predict(X_test))

    def gaussian(A, B):
        return np.exp(-cdist(A, B, "sqeuclidean") / (2 * 2.5**2))

    called = mf.KernelForestRegressor(20, kernel=gaussian, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(called.predict(X_test), kernel.predict(X_test))


@pytest.mark.parametrize("affinity", ["weights", "all", "inbag"])
def test_kernel_forest_predicts_pre_images(roll, affinity):
    X, Y, X_test, _ = roll
    G = np.exp(-cdist(Y, Y, "sqeuclidean") / 2)
    forest = mf.KernelForestRegressor(20, affinity=affinity, random_state=0).fit(X, Y)
    weights = forest.forest_weights(X_test) if affinity == "weights" else None
    if affinity == "all":
        weights = forest.proximity(X_test)
    if affinity == "inbag":
        counts = np.array([np.bincount(rows, minlength=100) for rows in forest.estimators_samples_])
        same = forest.apply(X_test)[:, None, :] == forest.apply(X)[None]
        weights = csr_matrix((same * counts.T).mean(axis=2))
    weights = weights.toarray()
    weights /= weights.sum(axis=1, keepdims=True)
    expected = [ok3_pre_image(G, w) for w in weights]
    np.testing.assert_array_equal(forest.predict(X_test), Y[expected])


def test_linear_kernel_is_euclidean(roll):
    X, Y, X_test, _ = roll
    linear = mf.KernelForestRegressor(20, kernel="linear", random_state=0).fit(X, Y)
    medoid = metric_forest(prediction="medoid").fit(X, Y)
    np.testing.assert_array_equal(linear.predict(X_test), medoid.predict(X_test))


# ---------------------------------------------------------------------------------- predictions


def test_frechet_predictions_are_means_under_the_forest_weights(directions):
    X, angles = directions
    forest = metric_forest(space="circle", prediction="frechet").fit(X, angles)
    queries = np.random.default_rng(1).normal(size=(20, 3)).astype(np.float32)
    weights = forest.forest_weights(queries).toarray()
    grid = np.linspace(0, 2 * np.pi, 4001)[:-1]
    gap = np.abs(grid[:, None] - angles)
    cost = weights @ (np.minimum(gap, 2 * np.pi - gap) ** 2).T
    found = forest.predict(queries)
    apart = np.abs(found - grid[cost.argmin(axis=1)])
    assert np.minimum(apart, 2 * np.pi - apart).max() < 2e-3


def test_auto_is_the_mean_of_the_distances_that_splits_use(directions):
    X, angles = directions
    chordal = metric_forest(space="circle").fit(X, angles)
    weights = chordal.forest_weights(X[:20])
    mean = np.arctan2(weights @ np.sin(angles), weights @ np.cos(angles))
    np.testing.assert_allclose(chordal.predict(X[:20]), np.mod(mean, 2 * np.pi))
    geodesic = metric_forest(space=spaces.Circle(split="geodesic")).fit(X, angles)
    found = geodesic.predict(X[:20])
    np.testing.assert_array_equal(found, geodesic.set_params(prediction="frechet").predict(X[:20]))
    assert np.abs(found - geodesic.set_params(prediction="projected").predict(X[:20])).max() > 1e-4
    matrices = np.exp(X[:, :1, None]) * np.eye(2) + 0.1
    spd = metric_forest(space="spd").fit(X, matrices)
    found = spd.predict(X[:20])
    np.testing.assert_array_equal(found, spd.set_params(prediction="frechet").predict(X[:20]))
    np.testing.assert_allclose(found, spd.set_params(prediction="projected").predict(X[:20]))


@pytest.mark.parametrize(
    "space", [spaces.Sphere(), spaces.Sphere(split="geodesic"), spaces.Circle(split="geodesic")]
)
def test_medoids_minimise_the_weighted_sum(directions, space):
    X, angles = directions
    circle = isinstance(space, spaces.Circle)
    Y = angles if circle else np.column_stack([np.cos(angles), np.sin(angles)])
    forest = metric_forest(space=space, prediction="medoid").fit(X, Y)
    D = cdist(Y, Y) if space.split == "chordal" else space.distances(space.check(Y))
    cost = forest.forest_weights(X[:30]).toarray() @ D**2
    np.testing.assert_allclose(forest.predict(X[:30]), Y[cost.argmin(axis=1)])


@pytest.mark.parametrize("order", ["decreasing", "increasing"])
@pytest.mark.parametrize("formula", ["gower", "paper"])
def test_drf_follows_the_paper_step_by_step(roll, order, formula):
    X, Y, X_test, _ = roll
    X, Y, X_test = X[:40], Y[:40], X_test[:5]
    forest = metric_forest(
        prediction="drf",
        embedding_dim=2,
        bandwidth=5.0,
        smoothness=20.0,
        distance_order=order,
        out_of_sample=formula,
        center=False,
    ).fit(X, Y)
    D = cdist(Y, Y)
    affinity = forest.proximity(X_test).toarray()
    weights = forest.forest_weights(X_test).toarray()
    Z = embedding(D**2, 2)
    found = forest.predict(X_test)
    for i in range(5):
        tied = affinity[i] == affinity[i].max()
        closest = np.where(tied, weights[i], -1).argmax()
        d = algorithm_1(np.eye(40)[closest], D, order)
        z = out_of_sample(D**2, d**2, 2) * (1 if formula == "paper" else 41 / 40)
        expected = back_score(Z, Y, z, 50.0, 20.0, ridge=1 / 20.0)
        np.testing.assert_allclose(found[i], expected, rtol=1e-6, atol=1e-6)


def test_barycentre_is_the_mean_in_the_embedding(roll):
    X, Y, X_test, _ = roll
    forest = metric_forest(
        prediction="barycentre",
        embedding_dim=3,
        bandwidth=np.sqrt(15.0),
        smoothness=5.0,
        ridge="eq8",
        center=False,
    ).fit(X, Y)
    Z = Y - Y.mean(axis=0)  # an embedding of full dimension, up to a rotation
    places = forest.forest_weights(X_test) @ Z
    K, k = np.exp(-cdist(Z, Z, "sqeuclidean") / 30), np.exp(-cdist(places, Z, "sqeuclidean") / 30)
    expected = k @ np.linalg.solve(K + 100 / 5 * np.eye(100), Y)
    np.testing.assert_allclose(forest.predict(X_test), expected, rtol=1e-6, atol=1e-8)
    centred = forest.set_params(center=True).predict(X_test)  # used by predict alone
    expected = k @ np.linalg.solve(K + 100 / 5 * np.eye(100), Y - Y.mean(axis=0)) + Y.mean(axis=0)
    np.testing.assert_allclose(centred, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("prediction", ["drf", "barycentre"])
def test_objects_without_coordinates_are_predicted_by_the_nearest(roll, prediction):
    X, Y, X_test, _ = roll
    space = spaces.Precomputed(cdist(Y, Y))
    forest = metric_forest(space=space, prediction=prediction, embedding_dim=3)
    rows = forest.fit(X, np.arange(100)).predict(X_test)
    assert rows.dtype.kind == "i"
    if prediction == "drf":
        affinity = forest.proximity(X_test).toarray()
        best = affinity[np.arange(50), rows] == affinity.max(axis=1)
        assert best.all()


@pytest.mark.filterwarnings("ignore:the distances between responses are not Euclidean")
@pytest.mark.parametrize("prediction", ["auto", "medoid", "barycentre", "drf"])
@pytest.mark.parametrize("name", ["circle", "sphere", "spd", "rotations", "kendall", "wasserstein"])
def test_predictions_belong_to_the_space(name, prediction):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 4))
    responses = {
        "circle": rng.uniform(0, 6, size=60),
        "sphere": _unit(rng.normal(size=(60, 3)) + X[:, :3]),
        "spd": _spd(rng.normal(size=(60, 3, 3)) + X[:, :3, None]),
        "rotations": np.linalg.qr(rng.normal(size=(60, 3, 3)) + X[:, :3, None])[0],
        "kendall": np.eye(5, 2) + 0.1 * rng.normal(size=(60, 5, 2)) + 0.3 * X[:, :1, None] * _BEND,
        "wasserstein": rng.normal(size=(60, 30)) + X[:, :1],
    }
    Y = responses[name]
    if name == "rotations":
        Y *= np.linalg.det(Y)[:, None, None]
    space = spaces.as_space(name)
    forest = metric_forest(space=name, prediction=prediction, embedding_dim=2, smoothness=10.0)
    predicted = forest.fit(X, Y).predict(X[:7])
    assert forest.score(X, Y) > 0.2
    again = space.check(predicted)
    np.testing.assert_allclose(again, predicted, atol=1e-9)
    assert np.shape(predicted) == (7, *np.shape(space.check(Y))[1:])


def test_responses_may_be_any_objects():
    words = ["tree", "trees", "three", "boat", "boats", "goat"] * 5
    rng = np.random.default_rng(3)
    X = np.array([[w.count("e"), len(w)] for w in words]) + 0.01 * rng.normal(size=(30, 2))

    def edits(a, b):
        return float(len(set(a) ^ set(b)))

    forest = metric_forest(space=spaces.FromCallable(edits), oob_score=True).fit(X, words)
    assert forest.predict(X[:3]) == words[:3]
    assert len(forest.oob_prediction_) == 30
    assert set(forest.oob_prediction_) <= {*words, None}
    assert forest.score(X, words) > 0.9


_BEND = np.arange(10.0).reshape(5, 2) % 3 - 1


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _spd(factors):
    return factors @ factors.transpose(0, 2, 1) + 0.1 * np.eye(3)


# ------------------------------------------------------------------- scores, regions, importance


def test_score_is_one_minus_error_over_frechet_variance(directions):
    X, angles = directions
    forest = metric_forest(space="circle").fit(X[:150], angles[:150])
    predicted = forest.predict(X[150:])

    def arc(a, b):
        return np.minimum(np.abs(a - b), 2 * np.pi - np.abs(a - b))

    grid = np.linspace(0, 2 * np.pi, 20001)
    variance = min(np.mean(arc(angles[150:], m) ** 2) for m in grid)
    expected = 1 - np.mean(arc(predicted, angles[150:]) ** 2) / variance
    assert forest.score(X[150:], angles[150:]) == pytest.approx(expected, abs=1e-4)
    weight = np.r_[np.ones(25), np.zeros(25)]
    alone = forest.score(X[150:175], angles[150:175])
    assert forest.score(X[150:], angles[150:], weight) == pytest.approx(alone)


@pytest.mark.parametrize("prediction", ["frechet", "medoid", "barycentre", "drf"])
def test_out_of_bag_predictions_do_not_know_the_response(prediction):
    """Noise cannot be predicted from features."""
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(150, 3)), rng.normal(size=(150, 2))
    forest = metric_forest(
        50, prediction=prediction, smoothness=1e3, embedding_dim=2, oob_score=True
    ).fit(X, Y)
    assert forest.oob_score_ < 0.1
    assert forest.score(X, Y) > 0.3
    apart = np.linalg.norm(forest.oob_prediction_ - Y, axis=1)
    np.testing.assert_allclose(forest.oob_distance_, apart)
    mean = np.mean((Y - Y.mean(axis=0)) ** 2) * 2
    assert forest.oob_score_ == pytest.approx(1 - np.mean(apart**2) / mean)


def test_out_of_bag_weights_are_those_of_trees_without_the_row(directions):
    X, angles = directions
    forest = metric_forest(30, space="circle", oob_score=True).fit(X, angles)
    inbag = np.array([np.bincount(rows, minlength=200) for rows in forest.estimators_samples_])
    leaves = forest.apply(X)
    for i in range(5):
        weights = np.zeros(200)
        trees = np.flatnonzero(inbag[:, i] == 0)
        for t in trees:
            share = inbag[t] * (leaves[:, t] == leaves[i, t])
            weights += share / share.sum() / len(trees)
        expected = np.arctan2(weights @ np.sin(angles), weights @ np.cos(angles))
        np.testing.assert_allclose(forest.oob_prediction_[i], np.mod(expected, 2 * np.pi))


def test_rows_in_every_bag_have_no_out_of_bag_prediction(directions):
    X, angles = directions
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        forest = metric_forest(2, space="circle", oob_score=True).fit(X, angles)
    assert forest.oob_skipped_ == np.isnan(forest.oob_prediction_).sum() > 0
    assert np.isnan(forest.oob_distance_).sum() == forest.oob_skipped_


def test_a_callable_takes_the_place_of_the_score(directions):
    X, angles = directions
    forest = metric_forest(
        space="circle", oob_score=lambda truth, predicted: -np.abs(truth - predicted).max()
    )
    assert forest.fit(X, angles).oob_score_ < 0


def test_regions_cover_new_responses():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1500, 2))
    Y = np.column_stack([X[:, 0], X[:, 1] ** 2]) + rng.normal(size=(1500, 2))
    forest = metric_forest(50, min_samples_leaf=5).fit(X[:500], Y[:500])
    for coverage in (0.5, 0.9):
        centres, radius = forest.predict_region(X[500:], coverage)
        np.testing.assert_array_equal(centres, forest.predict(X[500:]))
        inside = np.linalg.norm(centres - Y[500:], axis=1) <= radius
        # 1000 test points and a quantile of 500: 4 standard deviations
        assert abs(inside.mean() - coverage) < 4 * np.sqrt(coverage * (1 - coverage) * 3 / 1000)


def test_radius_is_a_quantile_of_out_of_bag_distances(directions):
    X, angles = directions
    forest = metric_forest(30, space="circle", oob_score=True).fit(X, angles)
    distance = np.sort(forest.oob_distance_[~np.isnan(forest.oob_distance_)])
    place = int(np.ceil(0.9 * (len(distance) + 1)))
    assert forest.predict_region(X[:1], 0.9)[1] == distance[place - 1]
    assert forest.predict_region(X[:1], 0.9999)[1] == np.inf
    without = metric_forest(30, space="circle").fit(X, angles)
    assert without.predict_region(X[:1], 0.9)[1] == distance[place - 1]
    with pytest.raises(ValueError, match="coverage must be a number in"):
        forest.predict_region(X[:1], 1.0)
    with pytest.raises(ValueError, match="needs rows out of bag"):
        metric_forest(2, space="circle", bootstrap=False).fit(X, angles).predict_region(X[:1])


def test_permutation_importance_finds_the_features(directions):
    X, angles = directions
    forest = metric_forest(50, space="circle").fit(X, angles)
    increase = forest.permutation_importance(X, angles, n_repeats=2, random_state=0)
    assert increase[:2].min() > 5 * abs(increase[2])
    one = forest.permutation_importance(X, angles, features=[2], random_state=0)
    assert np.isnan(one[:2]).all()
    assert not np.isnan(one[2])
    with pytest.raises(ValueError, match="y must be what the forest was fitted on"):
        forest.permutation_importance(X, angles[::-1])
    importances = forest.feature_importances_
    assert importances[:2].min() > importances[2]


def test_permutation_importance_of_held_out_responses(directions):
    X, angles = directions
    forest = metric_forest(30, space="circle", bootstrap=False).fit(X[::2], angles[::2])
    rest = X[1::2].astype(np.float32)
    increase = forest.permutation_importance(rest, angles[1::2], held_out=True, random_state=4)
    rng, errors = np.random.RandomState(4), []
    for column in range(3):
        shuffled = rest.copy()
        shuffled[:, column] = rng.permutation(rest[:, column])
        errors.append(squared_error(forest, shuffled, angles[1::2]))
    np.testing.assert_allclose(increase, errors - squared_error(forest, rest, angles[1::2]))
    with pytest.raises(ValueError, match="equally many rows"):
        forest.permutation_importance(rest, angles, held_out=True)


def squared_error(forest, X, angles):
    return np.mean(forest.space_.paired_distances(angles, forest.predict(X)) ** 2)


# ------------------------------------------------------------------------- projections, options


def test_images_in_matrices_out():
    rng = np.random.default_rng(6)
    images = rng.integers(0, 50, size=(120, 9, 9), dtype=np.uint8)
    size = rng.uniform(0.5, 3, size=120)
    row = rng.integers(0, 7, size=120)
    for i in range(120):
        images[i, row[i] : row[i] + 2, 2:6] += (60 * size[i]).astype(np.uint8)
    matrices = size[:, None, None] * np.array([[1.0, 0.3], [0.3, 0.5]])
    patches = metric_forest(
        60, space="spd", projection=mf.projections.Patches(min_size=2, max_size=9), oob_score=True
    ).fit(images, matrices)
    assert patches.oob_score_ > 0.8
    assert patches.feature_importances_.shape == (9, 9)


@pytest.mark.parametrize("projection", ["sporf", "rerf", "rotation", "principal_axes"])
def test_every_projection_works_with_distances(directions, projection):
    X, angles = directions
    space = spaces.Circle(split="geodesic")
    forest = metric_forest(50, space=space, projection=projection, oob_score=True).fit(X, angles)
    assert forest.oob_score_ > 0.8


def test_mean_differences_of_distances(directions):
    X, angles = directions
    space = spaces.Circle(split="geodesic")
    projection = mf.projections.Axis() + mf.projections.MeanDifference()
    forest = metric_forest(space=space, projection=projection).fit(X, angles)
    atoms = np.vstack([tree.atoms().toarray() for tree in forest.trees_])
    assert ((atoms != 0).sum(axis=1) > 1).any()


@pytest.mark.parametrize(
    "space", [spaces.Circle(), spaces.Circle(split="geodesic"), spaces.Isomap(12)]
)
def test_forests_do_not_depend_on_threads(directions, space):
    X, angles = directions
    Y = angles if isinstance(space, spaces.Circle) else np.column_stack([angles, angles**2])
    one = metric_forest(space=space, n_jobs=1).fit(X, Y)
    two = metric_forest(space=space, n_jobs=2).fit(X, Y)
    for name, array in one._model.trees.arrays.items():
        np.testing.assert_array_equal(array, two._model.trees.arrays[name])


@pytest.mark.parametrize("projection", ["mean_difference", "principal_axes", "axis"])
@pytest.mark.parametrize("max_rank", [None, 1])
def test_one_row_can_be_learned_with_any_projection(projection, max_rank):
    params = {"projection": projection, "max_rank": max_rank, "random_state": 0}
    precomputed = mf.MetricForestRegressor(2, space=spaces.Precomputed(np.zeros((1, 1))), **params)
    assert precomputed.fit([[1.0, 2.0]], [0]).predict([[3.0, 4.0]]).tolist() == [0]
    kernel = mf.KernelForestRegressor(2, projection=projection, random_state=0)
    assert kernel.fit([[1.0, 2.0]], [5.0]).predict([[3.0, 4.0]]).tolist() == [5.0]


def test_warm_start_equals_a_single_fit(directions):
    X, angles = directions
    whole = metric_forest(20, space="circle").fit(X, angles)
    grown = metric_forest(5, space="circle", warm_start=True).fit(X, angles)
    grown.set_params(n_estimators=20).fit(X, angles)
    np.testing.assert_array_equal(whole.predict(X), grown.predict(X))
    grown.set_params(n_estimators=25)
    with pytest.raises(ValueError, match="continue with the y"):
        grown.fit(X, angles + 0.1)


def test_weights_are_repetitions():
    rng = np.random.default_rng(7)
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(40, 2))
    weight = rng.integers(1, 4, size=40)
    repeated = np.repeat(np.arange(40), weight)
    params = {"space": spaces.Isomap(5), "bootstrap": False, "max_features": None}
    weighted = metric_forest(1, **params).fit(X, Y, sample_weight=weight)
    several = metric_forest(1, **params).fit(X[repeated], Y[repeated])
    np.testing.assert_array_equal(weighted.predict(X), several.predict(X))


def test_low_rank_forests_tell_what_they_leave_out():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(400, 3))
    Y = np.column_stack([X[:, 0], X[:, 1], 0.05 * rng.normal(size=400)])
    Y = np.hstack([Y, 0.05 * rng.normal(size=(400, 20))])
    space = spaces.Precomputed(cdist(Y, Y))
    exact = metric_forest(space=space, min_samples_leaf=60).fit(X, np.arange(400))
    low = metric_forest(space=space, min_samples_leaf=60, max_rank=2).fit(X, np.arange(400))
    inertia = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False) ** 2
    assert low.truncation_error_ == pytest.approx(inertia[2:].sum() / inertia.sum(), rel=1e-4)
    assert not hasattr(exact, "truncation_error_")
    assert np.mean(exact.apply(X) == low.apply(X)) > 0.8
    full = metric_forest(space=space, min_samples_leaf=60, max_rank=399).fit(X, np.arange(400))
    assert full.truncation_error_ == 0
    np.testing.assert_array_equal(exact.apply(X), full.apply(X))


@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_the_unit_of_responses_does_not_matter(roll, scale):
    X, Y, X_test, _ = roll
    for space in (spaces.Euclidean(), spaces.Isomap(5)):
        moderate = metric_forest(space=space, prediction="medoid").fit(X, Y)
        extreme = metric_forest(space=space, prediction="medoid").fit(X, Y * scale)
        np.testing.assert_array_equal(moderate.apply(X_test), extreme.apply(X_test))
        np.testing.assert_allclose(extreme.predict(X_test), moderate.predict(X_test) * scale)


@pytest.mark.parametrize("scale", [1e-40, 7.0, 1e40])
def test_the_bandwidth_has_the_unit_of_the_responses(roll, scale):
    X, Y, X_test, _ = roll
    drf = {"prediction": "drf", "embedding_dim": 2}
    moderate = metric_forest(bandwidth=5.0, **drf).fit(X, Y)
    scaled = metric_forest(bandwidth=5.0 * scale, **drf).fit(X, Y * scale)
    expected = moderate.predict(X_test) * scale
    np.testing.assert_allclose(scaled.predict(X_test), expected, rtol=1e-6, atol=1e-6 * scale)


def test_equal_responses():
    X = np.arange(10.0)[:, None]
    for prediction in ("frechet", "medoid", "barycentre", "drf"):
        forest = metric_forest(30, prediction=prediction, oob_score=True, smoothness=1e9)
        forest.fit(X, np.ones((10, 2)))
        np.testing.assert_allclose(forest.predict(X), 1, atol=1e-6)
    assert mf.KernelForestRegressor(5).fit(X, np.ones(10)).predict(X).tolist() == [1.0] * 10
