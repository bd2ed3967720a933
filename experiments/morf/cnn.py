"""The convolutional networks that the thesis compares with: its Table 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..datasets import Array
from ..experiment import one_torch_thread


@dataclass(frozen=True)
class Architecture:
    """What differs between the networks: two convolutions, and the layer before the last."""

    shape: tuple[int, ...]  # of one example; its length is the number of axes of a window
    windows: tuple[int, int]
    hidden: int
    n_channels: tuple[int, int] = (32, 64)


# Table 1 prints Conv2d and MaxPool2d for the series of Impulse, which have one axis.
ARCHITECTURES: dict[str, Architecture] = {
    "circle": Architecture((100,), (6, 10), 500),
    "bars": Architecture((28, 28), (5, 5), 200),
    "impulse": Architecture((100,), (10, 5), 200),
    "mnist": Architecture((28, 28), (5, 5), 200),
}

LEARNING_RATE = 1e-3
BATCH_SIZE = 64  # the authors' programs: 250 in one, all examples at once by default in another
# They stop after epoch 10 as soon as the standard error of the last 5 losses is this small, and
# after 100 epochs at the latest. For us 720 000 examples are the end, too (12 epochs of MNIST).
MIN_EPOCHS, WINDOW, TOLERANCE = 10, 5, 1e-3
MAX_EPOCHS, MAX_EXAMPLES = 100, 720_000
PREDICTED_AT_ONCE = 1000


def cnn_classifier(problem: str, seed: int) -> CNNClassifier:
    """Return the network for a problem of the thesis, not trained yet."""
    if problem not in ARCHITECTURES:
        raise ValueError(f"problem must be one of {tuple(ARCHITECTURES)}, got {problem!r}")
    _load_torch()
    return CNNClassifier(ARCHITECTURES[problem], seed)


@lru_cache(maxsize=1)
def _load_torch() -> None:
    """Do what torch does only once in a process, so that it is not in the seconds of training."""
    X, y = np.zeros((2, 100)), np.arange(2)
    CNNClassifier(ARCHITECTURES["impulse"], 0).fit(X, y).predict(X)


class CNNClassifier:
    """A network of two convolutions and two linear layers, trained on one thread."""

    def __init__(self, architecture: Architecture, seed: int) -> None:
        self.architecture = architecture
        self.seed = seed  # of the first weights, the order of the examples and the dropout

    def fit(self, X: Array, y: Array) -> CNNClassifier:
        """Train on examples in the shape that the problem has, or on rows of their values."""
        import torch

        self.classes_, codes = np.unique(y, return_inverse=True)
        values = np.asarray(X, dtype=np.float32)
        # One centre and one scale for all positions, which share the weights of a convolution.
        self.center_ = float(values.mean())
        self.scale_ = float(values.std()) or 1.0
        with torch.random.fork_rng(devices=[]), one_torch_thread():
            torch.manual_seed(self.seed)
            self._network = network_of(self.architecture, len(self.classes_))
            self.losses_ = _train(self._network, self._inputs(X), torch.from_numpy(codes))
        return self

    def predict(self, X: Array) -> Array:
        """Return the most probable label of each example."""
        import torch

        with torch.no_grad(), one_torch_thread():
            scores = [self._network(part) for part in self._inputs(X).split(PREDICTED_AT_ONCE)]
        labels: Array = self.classes_[torch.cat(scores).argmax(dim=1).numpy()]
        return labels

    def _inputs(self, X: Array) -> Any:
        import torch

        shape = (len(X), 1, *self.architecture.shape)
        values = np.asarray(X, dtype=np.float32).reshape(shape)
        return torch.from_numpy((values - self.center_) / self.scale_)


def network_of(architecture: Architecture, n_classes: int) -> Any:
    """Return the layers in the order of Table 1."""
    from torch import nn

    n_axes = len(architecture.shape)
    convolution = {1: nn.Conv1d, 2: nn.Conv2d}[n_axes]
    pooling = {1: nn.MaxPool1d, 2: nn.MaxPool2d}[n_axes]
    layers: list[Any] = []
    sides, n_inputs = architecture.shape, 1
    for window, n_outputs in zip(architecture.windows, architecture.n_channels, strict=True):
        layers += [convolution(n_inputs, n_outputs, window), nn.ReLU(), pooling(2)]
        sides = tuple((side - window + 1) // 2 for side in sides)
        n_inputs = n_outputs
    n_features = n_inputs * int(np.prod(sides))
    hidden = nn.Linear(n_features, architecture.hidden)
    # As in the authors' programs nothing is between the linear layers.
    layers += [nn.Flatten(), nn.Dropout(0.5), hidden, nn.Linear(architecture.hidden, n_classes)]
    return nn.Sequential(*layers)


def _train(network: Any, inputs: Any, codes: Any) -> list[float]:
    """Train until the loss settles, and return the mean loss of each epoch."""
    losses = list(epochs(network, inputs, codes))
    network.eval()
    return losses


def epochs(network: Any, inputs: Any, codes: Any) -> Iterator[float]:
    """Train by Adam until the loss settles, and yield the mean loss of each epoch after it."""
    import torch

    optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    losses: list[float] = []
    while not _finished(losses, len(codes)):
        network.train()  # whoever is told a loss may have asked for predictions
        total = 0.0
        for batch in torch.randperm(len(codes)).split(BATCH_SIZE):
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(inputs[batch]), codes[batch])
            loss.backward()
            optimiser.step()
            total += loss.item() * len(batch)
        losses.append(total / len(codes))
        yield losses[-1]


def _finished(losses: list[float], n_examples: int) -> bool:
    """Tell whether the loss of the last epochs hardly varies, or the limit is reached."""
    if len(losses) >= min(MAX_EPOCHS, max(MIN_EPOCHS, MAX_EXAMPLES // n_examples)):
        return True
    if len(losses) <= MIN_EPOCHS:
        return False
    return float(np.std(losses[-WINDOW:], ddof=1) / np.sqrt(WINDOW)) < TOLERANCE
