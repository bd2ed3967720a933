"""Losses of the core: derivatives beside finite differences, values beside scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics

import manifoldforest as mf
import stages
from manifoldforest import _core

RNG = np.random.default_rng(0)
N = 40
NUMBERS = RNG.normal(size=(N, 2))


def problem(loss):
    """Target, numbers of classes and scores near which nothing is special."""
    if loss == "log_loss":
        n_classes = [3, 2, 1, 5]
        y = np.stack([RNG.integers(0, k, N) for k in n_classes], axis=1).astype(np.int32)
        return y, n_classes, RNG.normal(size=(N, 3 + 1 + 1 + 5))
    y = np.round(np.exp(NUMBERS)) if loss == "poisson" else NUMBERS
    return np.ascontiguousarray(y), [], RNG.normal(size=(N, 2))


# what is differentiated, as a multiple of what is reported: half of a square, all outputs
SHARE = {"log_loss": 1.0, "squared_error": 0.5 * 2, "absolute_error": 2.0, "poisson": 0.5 * 2}


@pytest.mark.parametrize("loss", SHARE)
def test_derivatives_are_those_of_the_loss(loss):
    y, n_classes, scores = problem(loss)
    _, rows = stages.evaluate_loss(loss, y, n_classes, scores)
    n_scores, step = scores.shape[1], 1e-4

    def losses(moved):
        return SHARE[loss] * stages.evaluate_loss(loss, y, n_classes, moved)[0]

    for k in range(n_scores):
        change = np.zeros(n_scores)
        change[k] = step
        up, here, down = (losses(scores + c) for c in (change, 0 * change, -change))
        np.testing.assert_allclose(rows[:, k], -(up - down) / (2 * step), atol=1e-5, rtol=1e-4)
        if loss in ("log_loss", "poisson"):
            second = (up - 2 * here + down) / step**2
            np.testing.assert_allclose(rows[:, n_scores + k], second, atol=1e-4, rtol=1e-3)
    if loss in ("squared_error", "absolute_error"):  # one for all outputs
        assert np.array_equal(rows[:, n_scores:], np.ones((N, 1)))


def test_log_loss_is_finite_for_scores_of_any_size():
    y = np.array([[0], [1], [0], [1]], dtype=np.int32)
    scores = np.array([[900.0], [900.0], [-900.0], [-900.0]])
    loss, rows = stages.evaluate_loss("log_loss", y, [2], scores)
    np.testing.assert_allclose(loss, [900, 0, 0, 900])
    np.testing.assert_allclose(rows[:, 0], [-1, 0, 0, 1])
    wide = np.array([[1e4, 0.0, -1e4]])
    loss, rows = stages.evaluate_loss("log_loss", y[1:2] * 2, [3], wide)
    np.testing.assert_allclose(loss, [2e4])
    assert np.isfinite(rows).all()


@pytest.mark.parametrize("n", [0, 1, 3, 255, 256, 257, 1000])
@pytest.mark.parametrize("kernels", _core.supported_kernels())
def test_many_rows_of_two_classes_have_the_bits_of_single_rows(kernels, n):
    """With an output of one class beside it, an output of two is evaluated row by row."""
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, (n, 1)).astype(np.int32)
    scores = rng.normal(size=(n, 1)) * 10.0 ** rng.integers(-12, 4, (n, 1))
    special = np.array([0.0, -0.0, 5e-324, 745.2, -746.5, 1e300, -1e300, np.inf, -np.inf])
    scores[: len(special), 0] = special[:n]
    stages.use_kernels(kernels)
    try:
        loss, rows = stages.evaluate_loss("log_loss", y, [2], scores)
        single, single_rows = stages.evaluate_loss(
            "log_loss", np.hstack([y, 0 * y]), [2, 1], np.hstack([scores, 0 * y])
        )
    finally:
        stages.use_kernels(_core.supported_kernels()[-1])
    assert np.array_equal(loss, single, equal_nan=True)
    assert np.array_equal(rows, single_rows[:, [0, 2]])


def rows_and_weights():
    x = RNG.normal(size=(200, 3))
    return x, RNG.uniform(0.2, 2.0, 200)


def test_reported_losses_are_scikit_learns():
    x, weight = rows_and_weights()
    labels = np.digitize(x[:, 0], [-0.5, 0.5])
    numbers = np.stack([x[:, 0], x[:, 1] * x[:, 2]], axis=1)
    rates = np.round(np.exp(x[:, 0]))
    params = {"n_estimators": 5, "random_state": 0}

    def check(forest, y, metric, predict):
        forest.fit(x, y, sample_weight=weight)
        expected = metric(y, predict(forest), sample_weight=weight)
        assert forest.train_loss_[-1] == pytest.approx(expected, rel=1e-9)

    for y in (labels, labels > 0):
        check(
            mf.BoostedForestClassifier(**params),
            y,
            metrics.log_loss,
            lambda forest: forest.predict_proba(x),
        )
    for loss, y, metric in (
        ("squared_error", numbers, metrics.mean_squared_error),
        ("absolute_error", numbers, metrics.mean_absolute_error),
        ("poisson", rates, metrics.mean_poisson_deviance),
    ):
        check(
            mf.BoostedForestRegressor(loss=loss, **params),
            y,
            metric,
            lambda forest: forest.predict(x),
        )


def test_losses_of_rows_that_are_held_out_are_theirs():
    """Every row is learned from or held out: both means together are that of all rows."""
    x, weight = rows_and_weights()
    y = x[:, 0] + RNG.normal(size=len(x))
    forest = mf.BoostedForestRegressor(7, early_stopping=True, random_state=3)
    forest.fit(x, y, sample_weight=weight)
    stages_of_all = [
        np.average((y - predicted) ** 2, weights=weight) for predicted in forest.staged_predict(x)
    ]
    kept = forest.n_estimators_
    shares = []
    for whole, learned, held_out in zip(
        stages_of_all, forest.train_loss_[:kept], forest.validation_loss_[:kept], strict=True
    ):
        shares.append((whole - learned) / (held_out - learned))
    np.testing.assert_allclose(shares, shares[0], rtol=1e-6)  # the weight of what is held out
    assert 0.05 < shares[0] < 0.15


@pytest.mark.parametrize("loss", ["poisson"])
@pytest.mark.parametrize("y", [[-1.0, 1.0], [0.0, 0.0]])
def test_poisson_refuses_what_is_no_rate(loss, y):
    with pytest.raises(ValueError, match="y must not be"):
        mf.BoostedForestRegressor(2, loss=loss).fit([[0.0], [1.0]], y)
