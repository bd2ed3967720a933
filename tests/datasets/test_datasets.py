"""Tests of the simulated problems, their transformations, and the readers of stored data.

Statements about distributions are tested with a false-alarm rate of 1e-4 each; the seeds are
fixed, so a test that has passed once passes always.
"""

from __future__ import annotations

import inspect
import math
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from scipy import stats
from sklearn.utils import Bunch

from manifoldforest import datasets
from manifoldforest.datasets import (
    add_outliers,
    apply_random_map,
    bayes_error,
    load_dna,
    load_faces,
    load_letter,
    load_mnist,
    load_pendigits,
    load_time_series,
    load_uci,
    make_bars,
    make_circle,
    make_impulse,
    make_sparse_parity,
    make_swiss_roll_responses,
    make_trunk,
)

FALSE_ALARM = 1e-4
GENERATORS = [
    make_circle,
    make_bars,
    make_impulse,
    make_sparse_parity,
    make_trunk,
    make_swiss_roll_responses,
]
ALTERNATING = [make_circle, make_bars, make_impulse]


def assert_frequencies(values, probabilities):
    """Compare counts of the values 0, 1, ... with their probabilities (chi-square)."""
    expected = len(values) * np.asarray(probabilities, dtype=float)
    observed = np.bincount(np.asarray(values, dtype=np.int64), minlength=len(expected))
    assert len(observed) == len(expected)
    assert (observed[expected == 0] == 0).all()
    rare = (expected < 5) & (expected > 0)  # pool the cells that are too small for the test
    common = expected >= 5
    observed = np.append(observed[common], observed[rare].sum())
    expected = np.append(expected[common], expected[rare].sum())
    if expected[-1] == 0:
        observed, expected = observed[:-1], expected[:-1]
    assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


def assert_standard_normal(z):
    """Compare with the standard normal law: the whole shape, and mean and variance sharply."""
    z = np.ravel(z)
    assert stats.kstest(z, "norm").pvalue > FALSE_ALARM
    assert abs(z.mean()) * math.sqrt(z.size) < stats.norm.isf(FALSE_ALARM / 2)
    lower, upper = stats.chi2.interval(1 - FALSE_ALARM, z.size)
    assert lower < (z**2).sum() < upper


def ring_runs(row):
    """Return starts, lengths and following gaps of the runs of ones on a ring."""
    starts = np.flatnonzero((row == 1) & (np.roll(row, 1) == 0))
    ends = np.flatnonzero((row == 0) & (np.roll(row, 1) == 1))
    ends = np.array([min((e - s) % len(row) for e in ends) for s in starts]) + starts
    gaps = (np.roll(starts, -1) - ends) % len(row)
    return starts, ends - starts, gaps


# --- what all generators share ---------------------------------------------------------------


@pytest.mark.parametrize("make", GENERATORS)
def test_the_seed_decides_the_sample(make):
    X, y = make(20, random_state=3)
    X_again, y_again = make(20, random_state=np.random.RandomState(3))
    X_other, _ = make(20, random_state=4)
    assert np.array_equal(X, X_again)
    assert np.array_equal(y, y_again)
    assert not np.array_equal(X, X_other)
    assert len(make(7)[0]) == 7


@pytest.mark.parametrize("make", GENERATORS)
@pytest.mark.parametrize(
    ("n_samples", "error"),
    [
        (0, ValueError),
        (-1, ValueError),
        (2.0, TypeError),
        (True, TypeError),
        ("10", TypeError),
        (None, TypeError),
    ],
)
def test_generators_refuse_a_bad_number_of_samples(make, n_samples, error):
    with pytest.raises(error, match=r"n_samples must be an integer >= 1, got"):
        make(n_samples)


@pytest.mark.parametrize("make", GENERATORS)
@pytest.mark.parametrize(
    ("random_state", "error"),
    [(-1, ValueError), ("seed", TypeError), (np.random.default_rng(0), TypeError)],
)
def test_generators_refuse_a_bad_random_state(make, random_state, error):
    with pytest.raises(error, match="random_state must be None, an integer"):
        make(5, random_state=random_state)


@pytest.mark.parametrize("make", [make_sparse_parity, make_trunk])
def test_generators_refuse_bad_parameters(make):
    with pytest.raises(ValueError, match="n_features must be an integer >= 1, got 0"):
        make(5, n_features=0)
    message = r"covariance_factor must be a number in \[0, inf\), got"
    for factor in (-1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match=message):
            make(5, covariance_factor=factor)
    for factor in ("4", True):
        with pytest.raises(TypeError, match=message):
            make(5, covariance_factor=factor)


@pytest.mark.parametrize("make", ALTERNATING)
def test_small_samples_are_balanced_first_rows_of_large_ones(make):
    X, y = make(200, random_state=0)
    assert y.dtype == np.int64
    assert np.array_equal(y, np.arange(200) % 2)
    for n in (1, 2, 11, 50):
        X_first, y_first = make(n, random_state=0)
        assert np.array_equal(X_first, X[:n])
        assert np.array_equal(y_first, y[:n])


# --- circle ----------------------------------------------------------------------------------


def test_circle_has_two_separate_segments_of_the_right_lengths():
    X, y = make_circle(3000, random_state=0)
    assert X.shape == (3000, 100)
    assert X.dtype == np.uint8
    assert set(np.unique(X)) == {0, 1}
    for row, label in zip(X, y, strict=True):
        _, lengths, gaps = ring_runs(row)
        assert sorted(lengths) == ([5, 5] if label == 0 else [4, 6])
        assert gaps.min() >= 1
        assert gaps.sum() == 90


def test_circle_segments_lie_uniformly_and_at_every_allowed_distance():
    X, y = make_circle(20000, random_state=1)
    runs = [ring_runs(row) for row in X]
    # Class 1: the segment of four is the first one; the gap behind it has 89 equal chances.
    short = [
        (starts[lengths == 4][0], gaps[lengths == 4][0])
        for (starts, lengths, gaps), label in zip(runs, y, strict=True)
        if label == 1
    ]
    assert_frequencies([start for start, _ in short], np.full(100, 1 / 100))
    assert_frequencies([gap - 1 for _, gap in short], np.full(89, 1 / 89))
    # Class 0: the two segments look alike, so only the smaller gap (1 to 45) can be told.
    smaller = [gaps.min() - 1 for (_, _, gaps), label in zip(runs, y, strict=True) if label == 0]
    assert_frequencies(smaller, np.append(np.full(44, 2 / 89), 1 / 89))


# --- bars ------------------------------------------------------------------------------------


def test_bars_are_full_rows_or_full_columns():
    X, y = make_bars(501, random_state=0)
    assert X.shape == (501, 28, 28)
    assert X.dtype == np.uint8
    assert X.flags.c_contiguous
    rows, columns = X[y == 0], X[y == 1]
    assert set(np.unique(X)) == {0, 1}
    assert (rows == rows[:, :, :1]).all()
    assert (columns == columns[:, :1, :]).all()


def test_bars_have_the_number_and_places_of_poisson_many_throws():
    # Distribution of the number of different rows hit, one throw after the other.
    different = np.zeros(29)
    different[0] = 1.0
    total = np.zeros(29)
    for k in range(80):
        total += stats.poisson.pmf(k, 10) * different
        hit_old = np.arange(29) / 28
        moved = different * (1 - hit_old)
        different = different * hit_old
        different[1:] += moved[:-1]

    X, y = make_bars(20000, random_state=1)
    bars = np.where(y[:, None] == 0, X[:, :, 0], X[:, 0, :])
    assert_frequencies(bars[y == 0].sum(axis=1), total)
    assert_frequencies(bars[y == 1].sum(axis=1), total)
    share = 1 - math.exp(-10 / 28)
    z = (bars.mean(axis=0) - share) / math.sqrt(share * (1 - share) / len(bars))
    assert stats.chi2.sf((z**2).sum(), 28) > FALSE_ALARM


# --- impulse ---------------------------------------------------------------------------------


def test_impulse_is_standard_normal_noise_around_its_curve():
    X, y = make_impulse(4000, random_state=0)
    assert X.shape == (4000, 100)
    assert X.dtype == np.float32
    t = np.arange(100)
    curve = np.where(t >= 20, np.exp(-0.1 * (t - 20)), 0.0)
    assert_standard_normal(X[y == 0])
    assert_standard_normal(X[y == 1] - curve)
    for label, mean in ((0, np.zeros(100)), (1, curve)):
        of_class = X[y == label].astype(float)
        z = (of_class.mean(axis=0) - mean) * math.sqrt(len(of_class))
        assert stats.chi2.sf((z**2).sum(), 100) > FALSE_ALARM


# --- sparse parity ---------------------------------------------------------------------------


@pytest.mark.parametrize("n_features", [1, 2, 3, 20])
def test_sparse_parity_is_the_parity_of_the_first_three_bits(n_features):
    X, y = make_sparse_parity(
        5000, n_features=n_features, covariance_factor=0, random_state=n_features
    )
    assert X.shape == (5000, n_features)
    assert X.dtype == np.float32
    assert y.dtype == np.int64
    bits = X.astype(int)
    assert np.array_equal(bits, X)
    assert np.array_equal(bits[:, :3].sum(axis=1) % 2, y)
    first = bits[:, :3] @ (2 ** np.arange(min(3, n_features)))
    n_patterns = 2 ** min(3, n_features)
    assert_frequencies(first, np.full(n_patterns, 1 / n_patterns))


@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_sparse_parity_noise_has_variance_one_in_32_times_the_factor(factor):
    bits, _ = make_sparse_parity(2000, covariance_factor=0, random_state=0)
    X, _ = make_sparse_parity(2000, covariance_factor=factor, random_state=0)
    assert X.shape == (2000, 20)
    assert_standard_normal((X - bits) / math.sqrt(factor / 32))


# --- Trunk's problem -------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1.0, 16.0])
def test_trunk_is_normal_around_opposite_means(factor):
    X, y = make_trunk(5000, covariance_factor=factor, random_state=0)
    assert X.shape == (5000, 10)
    assert X.dtype == np.float32
    assert_frequencies(y, [0.5, 0.5])
    mean = np.arange(1, 11) ** -0.5
    assert_standard_normal((X - np.where(y[:, None] == 1, mean, -mean)) / math.sqrt(factor))


# --- swiss roll ------------------------------------------------------------------------------


def test_swiss_roll_follows_its_formulas():
    X, on_roll = make_swiss_roll_responses(noise_variance=0, random_state=0)
    assert X.shape == (900, 6)
    assert X.dtype == np.float32
    assert on_roll.shape == (900, 3)
    t, u = np.hypot(on_roll[:, 0], on_roll[:, 2]), on_roll[:, 1]
    assert stats.kstest(t, "uniform", args=(math.pi, 2 * math.pi)).pvalue > FALSE_ALARM
    assert stats.kstest(u, "uniform", args=(0, 21)).pvalue > FALSE_ALARM
    np.testing.assert_allclose(on_roll, np.column_stack([t * np.cos(t), u, t * np.sin(t)]))
    a, b = (t - t.mean()) / t.max(), (u - u.mean()) / u.max()
    np.testing.assert_allclose(X[:, 0], a * np.sqrt(1 - b**2 / 2), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(X[:, 1], b * np.sqrt(1 - a**2 / 2), rtol=1e-5, atol=1e-6)
    assert_standard_normal(X[:, 2:])


def test_swiss_roll_noise_has_variance_one_half():
    X_clean, on_roll = make_swiss_roll_responses(noise_variance=0, random_state=0)
    X, Y = make_swiss_roll_responses(random_state=0)
    assert np.array_equal(X, X_clean)
    assert_standard_normal((Y - on_roll) / math.sqrt(0.5))
    with pytest.raises(ValueError, match=r"noise_variance must be a number in .* got -0.5"):
        make_swiss_roll_responses(noise_variance=-0.5)


# --- transformations -------------------------------------------------------------------------


@pytest.mark.parametrize("n_features", [1, 2, 3, 10, 100])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rotations_are_orthogonal_with_determinant_one(n_features, seed):
    rotation = apply_random_map(np.eye(n_features), "rotate", random_state=seed)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(n_features), atol=1e-12)
    assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_rotations_of_space_are_uniform():
    rotations = np.array(
        [apply_random_map(np.eye(3), "rotate", random_state=s) for s in range(2000)]
    )
    # Archimedes: each coordinate of a uniform point of the sphere is uniform.
    for i, j in np.ndindex(3, 3):
        pvalue = stats.kstest(rotations[:, i, j], "uniform", args=(-1, 2)).pvalue
        assert pvalue > FALSE_ALARM
    # The angle of a uniform rotation has density (1 - cos) / pi.
    angle = np.arccos(np.clip((np.trace(rotations, axis1=1, axis2=2) - 1) / 2, -1, 1))
    assert stats.kstest(angle, lambda a: (a - np.sin(a)) / math.pi).pvalue > FALSE_ALARM


def test_scaling_factors_are_uniform_between_0_and_10():
    factors = apply_random_map(np.ones((2, 3000)), "scale", random_state=0)
    assert np.array_equal(factors[0], factors[1])
    assert stats.kstest(factors[0], "uniform", args=(0, 10)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("kind", ["rotate", "scale", "affine"])
def test_training_and_test_points_share_the_transformation_of_a_seed(kind):
    X = np.random.RandomState(0).standard_normal((30, 6))
    whole = apply_random_map(X, kind, random_state=5)
    parts = [apply_random_map(part, kind, random_state=5) for part in (X[:20], X[20:])]
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-12)
    assert not np.allclose(apply_random_map(X, kind, random_state=6), whole)


def test_affine_is_rotation_then_scaling():
    X = np.random.RandomState(0).standard_normal((30, 6))
    rotated = apply_random_map(X, "rotate", random_state=5)
    rotated_scaled = apply_random_map(rotated, "scale", random_state=5)
    np.testing.assert_array_equal(apply_random_map(X, "affine", random_state=5), rotated_scaled)


def test_random_maps_keep_their_input_and_float32():
    X = np.arange(6, dtype=np.uint8).reshape(2, 3)
    before = X.copy()
    assert apply_random_map(X, random_state=0).dtype == np.float64
    assert apply_random_map(X.astype(np.float32), random_state=0).dtype == np.float32
    assert np.array_equal(X, before)


def test_random_maps_refuse_bad_arguments():
    with pytest.raises(ValueError, match="kind must be one of 'rotate', 'scale', 'affine', got"):
        apply_random_map(np.eye(2), "shear")
    with pytest.raises(ValueError, match=r"X must be a numeric array.*got shape \(3,\)"):
        apply_random_map(np.ones(3))
    with pytest.raises(TypeError, match="X must be a numeric array"):
        apply_random_map([["a", "b"]])


def test_the_seed_of_the_data_may_be_used_again():
    # Both draw uniform numbers first, so one stream would make them proportional.
    _, on_roll = make_swiss_roll_responses(noise_variance=0, random_state=0)
    radius = np.hypot(on_roll[:, 0], on_roll[:, 2])
    factors = apply_random_map(np.ones((1, 900)), "scale", random_state=0)[0]
    assert stats.pearsonr(radius, factors).pvalue > FALSE_ALARM

    X, y = make_trunk(100, random_state=0)
    X_more, y_more = add_outliers(X, y, make_trunk, fraction=1.0, random_state=0)
    signs = 2 * y_more[:, None] - 1
    noise = X_more - signs / np.sqrt(np.arange(1, 11))
    assert stats.pearsonr(noise[:100].ravel(), noise[100:].ravel()).pvalue > FALSE_ALARM


# --- outliers --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [make_sparse_parity, make_trunk])
def test_outliers_follow_the_sample_and_come_from_the_wider_model(make):
    X, y = make(1000, n_features=7, random_state=0)
    X_more, y_more = add_outliers(X, y, make, random_state=1)
    assert X_more.shape == (1200, 7)
    assert X_more.dtype == np.float32
    assert y_more.dtype == np.int64
    assert np.array_equal(X_more[:1000], X)
    assert np.array_equal(y_more[:1000], y)

    # Without noise the added points are their models' centres, with the labels of these.
    centres, labels = add_outliers(X, y, make, covariance_factor=0, random_state=1)
    assert np.array_equal(labels, y_more)
    if make is make_trunk:
        assert np.array_equal(np.sign(centres[1000:, 0]), 2 * labels[1000:] - 1)
        deviation = 2.0
    else:
        assert np.array_equal(centres[1000:, :3].sum(axis=1) % 2, labels[1000:])
        deviation = math.sqrt(4 / 32)
    assert_standard_normal((X_more - centres)[1000:] / deviation)


def test_outliers_in_the_variant_of_the_programs():
    X, y = make_trunk(100, random_state=0)
    X_more, y_more = add_outliers(
        X, y, make_trunk, fraction=0.05, covariance_factor=16, random_state=0
    )
    assert X_more.shape == (105, 10)
    assert y_more.shape == (105,)


def test_no_outliers_gives_a_copy():
    X, y = make_trunk(2, random_state=0)
    X_same, y_same = add_outliers(X, y, make_trunk)
    assert np.array_equal(X_same, X)
    assert np.array_equal(y_same, y)
    assert not np.shares_memory(X_same, X)


def test_outliers_refuse_bad_arguments():
    X, y = make_trunk(10, random_state=0)
    with pytest.raises(ValueError, match=r"fraction must be a number in \[0, inf\), got -0\.2"):
        add_outliers(X, y, make_trunk, fraction=-0.2)
    with pytest.raises(ValueError, match=r"covariance_factor must be a number in \[0, inf\)"):
        add_outliers(X, y, make_trunk, covariance_factor=-1)
    with pytest.raises(ValueError, match=r"y must have one class per row of X, shape \(10,\)"):
        add_outliers(X, y[:9], make_trunk)
    with pytest.raises(TypeError, match="make must be a generator such as make_trunk, got 'trunk'"):
        add_outliers(X, y, "trunk")


# --- Bayes errors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problem", "n_features", "expected"),
    [
        ("impulse", None, 0.1201),
        ("trunk", 2, 0.1103),
        ("trunk", 10, 0.0435),
        ("trunk", None, 0.0435),
        ("trunk", 50, 0.0170),
        ("trunk", 100, 0.0114),
        ("trunk", 500, 0.0046),
        ("trunk", 1000, 0.0031),
        ("sparse_parity", 2, 0.0047),
        ("sparse_parity", 3, 0.0070),
        ("sparse_parity", None, 0.0070),
        ("circle", None, 0.0),
    ],
)
def test_bayes_errors_to_four_digits(problem, n_features, expected):
    assert round(bayes_error(problem, n_features=n_features), 4) == expected


def test_bayes_error_of_bars_is_that_of_blank_images():
    assert bayes_error("bars") == pytest.approx(math.exp(-10) / 2, rel=1e-6)


def best_guess(problem, X):
    """Classify by the likelihood ratio of the problem's definition."""
    if problem == "sparse_parity":
        return (X[:, :3] > 0.5).sum(axis=1) % 2
    if problem == "trunk":
        return X @ np.arange(1, X.shape[1] + 1) ** -0.5 > 0
    t = np.arange(100)
    curve = np.where(t >= 20, np.exp(-0.1 * (t - 20)), 0.0)
    return X @ curve > curve @ curve / 2


@pytest.mark.parametrize("problem", ["impulse", "sparse_parity", "trunk"])
def test_the_best_classifier_reaches_the_bayes_error(problem):
    X, y = getattr(datasets, f"make_{problem}")(50000, random_state=0)
    n_errors = int((best_guess(problem, X) != y).sum())
    assert stats.binomtest(n_errors, len(y), bayes_error(problem)).pvalue > FALSE_ALARM


def test_bayes_error_assumes_the_default_sizes_of_the_generators():
    for problem in ("sparse_parity", "trunk"):
        parameters = inspect.signature(getattr(datasets, f"make_{problem}")).parameters
        default = parameters["n_features"].default
        assert bayes_error(problem) == bayes_error(problem, n_features=default)


def test_bayes_error_refuses_bad_arguments():
    with pytest.raises(ValueError, match=r"problem must be one of 'circle', .*got 'moons'"):
        bayes_error("moons")
    with pytest.raises(ValueError, match="n_features must be None for problem 'impulse', got 3"):
        bayes_error("impulse", n_features=3)
    with pytest.raises(ValueError, match="n_features must be an integer >= 1, got 0"):
        bayes_error("trunk", n_features=0)


# --- loaders ---------------------------------------------------------------------------------

IMAGES = np.arange(5 * 4 * 3, dtype=np.uint8).reshape(5, 4, 3)
TABLE = np.arange(10, dtype=np.float32).reshape(5, 2)
LABELS = np.array([0, 1, 2, 1, 0], dtype=np.uint8)

# loader, its arguments, file, examples, whether the file is split into training and test part
LOADERS = [
    (load_mnist, (), "mnist.npz", IMAGES, True),
    (load_faces, (), "olivetti.npz", IMAGES, False),
    (load_letter, (), "libsvm/letter.npz", TABLE, True),
    (load_pendigits, (), "libsvm/pendigits.npz", TABLE, True),
    (load_dna, (), "libsvm/dna.npz", TABLE, True),
    (load_uci, ("iris",), "uci121/iris.npz", TABLE, False),
    (load_time_series, ("GunPoint",), "ts/GunPoint.npz", TABLE, True),
]
loaders = pytest.mark.parametrize(
    ("load", "args", "file", "X", "split"), LOADERS, ids=[row[0].__name__ for row in LOADERS]
)


@pytest.fixture(autouse=True)
def no_data_folder_and_no_network(monkeypatch):
    """Start every test without a data folder, and make downloads fail."""

    def offline(*args, **kwargs):
        raise URLError("no network in tests")

    monkeypatch.delenv("MANIFOLDFOREST_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", offline)
    monkeypatch.setattr(sklearn.datasets, "fetch_olivetti_faces", offline)


def save(path, **arrays):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)


def arrays_of(X, split):
    if split:
        return {"X_train": X[:3], "y_train": LABELS[:3], "X_test": X[3:], "y_test": LABELS[3:]}
    return {"X": X, "y": LABELS}


@loaders
@pytest.mark.parametrize("by_variable", [False, True])
def test_loaders_read_their_file(tmp_path, monkeypatch, load, args, file, X, split, by_variable):
    arrays = arrays_of(X, split)
    save(tmp_path / file, extra=np.zeros(1), **arrays)
    if by_variable:
        monkeypatch.setenv("MANIFOLDFOREST_DATA", str(tmp_path))
        loaded = load(*args)
    else:
        monkeypatch.setenv("MANIFOLDFOREST_DATA", str(tmp_path / "elsewhere"))
        loaded = load(*args, data_home=tmp_path)
    assert len(loaded) == len(arrays)
    for got, expected in zip(loaded, arrays.values(), strict=True):
        assert np.array_equal(got, expected)
    assert loaded[0].dtype == X.dtype
    assert loaded[1].dtype == np.int64


@loaders
def test_loaders_tell_which_file_is_missing(tmp_path, load, args, file, X, split):
    with pytest.raises(FileNotFoundError) as error:
        load(*args, data_home=tmp_path)
    assert str(tmp_path / file) in str(error.value)
    with pytest.raises(FileNotFoundError, match="pass data_home or set MANIFOLDFOREST_DATA"):
        load(*args)


@loaders
def test_loaders_tell_which_keys_are_missing(tmp_path, load, args, file, X, split):
    arrays = arrays_of(X, split)
    missing, _ = arrays.popitem()
    save(tmp_path / file, **arrays)
    with pytest.raises(ValueError, match="must hold the keys") as error:
        load(*args, data_home=tmp_path)
    assert str(tmp_path / file) in str(error.value)
    assert missing in str(error.value)


@loaders
def test_loaders_refuse_labels_that_do_not_fit(tmp_path, load, args, file, X, split):
    arrays = arrays_of(X, split)
    last = list(arrays)[-1]
    arrays[last] = arrays[last][:-1]
    save(tmp_path / file, **arrays)
    with pytest.raises(ValueError, match=f"one entry of {last} per example of"):
        load(*args, data_home=tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a zip file", b"PK\x03\x04 cut off"])
def test_loaders_name_a_damaged_file(tmp_path, content):
    path = tmp_path / "olivetti.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a readable npz file") as error:
        load_faces(data_home=tmp_path)
    assert str(path) in str(error.value)


def test_loaders_name_a_truncated_file(tmp_path):
    path = tmp_path / "olivetti.npz"
    np.savez_compressed(path, X=IMAGES, y=LABELS)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match="is not a readable npz file"):
        load_faces(data_home=tmp_path)


def test_loaders_refuse_a_single_array(tmp_path):
    with open(tmp_path / "olivetti.npz", "wb") as file:
        np.save(file, IMAGES)
    with pytest.raises(ValueError, match="is not a readable npz file"):
        load_faces(data_home=tmp_path)


def test_loaders_never_unpickle(tmp_path):
    save(tmp_path / "olivetti.npz", X=IMAGES, y=np.array([{}] * 5, dtype=object))
    with pytest.raises(ValueError, match="is not a readable npz file of plain arrays"):
        load_faces(data_home=tmp_path)


@pytest.mark.parametrize("X", [IMAGES.reshape(5, -1), IMAGES.astype(float)])
def test_image_loaders_refuse_what_is_no_image(tmp_path, X):
    save(tmp_path / "olivetti.npz", X=X, y=LABELS)
    with pytest.raises(ValueError, match=r"X of .* must be uint8 images"):
        load_faces(data_home=tmp_path)


@pytest.mark.parametrize("load", [load_uci, load_time_series])
@pytest.mark.parametrize("name", ["", "../iris", "a/b", "a\\b", "."])
def test_names_cannot_leave_the_data_folder(tmp_path, load, name):
    with pytest.raises(ValueError, match="name must be a data set's name"):
        load(name, data_home=tmp_path)


def test_responses_of_time_series_may_be_numbers(tmp_path):
    y = np.linspace(0, 1, 5)
    save(tmp_path / "ts/Tecator.npz", X_train=TABLE, y_train=y, X_test=TABLE, y_test=y)
    _, y_train, _, y_test = load_time_series("Tecator", data_home=tmp_path)
    assert y_train.dtype == y_test.dtype == np.float64


def test_mnist_comes_from_openml_when_there_is_no_file(monkeypatch, tmp_path):
    def fetch_openml(name, *, return_X_y, as_frame, **kwargs):
        assert name == "mnist_784"
        assert return_X_y
        assert not as_frame
        pixels = np.zeros((60002, 784), dtype=np.uint8)
        pixels[60000, 28] = 255
        return pixels, np.array(["5"] * 60000 + ["7", "2"], dtype=object)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    X_train, y_train, X_test, y_test = load_mnist(data_home=tmp_path)
    assert X_train.shape == (60000, 28, 28)
    assert X_train.dtype == X_test.dtype == np.uint8
    assert set(y_train) == {5}
    assert X_test.shape == (2, 28, 28)
    assert X_test[0, 1, 0] == 255
    assert y_test.tolist() == [7, 2]


def test_faces_come_from_scikit_learn_when_there_is_no_file(monkeypatch):
    pixels = np.arange(256, dtype=np.uint8).reshape(4, 8, 8)
    faces = Bunch(images=(pixels / 255).astype(np.float32), target=np.arange(4))
    monkeypatch.setattr(sklearn.datasets, "fetch_olivetti_faces", lambda: faces)
    X, y = load_faces()
    assert X.dtype == np.uint8
    assert np.array_equal(X, pixels)
    assert y.tolist() == [0, 1, 2, 3]


def test_a_failed_download_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"mnist\.npz, and its download failed"):
        load_mnist(data_home=tmp_path)


def test_every_public_name_is_there_and_documented_with_an_example():
    for name in datasets.__all__:
        assert ">>> " in getattr(datasets, name).__doc__
