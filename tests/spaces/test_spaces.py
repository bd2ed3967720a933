"""What all response spaces have in common: values, canonical forms, distances, means, refusals."""

import pickle
import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array, csr_matrix
from scipy.spatial.distance import cdist
from scipy.spatial.transform import Rotation
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid

import manifoldforest as mf
from manifoldforest.spaces import (
    NAMES,
    SPD,
    Circle,
    Euclidean,
    Frobenius,
    FromCallable,
    FromGeomstats,
    Isomap,
    KendallShape,
    Precomputed,
    Rotations,
    Space,
    Sphere,
    Wasserstein1D,
    as_space,
)


def absolute(a, b):
    return abs(a - b)


def weighted(responses, weights):
    return float(np.dot(weights, responses))


def spd(rng, n, d=3):
    A = rng.normal(size=(n, d, 2 * d))
    return A @ A.transpose(0, 2, 1)


def units(rng, n, d=3):
    Y = rng.normal(size=(n, d))
    return Y / np.linalg.norm(Y, axis=1, keepdims=True)


def metric_table(rng, n):
    points = rng.normal(size=(n, 2))
    return cdist(points, points)


TABLE = metric_table(np.random.default_rng(5), 40)

# A factory of every kind, with n random responses.
EXAMPLES = {
    "Euclidean": (Euclidean, lambda rng, n: rng.normal(size=(n, 3))),
    "Euclidean, numbers": (Euclidean, lambda rng, n: rng.normal(size=n)),
    "Frobenius": (Frobenius, lambda rng, n: rng.normal(size=(n, 2, 3))),
    "Circle": (Circle, lambda rng, n: rng.uniform(-20, 20, n)),
    "Circle geodesic": (
        lambda: Circle(24, split="geodesic"),
        lambda rng, n: rng.uniform(-50, 50, n),
    ),
    "Sphere": (Sphere, units),
    "Sphere geodesic": (
        lambda: Sphere(split="geodesic"),
        lambda rng, n: units(rng, n, 5),
    ),
    "SPD": (SPD, spd),
    "SPD affine-invariant": (lambda: SPD("affine-invariant"), spd),
    "Rotations": (Rotations, lambda rng, n: Rotation.random(n, random_state=rng).as_matrix()),
    "Rotations quaternion": (lambda: Rotations("quaternion"), lambda rng, n: units(rng, n, 4)),
    "Rotations geodesic": (
        lambda: Rotations(split="geodesic"),
        lambda rng, n: Rotation.random(n, random_state=rng).as_matrix(),
    ),
    "KendallShape": (KendallShape, lambda rng, n: rng.normal(3, 2, size=(n, 5, 2))),
    "KendallShape, solid": (KendallShape, lambda rng, n: rng.normal(size=(n, 6, 3))),
    "Wasserstein1D": (
        lambda: Wasserstein1D(n_quantiles=np.int64(12)),
        lambda rng, n: [rng.normal(size=rng.integers(1, 40)) for _ in range(n)],
    ),
    "Isomap": (lambda: Isomap(n_neighbors=3), lambda rng, n: rng.normal(size=(n, 2))),
    "Precomputed": (lambda: Precomputed(TABLE), lambda rng, n: rng.permutation(len(TABLE))[:n]),
    "FromCallable": (
        lambda: FromCallable(absolute, mean=weighted),
        lambda rng, n: rng.normal(size=n).tolist(),
    ),
    "FromCallable without mean": (
        lambda: FromCallable(absolute),
        lambda rng, n: rng.normal(size=n).tolist(),
    ),
}
every_space = pytest.mark.parametrize(("make", "draw"), EXAMPLES.values(), ids=EXAMPLES)

EMBEDS = {
    "Euclidean",
    "Euclidean, numbers",
    "Frobenius",
    "Circle",
    "Sphere",
    "SPD",
    "Rotations",
    "Rotations quaternion",
    "Wasserstein1D",
}
NO_MEAN = {"Isomap", "Precomputed", "FromCallable without mean"}


def some(make, draw, n=12, seed=0):
    space = make()
    return space, space.check(draw(np.random.default_rng(seed), n))


def random_weights(rng, q, n, share=1.0):
    weights = rng.exponential(size=(q, n)) * (rng.random((q, n)) <= share)
    weights[np.arange(q), rng.integers(0, n, q)] += 0.1
    return csr_matrix(weights / weights.sum(axis=1, keepdims=True))


def taken(Y, indices):
    return [Y[i] for i in indices] if isinstance(Y, list) else Y[indices]


# Values


def test_the_package_exports_spaces():
    assert mf.spaces.Sphere is Sphere
    assert "spaces" in mf.__all__
    own = {
        kind.__name__
        for kind in Space.__subclasses__()
        if not kind.__subclasses__() and kind.__module__.startswith("manifoldforest.spaces")
    }
    assert own <= set(mf.spaces.__all__)


@every_space
def test_equal_parameters_make_equal_objects(make, draw):
    space = make()
    assert isinstance(space, Space)
    assert isinstance(space, BaseEstimator)
    assert space == make()
    assert hash(space) == hash(make())
    assert clone(space) == space
    assert clone(space) is not space
    assert pickle.loads(pickle.dumps(space)) == space
    assert space != "sphere"


def test_different_spaces_are_not_equal():
    spaces = {}
    for name, (make, _) in EXAMPLES.items():
        spaces.setdefault(repr(make()), (name, make()))
    assert len(spaces) == len(EXAMPLES) - 2  # Euclidean and KendallShape stand there twice
    for i, (_, a) in enumerate(spaces.values()):
        assert [a == b for _, b in spaces.values()] == [i == j for j in range(len(spaces))]


def test_values_count_and_not_their_container():
    assert Precomputed([[0, 1], [1, 0]]) == Precomputed(np.array([[0, 1], [1, 0]]))
    assert Precomputed([[0, 1], [1, 0]]) != Precomputed([[0, 2], [2, 0]])
    assert Circle(24) == Circle(24.0)


@every_space
def test_parameters_can_be_read_and_set(make, draw):
    space = make()
    params = space.get_params()
    assert type(space)(**params) == space
    assert space.set_params(**params) is space
    assert space == make()
    with pytest.raises(ValueError, match="nonsense"):
        space.set_params(nonsense=1)


def test_a_changed_parameter_changes_the_value_but_not_the_hash():
    space = Circle()
    before = hash(space)
    assert space.set_params(period=24) != Circle()
    assert hash(space) == before
    # nested parameters reach a space through an estimator's grid
    assert [Circle().set_params(**p).period for p in ParameterGrid({"period": [7, 24]})] == [7, 24]


def test_a_clone_shares_what_is_large_or_not_ours():
    assert clone(Precomputed(TABLE)).D is TABLE
    manifold = object()
    assert clone(FromGeomstats(manifold)).manifold is manifold

    class Measure:
        def __call__(self, a, b):
            return abs(a - b)

    measure = Measure()
    space = FromCallable(measure)
    assert clone(space).get_params()["distance"] is measure
    assert clone(space) == space


def test_functions_are_parameters_beside_the_methods_of_their_names():
    space = FromCallable(absolute, weighted)
    assert space.get_params() == {"distance": absolute, "mean": weighted}
    assert space.distance(1, 4) == 3.0
    space.set_params(mean=None)
    assert space == FromCallable(absolute)
    assert not space.has_mean
    assert "absolute" in repr(space)


def test_constructors_only_store():
    D = [["nonsense"]]
    assert Precomputed(D).D is D
    assert Circle(-1).period == -1


def test_names():
    assert list(NAMES) == [
        "euclidean",
        "frobenius",
        "circle",
        "sphere",
        "spd",
        "rotations",
        "kendall",
        "wasserstein",
        "isomap",
    ]
    for name, kind in NAMES.items():
        assert as_space(name) == kind()
    space = Sphere()
    assert as_space(space) is space
    with pytest.raises(ValueError, match=r"space must be one of 'euclidean', .*, got 'plane'"):
        as_space("plane")
    with pytest.raises(TypeError, match=r"space must be one of .* or a Space object, got 3"):
        as_space(3)
    with pytest.raises(TypeError, match="space must be one of .* or a Space object"):
        as_space(Sphere)


@pytest.mark.parametrize(
    ("space", "meant"),
    [
        ("Circle", "'circle'"),
        ("SPHERE ", "'sphere'"),
        ("euclidian", "'euclidean'"),
        ("rotation", "'rotations'"),
        ("log_euclidean", r"SPD\('log-euclidean'\)"),
        ("Log-Euclidian", r"SPD\('log-euclidean'\)"),
        ("affine_invariant", r"SPD\('affine-invariant'\)"),
        ("degree", r"Circle\(360\)"),
        ("so(3)", "'rotations'"),
        ("kendall_shape", "'kendall'"),
        ("precomputed", r"Precomputed\(D\)"),
        ("from_callable", r"FromCallable\(distance\)"),
    ],
)
def test_other_spellings_name_the_space_that_was_meant(space, meant):
    with pytest.raises(ValueError, match=f"got '{re.escape(space)}': did you mean {meant}"):
        as_space(space)


class GeomstatsLike:
    dim = 2
    metric = None


@pytest.mark.parametrize(
    ("space", "meant"),
    [
        (lambda a, b: abs(a - b), r"got <function .*>: a distance .* FromCallable\(distance\)"),
        (np.hypot, r"got <ufunc 'hypot'>: .* FromCallable\(distance\)"),
        (np.eye(3), r"got an array of shape \(3, 3\): .* Precomputed\(D\)"),
        (GeomstatsLike(), r"FromGeomstats\(manifold\)"),
        (Sphere, r"got <class .*Sphere'>: write Sphere\(\), with parentheses"),
        (3, "got 3$"),
        (None, "got None$"),
    ],
)
def test_objects_that_are_no_spaces_name_what_was_meant(space, meant):
    with pytest.raises(TypeError, match=meant):
        as_space(space)
    with pytest.raises(TypeError, match=meant):
        mf.MetricForestRegressor(2, space=space).fit(np.eye(4), np.arange(4.0))


def test_words_that_are_nearly_right_name_the_right_ones():
    with pytest.raises(ValueError, match="got 'log_euclidean': did you mean 'log-euclidean'"):
        SPD("log_euclidean").check(np.eye(2)[None])
    with pytest.raises(ValueError, match="got 'geodesics': did you mean 'geodesic'"):
        Circle(split="geodesics").check([1.0])
    with pytest.raises(ValueError, match="got 'Frechet': did you mean 'frechet'"):
        mf.MetricForestRegressor(prediction="Frechet").fit(np.eye(4), np.arange(4.0))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("space", "responses"),
    [
        (Circle(), np.linspace(-4, 4, 50)),
        (Circle(), np.linspace(0, 8 * 2 * np.pi, 50)),  # eight turns
        (Circle(), 1e6 + np.linspace(0, 6, 50)),
        (Circle(360), np.arange(0.0, 720.0)),
        (Circle(24), np.arange(100.0)),
        (Circle(), [720.0]),
    ],
)
def test_angles_of_a_few_turns_pass(space, responses):
    space.check(responses)


@pytest.mark.parametrize(
    ("space", "responses", "message"),
    [
        (Circle(), np.arange(0.0, 360.0), r"Y spans 57 periods of 6.28.*Circle\(360\) for degrees"),
        (Circle(), np.linspace(-180, 180, 9), r"Y spans 57 periods"),
        (Circle(24), np.arange(0.0, 1440.0), r"Y spans 60 periods of 24: .* set the period;"),
    ],
)
def test_numbers_in_another_unit_warn(space, responses, message):
    with pytest.warns(UserWarning, match=message) as caught:
        canonical = space.check(responses)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what is canonical is in the unit
        space.check(canonical)
        space.check(responses % space.period)


def test_a_forest_warns_of_degrees_once():
    X = np.random.default_rng(0).normal(size=(60, 2))
    degrees = np.degrees(np.arctan2(X[:, 1], X[:, 0]))
    forest = mf.MetricForestRegressor(3, space="circle", random_state=0)
    with pytest.warns(UserWarning, match="spans 5. periods") as caught:
        forest.fit(X, degrees)
    assert len(caught) == 1


APART = np.repeat([[0.0, 0.0], [9.0, 9.0]], 30, axis=0) + np.arange(60)[:, None] / 100


@pytest.mark.parametrize(
    ("space", "responses", "message"),
    [
        (Circle(), np.arange(0.0, 360.0, 6.0), "spans 56 periods"),
        (Isomap(3), APART, "has 2 components"),
    ],
)
def test_warnings_of_spaces_point_at_the_caller_of_fit(space, responses, message):
    X = np.random.default_rng(0).normal(size=(60, 2))
    forest = mf.MetricForestRegressor(3, space=space, random_state=0)
    with pytest.warns(UserWarning, match=message) as caught:
        forest.fit(X, responses)
    assert [warning.filename for warning in caught] == [__file__]


def test_warnings_of_scalings_point_at_the_caller_of_fit():
    X = np.random.default_rng(0).normal(size=(60, 2))
    space = Circle(360, split="geodesic")
    forest = mf.MetricForestRegressor(3, space=space, prediction="drf", random_state=0)
    with pytest.warns(UserWarning, match="are not Euclidean") as caught:
        forest.fit(X, np.arange(0.0, 360.0, 6.0))
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("space", "error", "message"),
    [
        (Circle(0), ValueError, r"Circle.period must be a number in \(0, inf\), got 0"),
        (Circle(np.inf), ValueError, r"Circle.period must be a number in \(0, inf\), got inf"),
        (Circle("24"), TypeError, r"Circle.period must be a number in \(0, inf\), got '24'"),
        (
            Circle(split="arc"),
            ValueError,
            r"Circle.split must be one of 'chordal', 'geodesic', got 'arc'",
        ),
        (Sphere(split=1), TypeError, r"Sphere.split must be one of 'chordal', 'geodesic', got 1"),
        (
            SPD("riemann"),
            ValueError,
            r"SPD.metric must be one of 'log-euclidean', 'affine-invariant', got",
        ),
        (
            Rotations("euler"),
            ValueError,
            r"Rotations.form must be one of 'matrix', 'quaternion', got 'euler'",
        ),
        (
            Rotations(split=""),
            ValueError,
            r"Rotations.split must be one of 'chordal', 'geodesic', got ''",
        ),
        (Wasserstein1D(0), ValueError, r"Wasserstein1D.n_quantiles must be an integer >= 1, got 0"),
        (
            Wasserstein1D(2.5),
            TypeError,
            r"Wasserstein1D.n_quantiles must be an integer >= 1, got 2.5",
        ),
        (Isomap(0), ValueError, r"Isomap.n_neighbors must be an integer >= 1, got 0"),
        (Isomap(True), TypeError, r"Isomap.n_neighbors must be an integer >= 1, got True"),
    ],
)
def test_wrong_parameters_are_named(space, error, message):
    with pytest.raises(error, match=message):
        space.check([0.0])


# Responses


@every_space
def test_canonical_responses_are_those_that_came(make, draw):
    space, Y = some(make, draw)
    assert len(Y) == 12
    if isinstance(Y, np.ndarray):
        assert Y.dtype == (np.int64 if isinstance(space, Precomputed) else np.float64)
        assert Y.flags.c_contiguous
    again = space.check(Y)
    assert type(again) is type(Y)
    assert_allclose(again, Y, rtol=0, atol=1e-14)
    one = space.check(taken(Y, [3]))
    assert_allclose(one, taken(Y, [3]), rtol=0, atol=1e-14)


@every_space
def test_checking_does_not_change_what_is_given(make, draw):
    given = draw(np.random.default_rng(0), 6)
    before = pickle.dumps(given)
    space = make()
    Y = space.check(given)
    space.distances(Y)
    if space.embeds:
        space.embed(Y)
    if space.has_mean:
        space.mean(Y, random_weights(np.random.default_rng(0), 2, 6))
    assert pickle.dumps(given) == before


def test_euclidean_responses_keep_their_axes():
    assert Euclidean().check([1, 2, 3]).shape == (3,)
    assert Euclidean().check([[1], [2], [3]]).shape == (3, 1)
    assert Euclidean().mean(np.array([1.0, 3.0]), csr_matrix([[0.5, 0.5]])) == [2.0]


@pytest.mark.parametrize("kind", [np.float32, np.int16, np.uint8, bool])
def test_any_type_of_numbers(kind):
    Y = Euclidean().check(np.array([[0, 1], [1, 0]], dtype=kind, order="F"))
    assert Y.dtype == np.float64
    assert Y.flags.c_contiguous
    assert_array_equal(Y, [[0, 1], [1, 0]])


def test_tables_are_responses():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=[7, 9])
    assert_array_equal(Euclidean().check(frame), [[1, 3], [2, 4]])
    assert_array_equal(Circle(24).check(frame["a"]), [1, 2])
    assert_array_equal(Precomputed(TABLE).check(frame["a"].astype(int)), [1, 2])
    assert_array_equal(FromCallable(absolute).check(frame), [[1, 3], [2, 4]])
    assert_array_equal(Wasserstein1D(2).check(frame), [[1, 3], [2, 4]])


ARRAYS = {
    "Frobenius": (Frobenius(), np.zeros((4, 2, 3))),
    "Sphere": (Sphere(), np.tile([1.0, 0.0], (4, 1))),
    "SPD": (SPD(), np.tile(np.eye(2), (4, 1, 1))),
    "Rotations": (Rotations(), np.tile(np.eye(3), (4, 1, 1))),
    "Rotations quaternion": (Rotations("quaternion"), np.tile([0.0, 0, 0, 1], (4, 1))),
    "KendallShape": (KendallShape(), np.tile([[0.0, 1], [2, 3]], (4, 1, 1))),
    "Euclidean": (Euclidean(), np.zeros(4)),
    "Circle": (Circle(), np.zeros(4)),
    "Isomap": (Isomap(), np.zeros((4, 2))),
    "Wasserstein1D": (Wasserstein1D(), np.zeros((4, 3))),
}
every_array = pytest.mark.parametrize(("space", "Y"), ARRAYS.values(), ids=ARRAYS)


@every_array
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
def test_numbers_that_cannot_be_squared(space, Y, bad):
    Y = Y.copy()
    Y[(2,) + (0,) * (Y.ndim - 1)] = bad
    message = rf"^truth must hold finite numbers of size 1e\+100 at most, got {bad} in response 2$"
    with pytest.raises(ValueError, match=message.replace("1e+200", r"1e\+200")):
        space.check(Y, name="truth")


@every_array
@pytest.mark.parametrize(
    ("given", "got"),
    [
        (None, "None"),
        ("angles", "an object of type str"),
        (3.5, "an object of type float"),
        ({1.0, 2.0}, "an object of type set"),
        ({"a": 1}, "an object of type dict"),
    ],
)
def test_what_is_no_array(space, Y, given, got):
    with pytest.raises(TypeError, match=f"truth must be .*, got {got}$"):
        space.check(given, name="truth")


@every_array
def test_sparse_responses_are_refused(space, Y):
    with pytest.raises(TypeError, match="Y must be .*, got .*csr_matrix"):
        space.check(csr_matrix(np.eye(3)))


@every_array
def test_no_responses(space, Y):
    with pytest.raises(ValueError, match=r"Y must be .*, got (the shape \(0.*\)|no samples)"):
        space.check(Y[:0])


@every_array
def test_entries_that_are_no_numbers(space, Y):
    for strange in (Y.astype(str), Y.astype(complex), Y.astype("datetime64[s]")):
        with pytest.raises(TypeError, match="Y must .*, got entries of type"):
            space.check(strange)


@pytest.mark.parametrize(
    ("space", "shape", "expected"),
    [
        (Euclidean(), (4, 2, 2), r"numbers in an array of shape \(n,\) or \(n, q\)"),
        (Euclidean(), (4, 0), r"numbers in an array of shape \(n,\) or \(n, q\)"),
        (Isomap(), (4, 2, 2), r"numbers in an array of shape \(n,\) or \(n, q\)"),
        (Frobenius(), (4, 2), r"matrices in an array of shape \(n, a, b\)"),
        (Circle(), (4, 1), r"numbers in an array of shape \(n,\)"),
        (Sphere(), (4,), r"unit vectors in an array of shape \(n, d\) with d >= 2"),
        (Sphere(), (4, 1), r"unit vectors in an array of shape \(n, d\) with d >= 2"),
        (SPD(), (4, 2, 3), r"symmetric positive definite matrices in an array of shape"),
        (SPD(), (4, 4), r"symmetric positive definite matrices in an array of shape"),
        (Rotations(), (4, 2, 2), r"rotation matrices in an array of shape \(n, 3, 3\)"),
        (Rotations(), (4, 4), r"rotation matrices in an array of shape \(n, 3, 3\)"),
        (Rotations("quaternion"), (4, 3), r"unit quaternions in an array of shape \(n, 4\)"),
        (Rotations("quaternion"), (4, 3, 3), r"unit quaternions in an array of shape \(n, 4\)"),
        (KendallShape(), (4, 1, 2), r"landmarks in an array of shape \(n, k, d\) with k >= 2"),
        (KendallShape(), (4, 3, 1), r"landmarks in an array of shape \(n, k, d\) with k >= 2"),
        (KendallShape(), (4, 6), r"landmarks in an array of shape \(n, k, d\) with k >= 2"),
    ],
)
def test_wrong_shapes(space, shape, expected):
    got = str(shape).replace("(", r"\(").replace(")", r"\)")
    with pytest.raises(ValueError, match=f"^Y must be {expected}.*, got the shape {got}$"):
        space.check(np.ones(shape))


def test_rows_of_different_lengths():
    with pytest.raises(ValueError, match="Y must be unit vectors in an array"):
        Sphere().check([[1, 0], [1, 0, 0]])


# Distances


@every_space
def test_distances_are_symmetric_with_zeros(make, draw):
    space, Y = some(make, draw)
    D = space.distances(Y)
    assert D.shape == (12, 12)
    assert D.dtype == np.float64
    assert_array_equal(D, D.T)
    assert_array_equal(np.diag(D), np.zeros(12))
    assert (D[~np.eye(12, dtype=bool)] > 0).all()


@every_space
def test_distances_obey_the_triangle_inequality(make, draw):
    space, Y = some(make, draw, n=25, seed=1)
    D = space.distances(Y)
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()
    S = space.split_distances(Y)
    assert (S[:, None, :] <= S[:, :, None] + S[None, :, :] + 1e-12).all()


@every_space
def test_all_ways_to_measure_agree(make, draw):
    space, Y = some(make, draw)
    D = space.distances(Y)
    first, second = taken(Y, range(5)), taken(Y, range(5, 12))
    assert_allclose(space.distances(first, second), D[:5, 5:], rtol=1e-12, atol=1e-12)
    assert_allclose(space.distances(second, first), D[5:, :5], rtol=1e-12, atol=1e-12)
    order = np.random.default_rng(0).permutation(12)
    pairs = space.paired_distances(Y, taken(Y, order))
    assert pairs.shape == (12,)
    assert_allclose(pairs, D[np.arange(12), order], rtol=1e-12, atol=1e-12)
    found = space.distance(Y[0], Y[1])
    assert type(found) is float
    assert_allclose(found, D[0, 1], rtol=1e-12, atol=1e-12)


@every_space
def test_equal_responses_have_distance_zero(make, draw):
    space, Y = some(make, draw)
    twice = taken(Y, [0, 1, 0, 2, 0])
    D = space.distances(twice)
    assert_allclose(D[0, [0, 2, 4]], 0, atol=1e-12)
    assert_allclose(space.distances(twice, twice)[0, [0, 2, 4]], 0, atol=1e-12)
    assert_allclose(space.paired_distances(twice, twice), 0, atol=1e-12)


@every_array
def test_one_response_has_one_distance(space, Y):
    Y = space.check(Y[:1])
    assert_array_equal(space.distances(Y), [[0.0]])


def test_a_pair_must_have_one_shape():
    with pytest.raises(ValueError, match=r"b must have the shape of a, \(2,\), got \(3,\)"):
        Sphere().distance([1, 0], [1, 0, 0])
    with pytest.raises(ValueError, match=r"^b must hold unit vectors, got the norm 2.0 in"):
        Sphere().distance([1, 0], [2, 0])


def test_a_space_is_a_metric_for_an_index():
    Y = units(np.random.default_rng(0), 50).astype(np.float32)
    index = mf.BoundaryIndex(metric=Sphere(), random_state=0)
    index.add(Y)
    distances, ids = index.query(Y[:5], k=1)
    assert_array_equal(np.ravel(ids), np.arange(5))
    assert_allclose(np.ravel(distances), 0, atol=1e-6)


# Splits


@pytest.mark.parametrize("name", EXAMPLES)
def test_which_spaces_embed_and_which_have_means(name):
    space = EXAMPLES[name][0]()
    assert space.embeds is (name in EMBEDS)
    assert space.has_mean is (name not in NO_MEAN)


@every_space
def test_embeddings(make, draw):
    space, Y = some(make, draw)
    if not space.embeds:
        with pytest.raises(NotImplementedError, match="has no embedding"):
            space.embed(Y)
        return
    points = space.embed(Y)
    assert points.ndim == 2
    assert points.dtype == np.float64
    arc = space.distances(Y)
    if isinstance(space, Circle | Sphere | Rotations):  # chords, 2 sin(arc / 2) for radius 1
        radius = space.period / (2 * np.pi) if isinstance(space, Circle) else 1.0
        expected = 2 * radius * np.sin(arc / (2 * radius))
    else:
        expected = arc
    assert_allclose(cdist(points, points), expected, atol=1e-12)


@every_space
def test_split_distances_are_distances(make, draw):
    space, Y = some(make, draw)
    if not isinstance(space, Isomap):
        assert_array_equal(space.split_distances(Y), space.distances(Y))


# Means


@every_space
def test_the_mean_of_one_response_is_that_response(make, draw):
    space, Y = some(make, draw)
    if not space.has_mean:
        with pytest.raises(NotImplementedError, match="has no mean"):
            space.mean(Y, csr_matrix(np.eye(12)))
        return
    means = space.mean(Y, csr_matrix(np.eye(12)[[3, 5]]))
    assert len(means) == 2
    assert_allclose(space.paired_distances(means, taken(Y, [3, 5])), 0, atol=1e-7)


@every_space
def test_means_are_responses_with_the_smallest_spread(make, draw):
    space, Y = some(make, draw)
    if not space.has_mean:
        return
    rng = np.random.default_rng(3)
    weights = random_weights(rng, 6, 12, share=0.5)
    means = space.check(space.mean(Y, weights))
    assert np.shape(means) == np.shape(taken(Y, range(6)))
    squares = weights.toarray() @ space.distances(Y) ** 2
    mine = np.sum(weights.toarray() * space.distances(means, Y) ** 2, axis=1)
    assert (mine <= squares.min(axis=1) + 1e-9).all()


@every_space
def test_means_do_not_depend_on_order_nor_company(make, draw):
    space, Y = some(make, draw)
    if not space.has_mean:
        return
    rng = np.random.default_rng(4)
    weights = random_weights(rng, 5, 12, share=0.4)
    means = space.mean(Y, weights)
    alone = space.mean(Y, weights[2])
    assert_allclose(space.paired_distances(alone, taken(means, [2])), 0, atol=1e-9)
    order = rng.permutation(12)
    shuffled = space.mean(taken(Y, order), weights[:, order])
    assert_allclose(space.paired_distances(shuffled, means), 0, atol=1e-6)


@every_space
def test_the_mean_of_equal_responses(make, draw):
    space, Y = some(make, draw)
    if not space.has_mean:
        return
    weights = random_weights(np.random.default_rng(0), 2, 6)
    means = space.mean(taken(Y, [1] * 6), weights)
    assert_allclose(space.paired_distances(means, taken(Y, [1, 1])), 0, atol=1e-9)


def test_weights_may_have_any_sparse_form():
    Y = np.array([1.0, 2.0, 4.0])
    weights = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    expected = [1.5, 4.0]
    assert_allclose(Euclidean().mean(Y, coo_array(weights)), expected)
    doubled = csr_matrix((np.full(4, 0.25), [0, 0, 1, 1], [0, 4]), shape=(1, 3))
    assert_allclose(Euclidean().mean(Y, doubled), [1.5])
    assert FromCallable(absolute, lambda Y, w: len(Y)).mean([1, 2, 4], doubled) == [2]
    stored_zero = csr_matrix((np.array([0.0, 1.0]), [0, 2], [0, 2]), shape=(1, 3))
    assert FromCallable(absolute, lambda Y, w: len(Y)).mean([1, 2, 4], stored_zero) == [1]
    # the caller's weights stay as they are
    assert doubled.nnz == 4
    assert stored_zero.nnz == 2


def test_float32_weights():
    weights = csr_matrix(np.full((1, 3), 1 / 3, dtype=np.float32))
    assert_allclose(Euclidean().mean(np.array([1.0, 2.0, 4.0]), weights), [7 / 3], rtol=1e-15)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (np.eye(3), TypeError, "weights must be a sparse matrix, got an object of type ndarray"),
        (csr_matrix(np.eye(2)), ValueError, r"one column for each of the 3 responses, got .*2, 2"),
        (csr_matrix([[2, -1, 0]]), ValueError, "weights must be numbers >= 0, got -1"),
        (csr_matrix([[np.nan, 1, 0]]), ValueError, "weights must be numbers >= 0, got nan"),
        (csr_matrix([[1, 0, 0], [0.5, 0.4, 0]]), ValueError, "sum to 1, got 0.9 in row 1"),
        (csr_matrix((1, 3)), ValueError, "rows that sum to 1, got 0.0 in row 0"),
    ],
)
def test_wrong_weights(weights, error, message):
    with pytest.raises(error, match=message):
        Euclidean().mean(np.array([1.0, 2.0, 3.0]), weights)


# Projection


@every_space
def test_responses_are_their_own_projections(make, draw):
    space, Y = some(make, draw)
    if isinstance(Y, list):
        assert space.project(Y) is Y
    else:
        assert_allclose(space.project(Y), Y, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["Circle", "Sphere", "SPD", "Rotations", "Rotations quaternion", "KendallShape"]
)
@pytest.mark.parametrize("value", [0.0, 1.0, -3.0, 1e-200, 1e90])
def test_projections_belong_to_the_space(name, value):
    space, Y = some(*EXAMPLES[name])
    anything = np.concatenate([np.full_like(Y, value), Y + value, value * Y])
    projected = space.project(anything)
    assert projected.shape == anything.shape
    assert_allclose(space.check(projected), projected, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize("name", ["Sphere", "Rotations", "Rotations quaternion"])
def test_projections_are_nearest(name):
    space, Y = some(*EXAMPLES[name], n=200)
    rng = np.random.default_rng(8)
    anything = 2 * rng.normal(size=(20, *Y.shape[1:]))
    flat = lambda values: values.reshape(len(values), -1)
    projected = np.linalg.norm(flat(anything - space.project(anything)), axis=1)
    if name == "Rotations quaternion":  # either sign may be the nearer one
        other = np.linalg.norm(flat(anything + space.project(anything)), axis=1)
        projected = np.minimum(projected, other)
    assert (projected[:, None] <= cdist(flat(anything), flat(Y)) + 1e-12).all()
