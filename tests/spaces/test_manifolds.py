"""Circle, sphere, SPD matrices, rotations and shapes against closed forms and naive searches."""

import tracemalloc
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm, sqrtm
from scipy.sparse import csr_matrix
from scipy.spatial.transform import Rotation
from sklearn.exceptions import ConvergenceWarning

from manifoldforest.spaces import SPD, Circle, KendallShape, Rotations, Sphere, _karcher
from manifoldforest.spaces._chunks import CHUNK, mirror_upper, take_symmetric
from reference import spaces as reference

HALF = csr_matrix([[0.5, 0.5]])
EYE = np.eye(3)


def weights_of(*rows):
    return csr_matrix(np.array(rows, dtype=float) / np.sum(rows, axis=1, keepdims=True))


def random_weights(rng, q, n):
    return weights_of(*rng.exponential(size=(q, n)))


def turn_about_z(angle):
    return Rotation.from_rotvec([0, 0, angle]).as_matrix()


def spd(rng, n, d=3):
    A = rng.normal(size=(n, d, d + 2))
    return A @ A.transpose(0, 2, 1)


# Circle


def test_arcs_match_the_definition():
    rng = np.random.default_rng(0)
    for period in (2 * np.pi, 360, 0.01):
        space = Circle(period)
        Y = space.check(rng.uniform(-3 * period, 3 * period, 30))
        assert ((Y >= 0) & (period > Y)).all()
        expected = reference.matrix(reference.circle(period), Y, Y)
        assert_allclose(space.distances(Y), expected, atol=1e-12 * period)


def test_arcs_near_the_wrap():
    space = Circle(360)
    assert_allclose(space.distance(359.75, 0.25), 0.5)
    assert_allclose(space.distance(-0.25, 720.25), 0.5)
    assert space.distance(10, 190) == 180.0
    # too close to zero for any number below the period
    assert_array_equal(space.check([-1e-20, 360, 0, -360]), [0, 0, 0, 0])
    assert np.signbit(space.check([-0.0, -360.0])).sum() == 0


def test_chords_of_a_circle():
    space = Circle(360)
    points = space.embed(space.check([0, 90, 180, 0.001]))
    radius = 360 / (2 * np.pi)
    assert_allclose(points[:3], radius * np.array([[1, 0], [0, 1], [-1, 0]]), atol=1e-12)
    assert_allclose(np.linalg.norm(points[3] - points[0]), 0.001, rtol=1e-6)


@pytest.mark.parametrize("period", [2 * np.pi, 24.0])
def test_the_mean_angle_is_the_best_of_a_fine_grid(period):
    rng = np.random.default_rng(1)
    space = Circle(period)
    grid = np.linspace(0, period, 20_000, endpoint=False)
    for n in (1, 2, 3, 7, 30):
        Y = space.check(rng.uniform(0, period, n))
        weights = random_weights(rng, 20, n)
        means = space.mean(Y, weights)
        assert ((means >= 0) & (means < period)).all()
        mine = np.sum(weights.toarray() * space.distances(means, Y) ** 2, axis=1)
        best = (weights @ space.distances(Y, grid) ** 2).min(axis=1)
        assert (mine <= best + 1e-12 * period**2).all()
        assert (mine >= best - period / 20_000 * period).all()


def test_known_mean_angles():
    space = Circle(360)
    mean = lambda Y, w: space.mean(space.check(Y), weights_of(w))
    assert_allclose(mean([350, 30], [1, 1]), [10])
    assert_allclose(mean([359, 1], [3, 1]), [359.5])
    assert_allclose(mean([10, 20, 60], [1, 1, 2]), [37.5])
    # no single mean: the smallest of them, in whatever order responses come
    assert_allclose(mean([0, 180], [1, 1]), [90])
    assert_allclose(mean([180, 0], [1, 1]), [90])
    assert_allclose(mean([0, 90, 180, 270], [1, 1, 1, 1]), [45])
    assert_allclose(mean([300, 100, 200, 0], [1, 1, 1, 1]), [330])


def test_mean_angles_turn_with_the_circle():
    rng = np.random.default_rng(2)
    space = Circle()
    Y, weights = rng.uniform(0, 6, 15), random_weights(rng, 5, 15)
    means = space.mean(space.check(Y), weights)
    turned = space.mean(space.check(Y + 1.234), weights)
    assert_allclose(space.paired_distances(turned, space.project(means + 1.234)), 0, atol=1e-12)


# Sphere


@pytest.mark.parametrize("d", [2, 3, 7])
def test_angles_match_the_arc_cosine(d):
    rng = np.random.default_rng(d)
    space = Sphere()
    Y = space.project(rng.normal(size=(20, d)))
    assert_allclose(space.distances(Y), reference.matrix(reference.sphere, Y, Y), atol=1e-7)


def test_angles_are_exact_at_both_ends():
    space = Sphere()
    tiny = np.array([1e-3, 1e-9, 1e-15, 1e-150])
    near = space.check(np.column_stack([np.cos(tiny), np.sin(tiny), 0 * tiny]))
    pole = space.check([[1, 0, 0]])
    assert_allclose(space.distances(pole, near)[0], tiny, rtol=1e-12)
    assert_allclose(space.distances(pole, -near)[0], np.pi - tiny, rtol=1e-15)
    assert space.distance([0.6, 0.8], [-0.6, -0.8]) == np.pi
    assert space.distance([0.6, 0.8], [0.6, 0.8]) == 0.0
    assert_allclose(space.distance([1, 0], [0, 1]), np.pi / 2, rtol=1e-15)


def test_vectors_are_made_unit_vectors():
    Y = Sphere().check([[3, 4], [1, 0]] * np.array([[0.2 * (1 + 9e-7)], [1]]))
    assert_allclose(np.linalg.norm(Y, axis=1), 1, rtol=1e-15)
    with pytest.raises(
        ValueError, match=r"^Y must hold unit vectors, got the norm 1.1 in resp.* 1"
    ):
        Sphere().check([[1, 0], [0, 1.1]])
    with pytest.raises(
        ValueError, match=r"^Y must hold unit vectors, got the norm 0.0 in resp.* 0"
    ):
        Sphere().check([[0, 0], [0, 1]])


def test_mean_directions_are_found_by_search():
    rng = np.random.default_rng(5)
    space = Sphere()
    Y = space.project(rng.normal(size=(8, 3)) + [1, 0, 0])
    weights = random_weights(rng, 3, 8)
    for mean, w in zip(space.mean(Y, weights), weights.toarray(), strict=True):
        starts = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]
        found, least = reference.search_mean(reference.sphere, reference.unit, starts, Y, w)
        assert reference.spread(reference.sphere, mean, Y, w) <= least + 1e-9
        assert_allclose(mean, found, atol=1e-4)


def test_known_mean_directions():
    space = Sphere()
    angles = np.array([0.1, 0.4, 1.2])
    circle = space.check(np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]))
    # on a great circle the mean is that of the angles, with any weights
    for w in ([1, 1, 1], [5, 1, 1], [0, 1, 3]):
        angle = np.dot(w, angles) / np.sum(w)
        expected = [[np.cos(angle), np.sin(angle), 0]]
        assert_allclose(space.mean(circle, weights_of(w)), expected, atol=1e-9)
    # a ring around the pole
    turns = np.arange(5) * 2 * np.pi / 5
    ring = np.column_stack([0.8 * np.cos(turns), 0.8 * np.sin(turns), 0 * turns + 0.6])
    assert_allclose(space.mean(space.check(ring), weights_of([1] * 5)), [[0, 0, 1]], atol=1e-9)


def test_mean_directions_turn_with_the_sphere():
    rng = np.random.default_rng(6)
    space = Sphere()
    Y = space.project(rng.normal(size=(10, 3)) + [0, 1, 1])
    weights = random_weights(rng, 4, 10)
    R = Rotation.random(random_state=0).as_matrix()
    assert_allclose(space.distances(Y @ R), space.distances(Y), atol=1e-14)
    assert_allclose(space.mean(Y @ R, weights), space.mean(Y, weights) @ R, atol=1e-8)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_opposite_directions_have_a_mean_half_way(d):
    space = Sphere()
    rng = np.random.default_rng(d)
    pole = space.project(rng.normal(size=(1, d)))
    Y = np.concatenate([pole, -pole])
    mean = space.mean(Y, HALF)
    assert_allclose(space.distances(mean, Y), np.pi / 2, atol=1e-9)
    assert_array_equal(space.mean(Y, HALF), mean)
    # with unequal weights, nearer to the heavier
    assert_allclose(
        space.distances(space.mean(Y, weights_of([3, 1])), Y), [[np.pi / 4, np.pi * 0.75]]
    )
    # all axes at once: nothing is nearest, but nothing breaks
    cross = np.concatenate([np.eye(d), -np.eye(d)])
    centre = space.mean(cross, weights_of([1] * (2 * d)))
    assert_allclose(np.linalg.norm(centre), 1)
    assert_allclose(space.distances(cross).max(), np.pi)


def test_means_start_from_the_best_response_where_the_average_is_nothing(monkeypatch):
    for module in ("_sphere", "_rotations"):
        monkeypatch.setattr(
            f"manifoldforest.spaces.{module}.karcher_means", lambda m, Y, w, start: start
        )
    pole = Sphere().project([[3, 2, 1]])
    weights = weights_of([1, 1, 0], [1, 1, 2])
    Y = np.concatenate([pole, -pole, Sphere().project([[0, 1, -2]])])
    assert_allclose(Sphere().mean(Y, weights), Y[[0, 2]], atol=1e-15)
    # rotations by half a turn about three axes: as quaternions at right angles
    turns = Rotations("quaternion").check(np.eye(4)[[2, 0, 1]])
    assert_array_equal(Rotations("quaternion").mean(turns, weights), turns[[0, 2]])


def test_projection_to_the_sphere():
    projected = Sphere().project([[3, 4], [0, 0], [1e-300, 0], [-1e300, 1e300]])
    assert_allclose(projected, [[0.6, 0.8], [1, 0], [1, 0], [-(0.5**0.5), 0.5**0.5]])


# Symmetric positive definite matrices


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("metric", "distance"),
    [
        ("log-euclidean", reference.log_euclidean),
        ("affine-invariant", reference.affine_invariant),
    ],
)
def test_distances_of_matrices_match_the_definition(metric, distance, d):
    space = SPD(metric)
    Y = space.check(spd(np.random.default_rng(d), 8, d))
    assert_allclose(space.distances(Y), reference.matrix(distance, Y, Y), atol=1e-6)


@pytest.mark.parametrize("metric", ["log-euclidean", "affine-invariant"])
def test_known_distances_of_matrices(metric):
    space = SPD(metric)
    assert_allclose(space.distance(EYE, np.e * EYE), np.sqrt(3))
    assert_allclose(space.distance(np.diag([1.0, 4]), np.diag([np.e**2, 4 / np.e**3])), 13**0.5)
    # matrices that commute
    assert space.distance([[2, 1], [1, 2]], [[2, 1], [1, 2]]) == pytest.approx(0, abs=1e-14)
    assert_allclose(space.distance([[2, 1], [1, 2]], [[4, 2], [2, 4]]), np.sqrt(2) * np.log(2))


def test_the_embedding_of_matrices_is_the_logarithm():
    Y = SPD().check([[[np.e, 0], [0, 1]], [[1.25, 0.75], [0.75, 1.25]]])
    # the second has eigenvalues 2 and 1/2 along the diagonals of the square
    root = np.sqrt(2) * np.log(2)
    assert_allclose(SPD().embed(Y), [[1, 0, 0], [0, root, 0]], atol=1e-14)
    Y = spd(np.random.default_rng(0), 3)
    for y, point in zip(Y, SPD().embed(Y), strict=True):
        off = point[[1, 2, 4]] / np.sqrt(2)
        log = [[point[0], off[0], off[1]], [off[0], point[3], off[2]], [off[1], off[2], point[5]]]
        assert_allclose(expm(log), y)


def test_affine_invariance_and_inversion():
    rng = np.random.default_rng(3)
    space = SPD("affine-invariant")
    Y, weights = spd(rng, 9), random_weights(rng, 4, 9)
    D, means = space.distances(Y), space.mean(Y, weights)
    mix = rng.normal(size=(3, 3))
    mixed = space.check(mix @ Y @ mix.T)
    assert_allclose(space.distances(mixed), D, atol=1e-10)
    assert_allclose(space.mean(mixed, weights), mix @ means @ mix.T, rtol=1e-6, atol=1e-6)
    inverse = space.check(np.linalg.inv(Y))
    assert_allclose(space.distances(inverse), D, atol=1e-10)
    assert_allclose(space.mean(inverse, weights), np.linalg.inv(means), rtol=1e-6, atol=1e-6)
    # the log-Euclidean distance has the second property only, and does not mix
    assert_allclose(SPD().distances(inverse), SPD().distances(Y), atol=1e-10)
    assert np.abs(SPD().distances(mixed) - SPD().distances(Y)).max() > 0.1


@pytest.mark.parametrize(
    ("metric", "distance"),
    [
        ("log-euclidean", reference.log_euclidean),
        ("affine-invariant", reference.affine_invariant),
    ],
)
def test_mean_matrices_are_found_by_search(metric, distance):
    rng = np.random.default_rng(7)
    space = SPD(metric)
    Y, weights = space.check(spd(rng, 5, 2)), random_weights(rng, 2, 5)
    for mean, w in zip(space.mean(Y, weights), weights.toarray(), strict=True):
        chart = reference.positive_definite(2)
        found, least = reference.search_mean(distance, chart, [np.zeros(3)], Y, w)
        assert reference.spread(distance, mean, Y, w) <= least + 1e-9
        assert_allclose(mean, found, atol=1e-4)


@pytest.mark.parametrize("metric", ["log-euclidean", "affine-invariant"])
def test_known_mean_matrices(metric):
    space = SPD(metric)
    Y = space.check([np.diag([1.0, 8.0]), np.diag([4.0, 2.0])])
    assert_allclose(space.mean(Y, HALF), [np.diag([2.0, 4.0])], atol=1e-12)
    assert_allclose(space.mean(Y, weights_of([1, 0])), Y[:1], atol=1e-12)


def test_the_mean_of_two_matrices_is_their_geometric_mean():
    rng = np.random.default_rng(8)
    Y = SPD("affine-invariant").check(spd(rng, 2))
    root, back = (sqrtm(m) for m in (Y[0], np.linalg.inv(Y[0])))
    expected = root @ sqrtm(back @ Y[1] @ back) @ root
    assert_allclose(SPD("affine-invariant").mean(Y, HALF)[0], expected, rtol=1e-6)


def test_log_euclidean_determinants_are_geometric_means():
    rng = np.random.default_rng(9)
    Y, weights = spd(rng, 6), random_weights(rng, 3, 6)
    for metric in ("log-euclidean", "affine-invariant"):
        found = np.linalg.slogdet(SPD(metric).mean(Y, weights))[1]
        assert_allclose(found, weights @ np.linalg.slogdet(Y)[1], atol=1e-9)


def test_nearly_singular_matrices():
    space = SPD("affine-invariant")
    small = 1e-14
    a, b = np.diag([small, 1, 1]), np.diag([1, 1, small])
    R = Rotation.from_rotvec([0.3, -1.2, 0.5]).as_matrix()
    exact = np.sqrt(2) * -np.log(small)
    assert_allclose(space.distances(space.check([a, b]))[0, 1], exact, rtol=1e-12)
    # rounding of the entries alone changes the small eigenvalues by a per cent
    turned = space.check([R @ a @ R.T, R @ b @ R.T])
    assert_allclose(space.distances(turned)[0, 1], exact, rtol=1e-2)
    extreme = space.check([np.diag([1e90, 1, 1e-90]), np.diag([1e-90, 1, 1e90]), EYE])
    expected = 90 * np.log(10) * np.sqrt([2, 8, 2])
    D = space.distances(extreme)
    assert_allclose([D[0, 2], D[0, 1], D[1, 2]], expected, rtol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for responses in (turned, extreme[:2]):
            means = space.mean(responses, HALF)
            assert np.isfinite(means).all()
            space.check(means)


def test_small_eigenvalues_survive_large_ones():
    """a^-1 b has eigenvalues 2e30 and 1.5; the second is less than the rounding of the first."""
    space = SPD("affine-invariant")
    a, b = space.check([np.diag([1e-30, 1.0])]), space.check([[[2.0, 1.0], [1.0, 2.0]]])
    exact = np.hypot(np.log(2e30), np.log(1.5))
    for found in (space.distances(a, b), space.distances(b, a), space.paired_distances(a, b)):
        assert_allclose(found.ravel(), exact, rtol=1e-14)
    D = space.distances(np.concatenate([a, b]))
    assert_allclose(D[0, 1], exact, rtol=1e-14)
    rng = np.random.default_rng(0)
    for d in (3, 5):
        A = space.check([np.diag(10.0 ** rng.uniform(-20, 20, d)) for _ in range(30)])
        B = space.check(spd(rng, 30, d))
        assert_allclose(space.distances(A, B), space.distances(B, A).T, rtol=1e-12)


def test_what_is_not_positive_definite():
    good = np.tile(np.eye(2), (3, 1, 1))
    for metric in ("log-euclidean", "affine-invariant"):
        bad = good.copy()
        bad[1, 0, 1] = 1e-6
        with pytest.raises(
            ValueError,
            match=r"Y must hold symmetric matrices, got entries 1e-06 apart from .* in response 1",
        ):
            SPD(metric).check(bad)
        bad = good.copy()
        bad[2] = [[1, 2], [2, 1]]
        with pytest.raises(
            ValueError,
            match=r"positive definite matrices, got the smallest eigenvalue -\S+ in response 2",
        ):
            SPD(metric).check(bad)
        bad[2] = np.diag([1, 0])
        with pytest.raises(ValueError, match=r"the smallest eigenvalue 0.0 in response 2"):
            SPD(metric).check(bad)
    slightly = good * 1e6
    slightly[0, 0, 1] += 1e-3
    assert_array_equal(SPD().check(slightly)[0], [[1e6, 5e-4], [5e-4, 1e6]])


def test_nearest_positive_definite_matrices():
    projected = SPD().project([[[2.0, 4.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, -5.0]]])
    assert_allclose(projected[0], np.full((2, 2), 2.0), atol=1e-10)
    assert_allclose(projected[1], np.diag([1.0, 1e-12]), atol=1e-13)
    SPD().check(projected)


def test_affine_invariant_distances_stay_in_small_memory():
    Y = SPD().check(spd(np.random.default_rng(0), 700))
    space = SPD("affine-invariant")
    tracemalloc.start()
    D = space.distances(Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < D.nbytes + 6 * 8 * CHUNK
    rng = np.random.default_rng(1)
    i, j = rng.integers(0, 700, (2, 200))  # across the borders of chunks
    assert_allclose(D[i, j], space.paired_distances(Y[i], Y[j]), atol=1e-10)
    assert_array_equal(D, D.T)


# Rotations


def as_form(form, matrices):
    return matrices if form == "matrix" else Rotation.from_matrix(matrices).as_quat()


both_forms = pytest.mark.parametrize(
    ("form", "distance"), [("matrix", reference.rotation), ("quaternion", reference.quaternion)]
)


@both_forms
def test_angles_of_rotations_match_the_trace(form, distance):
    space = Rotations(form)
    Y = space.check(as_form(form, Rotation.random(20, random_state=0).as_matrix()))
    assert_allclose(space.distances(Y), reference.matrix(distance, Y, Y), atol=1e-7)


@both_forms
def test_angles_of_rotations_are_exact_at_both_ends(form, distance):
    space = Rotations(form)
    angles = np.array([0, 1e-12, 1e-6, 0.5, np.pi - 1e-6, np.pi, -np.pi, 1.5 * np.pi])
    Y = space.check(
        as_form(form, Rotation.from_rotvec(angles[:, None] * [[0, 0.6, 0.8]]).as_matrix())
    )
    expected = [0, 1e-12, 1e-6, 0.5, np.pi - 1e-6, np.pi, np.pi, np.pi / 2]
    assert_allclose(space.distances(Y)[0], expected, rtol=1e-3, atol=1e-15)
    assert_allclose(space.distances(Y)[0], expected, atol=4e-16 * 4)


def test_a_quaternion_and_its_negative_are_one_rotation():
    rng = np.random.default_rng(0)
    space = Rotations("quaternion")
    Q = Sphere().project(rng.normal(size=(10, 4)))
    Q[0] = [0, 0, -1, 0]  # a rotation by pi: the scalar part has no sign
    Q[1] = [-0.6, 0.8, 0, -0.0]
    Y = space.check(Q)
    assert (Y[:, 3] >= 0).all()
    assert_array_equal(space.check(-Q), Y)
    assert_array_equal(Y[:2], [[0, 0, 1, 0], [-0.6, 0.8, 0, 0]])
    assert_allclose(space.paired_distances(Q, -Q), 0, atol=1e-15)
    assert_allclose(space.distances(Q, -Q), space.distances(Y), atol=1e-14)
    assert_allclose(space.embed(-Q), space.embed(Y), atol=1e-14)
    weights = random_weights(rng, 3, 10)
    signs = rng.choice([-1, 1], size=(10, 1))
    assert_allclose(space.mean(space.check(signs * Q), weights), space.mean(Y, weights), atol=1e-12)


def test_both_forms_of_rotations_agree():
    matrices = Rotation.random(10, random_state=1).as_matrix()
    a, b = Rotations("matrix"), Rotations("quaternion")
    A, B = a.check(matrices), b.check(as_form("quaternion", matrices))
    assert_allclose(a.distances(A), b.distances(B), atol=1e-14)
    assert_allclose(a.embed(A), b.embed(B), atol=1e-14)
    weights = random_weights(np.random.default_rng(0), 4, 10)
    means = Rotation.from_quat(b.mean(B, weights)).as_matrix()
    assert_allclose(a.mean(A, weights), means, atol=1e-8)


def test_rotations_are_invariant_on_both_sides():
    rng = np.random.default_rng(4)
    space = Rotations()
    Y = Rotation.from_rotvec(0.6 * rng.normal(size=(9, 3))).as_matrix()
    left, right = Rotation.random(2, random_state=5).as_matrix()
    weights = random_weights(rng, 4, 9)
    moved = space.check(left @ Y @ right)
    assert_allclose(space.distances(moved), space.distances(Y), atol=1e-13)
    assert_allclose(space.mean(moved, weights), left @ space.mean(Y, weights) @ right, atol=1e-8)


def test_mean_rotations_are_found_by_search():
    rng = np.random.default_rng(6)
    space = Rotations()
    Y = Rotation.from_rotvec(0.8 * rng.normal(size=(6, 3))).as_matrix()
    weights = random_weights(rng, 2, 6)
    for mean, w in zip(space.mean(Y, weights), weights.toarray(), strict=True):
        starts = [np.full(3, 0.1), np.array([1.0, -1, 0])]
        found, least = reference.search_mean(
            reference.rotation, reference.rotation_matrix, starts, Y, w
        )
        assert reference.spread(reference.rotation, mean, Y, w) <= least + 1e-9
        assert_allclose(mean, found, atol=1e-4)


def test_known_mean_rotations():
    space = Rotations()
    Y = space.check([turn_about_z(a) for a in (0.2, 1.0, 2.4)])
    for w in ([1, 1, 1], [6, 1, 1]):
        expected = turn_about_z(np.dot(w, [0.2, 1.0, 2.4]) / np.sum(w))
        assert_allclose(space.mean(Y, weights_of(w)), [expected], atol=1e-9)
    # half a turn apart: half way, in one of the two directions
    opposite = space.check([EYE, turn_about_z(np.pi)])
    mean = space.mean(opposite, HALF)
    assert_allclose(space.distances(mean, opposite), np.pi / 2, atol=1e-9)
    # no chordal mean at all: the four half turns are at right angles as quaternions
    four = Rotations("quaternion").check(np.eye(4))
    mean = Rotations("quaternion").mean(four, weights_of([1] * 4))
    assert_allclose(np.linalg.norm(mean), 1)
    spread = np.mean(Rotations("quaternion").distances(mean, four) ** 2)
    assert spread <= 0.75 * np.pi**2  # that of each of the four


def test_what_is_no_rotation():
    good = np.tile(EYE, (3, 1, 1))
    bad = good.copy()
    bad[1, 0, 0] = -1
    with pytest.raises(
        ValueError, match=r"rotation matrices, got the determinant -1.0 in resp.* 1"
    ):
        Rotations().check(bad)
    bad = good.copy()
    bad[2] *= 1.001
    with pytest.raises(ValueError, match=r"got columns 0.002\d* from orthonormal in response 2"):
        Rotations().check(bad)
    with pytest.raises(
        ValueError, match=r"^q must hold unit vectors, got the norm 2.0 in resp.* 0"
    ):
        Rotations("quaternion").check([[0, 0, 0, 2]], name="q")
    near = Rotations().check(good * (1 + 4e-7))
    assert_allclose(near, good, atol=1e-15)


def test_nearest_rotations():
    R = Rotation.random(5, random_state=2).as_matrix()
    space = Rotations()
    assert_allclose(space.project(7 * R), R, atol=1e-14)
    for matrix in space.project(np.stack([np.diag([1.0, 1, -1]), np.zeros((3, 3)), -EYE])):
        space.check([matrix])
    quaternions = Rotations("quaternion").project([[0, 0, 0, -3], [0, 0, 0, 0], [0, 0, 5, 0]])
    assert_array_equal(quaternions, [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 0]])


# Shapes


@pytest.mark.parametrize(("k", "d"), [(3, 2), (5, 2), (4, 3)])
def test_distances_of_shapes_match_a_search_over_rotations(k, d):
    Y = np.random.default_rng(k).normal(size=(5, k, d))
    space = KendallShape()
    expected = reference.matrix(reference.shape, Y, Y)
    assert_allclose(space.distances(space.check(Y)), expected, atol=1e-6)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_shapes_do_not_see_similarities(d):
    rng = np.random.default_rng(d)
    space = KendallShape()
    X = rng.normal(size=(6, 7, d))
    moved = np.stack(
        [rng.exponential() * x @ _random_rotation(rng, d) + rng.normal(0, 10, size=d) for x in X]
    )
    A, B = space.check(X), space.check(moved)
    assert_allclose(np.linalg.norm(A, axis=(1, 2)), 1)
    assert_allclose(A.mean(axis=1), 0, atol=1e-15)
    assert_allclose(space.paired_distances(A, B), 0, atol=1e-13)
    assert_allclose(np.diag(space.distances(A, B)), 0, atol=1e-13)
    assert_allclose(space.distances(B), space.distances(A), atol=1e-12)
    weights = random_weights(rng, 4, 6)
    pairs = space.paired_distances(space.mean(B, weights), space.mean(A, weights))
    assert_allclose(pairs, 0, atol=1e-6)


def _random_rotation(rng, d):
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    Q[:, 0] *= np.sign(np.linalg.det(Q))
    return Q


def test_a_mirror_image_is_another_shape():
    space = KendallShape()
    triangle = np.array([[0.0, 0], [1, 0], [0, 2]])
    assert space.distance(triangle, triangle * [-1, 1]) > 0.1
    assert space.distance(triangle, triangle @ [[0, 1], [-1, 0]]) == pytest.approx(0, abs=1e-15)
    # in space a flat figure can be turned over, a solid one cannot
    flat = np.column_stack([triangle, np.zeros(3)])
    assert space.distance(flat, flat * [-1, 1, 1]) == pytest.approx(0, abs=1e-14)
    solid = np.random.default_rng(0).normal(size=(5, 3))
    assert space.distance(solid, solid * [-1, 1, 1]) > 0.1
    assert space.distance(solid, solid * [-1, -1, 1]) == pytest.approx(0, abs=1e-14)


def test_triangles_live_on_a_sphere():
    """Kendall 1984: shapes of triangles are a sphere of radius 1/2, mirror images antipodal."""
    space = KendallShape()
    angles = np.arange(3) * 2 * np.pi / 3
    equilateral = np.column_stack([np.cos(angles), np.sin(angles)])
    assert_allclose(space.distance(equilateral, equilateral * [1, -1]), np.pi / 2)
    line = np.array([[-1.0, 0], [0, 0], [1, 0]])
    assert_allclose(space.distance(equilateral, line), np.pi / 4)


def test_close_shapes_keep_their_distances():
    rng = np.random.default_rng(1)
    space = KendallShape()
    for d in (2, 3):
        base = space.check(rng.normal(size=(1, 6, d)))
        step = rng.normal(size=base.shape)
        size = np.array([1e-2, 2e-3, 1e-3, 5e-4, 1e-6, 1e-10, 0])
        near = space.check(base + size[:, None, None] * step)
        found = space.distances(base, near)[0]
        assert_allclose(
            found, space.paired_distances(np.repeat(base, 7, axis=0), near), rtol=1e-5, atol=1e-15
        )
        assert_allclose(found[1:6] / size[1:6], found[2] / size[2], rtol=1e-2)
        assert found[6] < 1e-15


@pytest.mark.parametrize(("k", "d"), [(3, 2), (4, 2), (4, 3)])
def test_mean_shapes_are_found_by_search(k, d):
    rng = np.random.default_rng(2)
    space = KendallShape()
    base = rng.normal(size=(k, d))
    Y = space.check(base + 0.3 * rng.normal(size=(5, k, d)))
    weights = random_weights(rng, 2, 5)
    # the search needs thousands of distances; the test above has compared these with a search
    distance = lambda a, b: space.paired_distances(a[None], b[None])[0]
    for mean, w in zip(space.mean(Y, weights), weights.toarray(), strict=True):
        chart = lambda v: reference.preshape(v.reshape(k, d))
        found, least = reference.search_mean(distance, chart, [base.ravel()], Y, w)
        assert reference.spread(distance, mean, Y, w) <= least + 1e-9
        assert space.distance(mean, found) < 1e-3


def test_the_mean_of_two_shapes_is_half_way():
    rng = np.random.default_rng(3)
    space = KendallShape()
    Y = space.check(rng.normal(size=(2, 5, 3)))
    total = space.distances(Y)[0, 1]
    assert_allclose(space.distances(space.mean(Y, HALF), Y), total / 2, atol=1e-9)
    quarter = space.distances(space.mean(Y, weights_of([3, 1])), Y)
    assert_allclose(quarter, [[total / 4, 0.75 * total]], atol=1e-9)


def test_landmarks_in_one_place():
    Y = np.random.default_rng(0).normal(size=(3, 4, 2))
    Y[1] = [0.1, 0.3]
    message = (
        r"Y must hold landmarks that are not all equal, got all of them at \[0.1 0.3\] in .* 1"
    )
    with pytest.raises(ValueError, match=message):
        KendallShape().check(Y)
    projected = KendallShape().project(Y)
    assert_allclose(np.linalg.norm(projected, axis=(1, 2)), 1)
    assert_allclose(projected[[0, 2]], KendallShape().check(Y[[0, 2]]))


def test_two_landmarks_have_one_shape_only():
    Y = KendallShape().check(np.random.default_rng(0).normal(size=(4, 2, 3)))
    assert_allclose(KendallShape().distances(Y), 0, atol=1e-7)


# Karcher's iteration and work in chunks


def test_means_in_batches_are_means(monkeypatch):
    rng = np.random.default_rng(0)
    cases = [
        (Sphere(), Sphere().project(rng.normal(size=(20, 3)) + 1)),
        (SPD("affine-invariant"), spd(rng, 20)),
        (KendallShape(), KendallShape().check(rng.normal(size=(20, 4, 2)))),
    ]
    weights = random_weights(rng, 9, 20)
    for space, Y in cases:
        expected = space.mean(Y, weights)
        with monkeypatch.context() as patch:
            patch.setattr(_karcher, "CHUNK", 45 * Y[0].size)
            sizes = [s.stop - s.start for s in _karcher._batches(weights, Y[0].size)]
            assert sizes == [2, 2, 2, 2, 1]
            assert_allclose(space.mean(Y, weights), expected, rtol=1e-12, atol=1e-12)
            patch.setattr(_karcher, "CHUNK", 1)
            assert_allclose(space.mean(Y, weights), expected, rtol=1e-12, atol=1e-12)


def test_means_that_do_not_settle_are_reported(monkeypatch):
    rng = np.random.default_rng(0)
    Y, weights = spd(rng, 20), random_weights(rng, 3, 20)
    monkeypatch.setattr(_karcher, "_MAX_STEPS", 1)
    with pytest.warns(ConvergenceWarning, match="3 of 3 Fréchet means have not converged"):
        SPD("affine-invariant").mean(Y, weights)


def test_widely_spread_matrices_have_means():
    """With whole steps the iteration would diverge: eigenvalues differ by 1e12."""
    rng = np.random.default_rng(4)
    Q = np.linalg.qr(rng.normal(size=(12, 3, 3)))[0]
    Y = SPD("affine-invariant").check(
        (Q * np.exp(rng.uniform(-14, 14, size=(12, 1, 3)))) @ Q.transpose(0, 2, 1)
    )
    weights = random_weights(rng, 5, 12)
    space = SPD("affine-invariant")
    means = space.mean(Y, weights)
    logs = _log_mean(means, Y, weights)
    assert np.linalg.norm(logs, axis=(1, 2)).max() < 1e-5


def _log_mean(means, Y, weights):
    """The gradient: the weighted mean of the logarithms at every mean."""
    found = []
    for mean, w in zip(means, weights.toarray(), strict=True):
        back = reference.of_eigenvalues(lambda x: x**-0.5, mean)
        logs = [reference.of_eigenvalues(np.log, back @ y @ back) for y in Y]
        found.append(np.tensordot(w, logs, axes=1))
    return np.array(found)


@pytest.mark.parametrize("n", [1, 2, 5, 50])
def test_symmetric_matrices_in_chunks(n, monkeypatch):
    for chunk in (1, 3 * n, CHUNK):
        monkeypatch.setattr("manifoldforest.spaces._chunks.CHUNK", chunk)
        A = np.random.default_rng(n).normal(size=(n, n))
        B = A.copy()
        mirror_upper(B)
        assert_array_equal(B, np.triu(A, 1) + np.triu(A, 1).T)
        B = A.copy()
        take_symmetric(B)
        expected = np.minimum(A, A.T)
        np.fill_diagonal(expected, 0)
        assert_array_equal(B, expected)
