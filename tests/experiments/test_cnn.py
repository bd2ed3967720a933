"""The networks that forests are compared with."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.morf import cnn
from experiments.morf.cnn import ARCHITECTURES, cnn_classifier
from manifoldforest.datasets import make_bars, make_impulse

LONG = 10**6  # examples of an epoch that never reach the limit


def test_training_goes_on_for_ten_epochs():
    assert not cnn._finished([], 100)
    assert not cnn._finished([0.5] * 10, 100)
    assert cnn._finished([0.5] * 11, 100)


def test_training_ends_by_the_standard_error_of_the_last_five_losses():
    # deviations ±a, ±a, 0 have variance 4a²/4 = a², so the standard error is a / sqrt(5)
    def losses(a):
        return [9.0] * 10 + [1 - a, 1 + a, 1 - a, 1 + a, 1]

    limit = 1e-3 * math.sqrt(5)
    assert cnn._finished(losses(0.99 * limit), 100)
    assert not cnn._finished(losses(1.01 * limit), 100)


@pytest.mark.parametrize(
    ("n_examples", "most"), [(10, 100), (7200, 100), (30_000, 24), (60_000, 12), (LONG, 10)]
)
def test_number_of_epochs_has_a_limit(n_examples, most):
    steps = [float(2**k) for k in range(most)]  # never settles
    assert not cnn._finished(steps[:-1], n_examples)
    assert cnn._finished(steps, n_examples)


def test_unknown_problem():
    with pytest.raises(ValueError, match="problem must be one of"):
        cnn_classifier("cifar", 0)


# Table 1 of the thesis by hand. Series: 100 - 6 + 1 = 95, halved 47; 47 - 10 + 1 = 38, halved 19.
# Impulse: 91, 45; 41, 20. Images: 24, 12; 8, 4.
@pytest.mark.parametrize(
    ("problem", "n_classes", "weights"),
    [
        ("circle", 2, [32 * 6, 64 * 32 * 10, 64 * 19 * 500, 500 * 2]),
        ("impulse", 2, [32 * 10, 64 * 32 * 5, 64 * 20 * 200, 200 * 2]),
        ("bars", 2, [32 * 25, 64 * 32 * 25, 64 * 16 * 200, 200 * 2]),
        ("mnist", 10, [32 * 25, 64 * 32 * 25, 64 * 16 * 200, 200 * 10]),
    ],
)
def test_sizes_of_the_layers(problem, n_classes, weights):
    torch = pytest.importorskip("torch")
    network = cnn.network_of(ARCHITECTURES[problem], n_classes)
    kernels = [p.numel() for p in network.parameters() if p.ndim > 1]
    assert kernels == weights
    examples = torch.zeros(3, 1, *ARCHITECTURES[problem].shape)
    assert network(examples).shape == (3, n_classes)


def test_learns_and_is_the_same_again_and_leaves_torch_as_it_was():
    torch = pytest.importorskip("torch")
    X, y = make_bars(60, random_state=0)
    X_test, y_test = make_bars(300, random_state=1)
    labels = np.array(["across", "down"])
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    first = cnn_classifier("bars", 3).fit(X, labels[y])
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads
    predicted = first.predict(X_test)
    assert np.mean(predicted != labels[y_test]) < 0.03  # the thesis: 0.004
    again = cnn_classifier("bars", 3).fit(X, labels[y])
    assert again.losses_ == first.losses_
    other = cnn_classifier("bars", 4).fit(X, labels[y])
    assert other.losses_ != first.losses_


def test_scale_of_the_values_does_not_matter():
    pytest.importorskip("torch")
    X, y = make_impulse(40, random_state=0)
    first = cnn_classifier("impulse", 0).fit(X, y)
    moved = cnn_classifier("impulse", 0).fit(8 * X + 64, y)
    np.testing.assert_allclose(moved.losses_[:3], first.losses_[:3], rtol=1e-3)


def test_constant_values():
    pytest.importorskip("torch")
    X, y = np.ones((8, 28, 28), dtype=np.uint8), np.arange(8) % 2
    assert set(cnn_classifier("mnist", 0).fit(X, y).predict(X)) <= {0, 1}
