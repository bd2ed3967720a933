"""Responses as vectors and back, and distances in chunks: what predictions and forests ask for."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from manifoldforest import spaces

RNG = np.random.default_rng(0)
FACTORS = RNG.normal(size=(12, 3, 3))
VECTORS = RNG.normal(size=(12, 3))

RESPONSES = {
    "numbers": (spaces.Euclidean(), VECTORS[:, 0]),
    "points": (spaces.Euclidean(), VECTORS),
    "matrices": (spaces.Frobenius(), FACTORS),
    "isomap": (spaces.Isomap(5), VECTORS),
    "circle": (spaces.Circle(24), RNG.uniform(0, 24, size=12)),
    "sphere": (spaces.Sphere(), VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)),
    "spd": (spaces.SPD(), FACTORS @ FACTORS.transpose(0, 2, 1) + 0.1 * np.eye(3)),
    "rotations": (spaces.Rotations(), Rotation.random(12, random_state=0).as_matrix()),
    "quaternions": (
        spaces.Rotations("quaternion"),
        Rotation.random(12, random_state=1).as_quat(),
    ),
    "shapes": (spaces.KendallShape(), RNG.normal(size=(12, 5, 2))),
    "samples": (spaces.Wasserstein1D(10), RNG.normal(size=(12, 10))),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_vectors_lead_back(name):
    space, Y = RESPONSES[name]
    values = space.check(Y)
    vectors = space.vectors(values)
    assert vectors.shape[0] == 12
    assert vectors.ndim == 2
    back = space.from_vectors(vectors, values)
    assert back.shape == values.shape
    np.testing.assert_allclose(space.paired_distances(back, values), 0, atol=1e-6)


@pytest.mark.parametrize("name", RESPONSES)
def test_mixtures_of_vectors_belong_to_the_space(name):
    space, Y = RESPONSES[name]
    values = space.check(Y)
    mixed = space.from_vectors(RNG.normal(size=(7, 12)) @ space.vectors(values), values)
    np.testing.assert_allclose(space.check(mixed), mixed, atol=1e-9)


def test_vectors_of_close_responses_are_close():
    """Otherwise no smooth map could lead back: signs and turns that do not count are settled."""
    turn = Rotation.from_rotvec([[0, 0, np.pi - 0.01], [0, 0, np.pi + 0.01]])
    for form, values in (("matrix", turn.as_matrix()), ("quaternion", turn.as_quat())):
        space = spaces.Rotations(form)
        a, b = space.vectors(space.check(values))
        assert np.abs(a - b).max() < 0.05
    a, b = spaces.Circle().vectors(np.array([0.01, 2 * np.pi - 0.01]))
    assert np.abs(a - b).max() < 0.05
    shape = RNG.normal(size=(5, 2))
    turned = shape @ Rotation.from_rotvec([0, 0, 2.0]).as_matrix()[:2, :2]
    space = spaces.KendallShape()
    a, b = space.vectors(space.check([shape, turned]))
    np.testing.assert_allclose(a, b, atol=1e-12)


def test_objects_and_indices_are_no_vectors():
    indices = spaces.Precomputed(np.zeros((3, 3)))
    assert indices.vectors(indices.check([0, 1])) is None
    words = spaces.FromCallable(lambda a, b: float(a != b))
    assert words.vectors(words.check(["a", "b"])) is None


@pytest.mark.parametrize("name", RESPONSES)
def test_chunks_are_the_distances_of_splits(name):
    space, Y = RESPONSES[name]
    values = space.check(Y)
    chunks = list(space.split_distance_chunks(values))
    together = np.concatenate([chunk for _, chunk in chunks])
    np.testing.assert_array_equal(together, space.split_distances(values))
    assert [rows.start for rows, _ in chunks] == [0]


def test_precomputed_distances_come_in_chunks():
    n = 1500
    points = RNG.normal(size=n)
    D = np.abs(points[:, None] - points).astype(np.float32)
    space = spaces.Precomputed(D)
    rows = space.check(RNG.permutation(n)[:1400])
    chunks = list(space.split_distance_chunks(rows))
    assert len(chunks) > 1
    for some, chunk in chunks:
        np.testing.assert_array_equal(chunk, D[np.ix_(rows[some], rows)])
