"""Properties of response spaces for whatever hypothesis thinks of: extremes, ties, duplicates."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from manifoldforest.spaces import (
    SPD,
    Circle,
    Isomap,
    KendallShape,
    Precomputed,
    Rotations,
    Sphere,
    Wasserstein1D,
)

settings.register_profile("spaces", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("spaces")

entries = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-8, -1e-8, 1e-15, 1e-160]),
    st.floats(-1e3, 1e3),
)


def configurations(*shape, n=5):
    return arrays(np.float64, (n, *shape), elements=entries)


def check_axioms(space, Y, limit=np.inf, tolerance=1e-7):
    """What holds for every distance; returns all of them."""
    D = space.distances(Y)
    assert np.isfinite(D).all()
    assert (D >= 0).all()
    assert (limit >= D).all()
    assert_array_equal(D, D.T)
    assert_array_equal(np.diag(D), np.zeros(len(D)))
    scale = 1 + D.max()
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + tolerance * scale).all()
    pairs = space.paired_distances(Y, Y[::-1])
    assert_allclose(pairs, np.diag(D[:, ::-1]), rtol=tolerance, atol=tolerance)
    return D


def check_mean(space, Y, D, w, tolerance=1e-7):
    """A mean is a response and not worse than any of the given ones."""
    weights = np.ones(len(Y)) / len(Y) if w.sum() == 0 else w / w.sum()
    with warnings.catch_warnings():  # responses far apart, where means are hardly defined
        warnings.simplefilter("ignore", ConvergenceWarning)
        mean = space.mean(Y, csr_matrix(weights))
    assert np.isfinite(mean).all()
    mean = space.check(mean)
    squares = space.distances(mean, Y)[0] ** 2 @ weights
    return squares, np.min(D**2 @ weights) + tolerance * (1 + D.max() ** 2)


weights = arrays(np.float64, 5, elements=st.sampled_from([0.0, 0.1, 1.0, 1.0, 3.0, 1e-9]))


@pytest.mark.filterwarnings("ignore:Y spans")  # many periods are what is tried
@given(arrays(np.float64, 5, elements=st.floats(-1e6, 1e6)), weights, st.sampled_from([1.0, 24.0]))
def test_circle(Y, w, period):
    space = Circle(period)
    Y = space.check(Y)
    assert ((Y >= 0) & (period > Y)).all()
    D = check_axioms(space, Y, limit=period / 2)
    mine, best = check_mean(space, Y, D, w, tolerance=1e-12)
    assert mine <= best
    chords = np.linalg.norm(space.embed(Y)[:, None] - space.embed(Y)[None], axis=2)
    assert_allclose(chords, period / np.pi * np.sin(np.pi * D / period), atol=1e-12 * period)


@given(configurations(3), weights)
def test_sphere(Y, w):
    space = Sphere()
    Y = space.check(space.project(Y))
    D = check_axioms(space, Y, limit=np.pi)
    check_mean(space, Y, D, w)
    opposite = space.paired_distances(Y, -Y)
    assert_array_equal(opposite, np.full(5, np.pi))


@given(configurations(4), weights, st.lists(st.sampled_from([-1.0, 1.0]), min_size=5, max_size=5))
def test_rotations(Q, w, signs):
    space = Rotations("quaternion")
    Y = space.check(space.project(Q))
    D = check_axioms(space, Y, limit=np.pi)
    check_mean(space, Y, D, w)
    flipped = space.check(np.array(signs)[:, None] * Y)
    assert_allclose(space.distances(flipped), D, atol=1e-15)
    assert_allclose(Rotations().distances(Rotations().check(_matrices(Y))), D, atol=1e-7)


def _matrices(Y):
    return np.sqrt(2.0) * Rotations("quaternion").embed(Y).reshape(-1, 3, 3)


@given(configurations(3, 3), weights, st.sampled_from(["log-euclidean", "affine-invariant"]))
def test_positive_definite_matrices(A, w, metric):
    space = SPD(metric)
    Y = A @ A.transpose(0, 2, 1)
    # condition numbers up to 1e8: beyond that, distances are mostly rounding
    Y = space.check(
        Y + np.eye(3) * np.maximum(1e-8 * np.trace(Y, axis1=1, axis2=2), 1e-6)[:, None, None]
    )
    D = check_axioms(space, Y, tolerance=1e-5)
    mine, best = check_mean(space, Y, D, w, tolerance=1e-5)
    assert mine <= best


@given(configurations(4, 2), weights)
def test_flat_shapes(X, w):
    check_shapes(X, w)


@given(configurations(4, 3), weights)
def test_solid_shapes(X, w):
    check_shapes(X, w)


def check_shapes(X, w):
    space = KendallShape()
    assume((np.ptp(X, axis=1).max(axis=1) > 1e-6).all())
    Y = space.check(X)
    D = check_axioms(space, Y, limit=np.pi / 2 + 1e-12)
    mine, best = check_mean(space, Y, D, w)
    # the start is the heaviest response, from which sums of squares only become smaller
    start = np.argmax(w) if w.sum() else 0
    weights = np.ones(5) / 5 if w.sum() == 0 else w / w.sum()
    assert mine <= D[start] ** 2 @ weights + 1e-7


@given(
    st.lists(st.lists(entries, min_size=1, max_size=9), min_size=5, max_size=5),
    weights,
    st.integers(1, 12),
)
def test_distributions(samples, w, n_quantiles):
    space = Wasserstein1D(n_quantiles)
    Y = space.check(samples)
    assert Y.shape == (5, n_quantiles)
    assert (np.diff(Y, axis=1) >= 0).all()
    assert all(set(row) <= set(sample) for row, sample in zip(Y, samples, strict=True))
    D = check_axioms(space, Y)
    mine, best = check_mean(space, Y, D, w)
    assert mine <= best
    assert (np.diff(space.project(Y[:, ::-1]), axis=1) >= 0).all()


@given(
    arrays(np.float64, (9, 2), elements=st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-9, 5.0, 1e-170])),
    st.integers(1, 8),
)
def test_shortest_paths(Y, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        S = Isomap(k).split_distances(Y)
    D = check_axioms(Isomap(k), Y)
    assert np.isfinite(S).all()
    assert_array_equal(S, S.T)
    assert (S >= D - 1e-12).all()
    assert_array_equal((Y[:, None] == Y[None]).all(axis=2) & (S > 0), np.zeros((9, 9), dtype=bool))
    check_axioms(Precomputed(S), Precomputed(S).check(np.arange(9)))
