"""What forests in metric spaces refuse, and that nothing is changed by it."""

import numpy as np
import pytest

import manifoldforest as mf
from manifoldforest import spaces

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3)).astype(np.float32)
VECTORS = RNG.normal(size=(20, 2))
DISTANCES = np.linalg.norm(VECTORS[:, None] - VECTORS, axis=2)


def with_entry(matrix, place, value):
    changed = matrix.copy()
    changed[place] = value
    return changed


def refuse(a, b):
    raise RuntimeError("no")


BAD = {
    "not symmetric": (
        {"space": spaces.Precomputed(with_entry(DISTANCES, (2, 5), 9.0))},
        np.arange(20),
        r"D must be symmetric, got D\[2, 5\] = 9",
    ),
    "negative": (
        {"space": spaces.Precomputed(with_entry(DISTANCES, ([1, 4], [4, 1]), -1.0))},
        np.arange(20),
        r"D must hold finite numbers >= 0, got D\[1, 4\] = -1",
    ),
    "nan": (
        {"space": spaces.Precomputed(with_entry(DISTANCES, ([1, 4], [4, 1]), np.nan))},
        np.arange(20),
        r"D must hold finite numbers >= 0, got D\[1, 4\] = nan",
    ),
    "infinite": (
        {"space": spaces.Precomputed(with_entry(DISTANCES, ([1, 4], [4, 1]), np.inf))},
        np.arange(20),
        r"D must hold finite numbers >= 0, got D\[1, 4\] = inf",
    ),
    "not square": (
        {"space": spaces.Precomputed(DISTANCES[:5])},
        np.arange(20),
        r"D must be a square matrix of distances, got the shape \(5, 20\)",
    ),
    "row out of range": (
        {"space": spaces.Precomputed(DISTANCES)},
        np.arange(1, 21),
        r"y must be row indices into D, .* got 20",
    ),
    "not positive definite": (
        {"space": "spd"},
        np.tile(np.diag([1.0, -1.0]), (20, 1, 1)),
        r"y must hold positive definite matrices, got the smallest eigenvalue -1.0 in response 0",
    ),
    "off the sphere": (
        {"space": "sphere"},
        VECTORS,
        r"y must .*norm",
    ),
    "callable that fails": (
        {"space": spaces.FromCallable(refuse)},
        VECTORS,
        r"distance",
    ),
    "callable without a number": (
        {"space": spaces.FromCallable(lambda a, b: float("nan"))},
        VECTORS,
        r"distance",
    ),
    "too many dimensions": (
        {"prediction": "drf", "embedding_dim": 20},
        VECTORS,
        r"embedding_dim must be at most 19 for 20 training responses, got 20",
    ),
    "no mean": (
        {"prediction": "frechet", "space": spaces.Isomap(5)},
        VECTORS,
        r"prediction must not be 'frechet' in a space without means, got space=Isomap\(\)",
    ),
    "no vectors": (
        {"prediction": "projected", "space": spaces.Precomputed(DISTANCES)},
        np.arange(20),
        r"prediction must not be 'projected' where responses are no vectors",
    ),
    "unknown space": ({"space": "torus"}, VECTORS, r"space must be one of 'euclidean'"),
    "unknown prediction": ({"prediction": "mean"}, VECTORS, r"prediction must be one of"),
    "bandwidth": ({"bandwidth": 0.0}, VECTORS, r"bandwidth must be a number in \(0, inf\)"),
    "max_rank": ({"max_rank": 0}, VECTORS, r"max_rank must be an integer >= 1 or None, got 0"),
    "rows": ({}, VECTORS[:5], r"X and y must have equally many rows, got 20 rows of X and 5"),
    "nan response": ({}, with_entry(VECTORS, (3, 0), np.nan), r"y must hold finite .* response 3"),
    "neighbours": ({"space": spaces.Isomap(20)}, VECTORS, r"n_neighbors must be less than"),
    "no responses": ({}, None, r"requires y to be passed, but the target y is None"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_and_changes_nothing(case):
    params, Y, message = BAD[case]
    forest = mf.MetricForestRegressor(3, random_state=0).fit(X, VECTORS)
    before = forest.predict(X)
    kept = {name: getattr(forest, name) for name in params}
    forest.set_params(**params)
    fitted = vars(forest).copy()
    with pytest.raises((ValueError, TypeError), match=message):
        forest.fit(X, Y)
    assert vars(forest) == fitted
    forest.set_params(**kept)
    np.testing.assert_array_equal(forest.predict(X), before)


BAD_KERNELS = {
    "name": ("sigmoid", VECTORS, r"kernel must be one of 'rbf', 'laplacian', 'linear'"),
    "shape": (np.ones((3, 4)), np.arange(20), r"kernel must be a square matrix .* \(3, 4\)"),
    "symmetry": (np.triu(np.ones((20, 20))), np.arange(20), r"kernel must be symmetric"),
    "nan": (np.full((20, 20), np.nan), np.arange(20), r"kernel must hold finite numbers"),
    "diagonal": (-np.eye(20), np.arange(20), r"kernel must have no negative values on its diag"),
    "rows": (np.eye(20), np.arange(1, 21), r"y must be row indices into kernel"),
    "callable": (refuse, VECTORS, r"kernel must return a matrix .* raised RuntimeError: no"),
    "returned": (lambda A, B: np.ones(3), VECTORS, r"kernel must return a matrix of shape"),
}


@pytest.mark.parametrize("case", BAD_KERNELS)
def test_bad_kernels_are_refused(case):
    kernel, Y, message = BAD_KERNELS[case]
    forest = mf.KernelForestRegressor(3, kernel=kernel)
    with pytest.raises((ValueError, TypeError), match=message):
        forest.fit(X, Y)
    assert not hasattr(forest, "space_")


def test_scores_check_their_responses():
    forest = mf.MetricForestRegressor(3, space="circle").fit(X, VECTORS[:, 0])
    with pytest.raises(ValueError, match="y must be numbers in an array"):
        forest.score(X, VECTORS)
    with pytest.raises(ValueError, match="X and y must have equally many rows"):
        forest.score(X, VECTORS[:5, 0])


def test_disconnected_responses_are_joined_with_a_warning():
    apart = VECTORS + 100 * (np.arange(20) % 2)[:, None]
    with pytest.warns(UserWarning, match="2 components"):
        forest = mf.MetricForestRegressor(20, space=spaces.Isomap(3), random_state=0).fit(X, apart)
    assert np.isfinite(forest.predict(X)).all()


def test_distances_that_are_not_euclidean_are_told_of():
    angles = RNG.uniform(0, 2 * np.pi, size=20)
    space = spaces.Circle(split="geodesic")
    with pytest.warns(UserWarning, match="negative eigenvalues, which are dropped, are"):
        mf.MetricForestRegressor(3, space=space, prediction="barycentre").fit(X, angles)


def test_antipodal_and_equal_responses():
    poles = np.tile([[0.0, 0, 1], [0, 0, -1]], (10, 1))
    for split in ("chordal", "geodesic"):
        for prediction in ("frechet", "projected", "medoid"):
            forest = mf.MetricForestRegressor(
                20, space=spaces.Sphere(split=split), prediction=prediction, min_samples_leaf=10
            )
            predicted = forest.fit(X, poles).predict(X)
            np.testing.assert_allclose(np.linalg.norm(predicted, axis=1), 1)


def test_nearly_singular_matrices():
    scale = np.logspace(-12, 0, 20)
    matrices = np.array([np.diag([1.0, s]) for s in scale])
    for metric in ("log-euclidean", "affine-invariant"):
        forest = mf.MetricForestRegressor(20, space=spaces.SPD(metric), random_state=0)
        predicted = forest.fit(np.log(scale)[:, None], matrices).predict(np.log(scale)[:, None])
        assert (np.linalg.eigvalsh(predicted) > 0).all()
        assert forest.score(np.log(scale)[:, None], matrices) > 0.8
