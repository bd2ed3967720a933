"""From the scores of labels to their probabilities.

An output of K > 2 classes has K scores, one of two classes the log odds of the second, and one of
a single class a score that means nothing (`boost/log_loss.cpp`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..forests._link import linked


def n_scores(n_classes: int) -> int:
    """Return how many scores an output has."""
    return n_classes if n_classes > 2 else 1


def scores_by_output(
    scores: NDArray[np.float64], n_classes: list[int]
) -> list[NDArray[np.float64]]:
    """Split the scores of all outputs into those of each."""
    ends = np.cumsum([n_scores(n) for n in n_classes])
    return np.split(scores, ends[:-1], axis=1)


def log_probabilities(scores: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the logarithms of the probabilities of one output."""
    if n_classes == 1:
        return np.zeros_like(scores)
    if n_classes == 2:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    above = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(above - np.log(np.exp(above).sum(axis=1, keepdims=True)))


def probabilities_of(scores: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the probabilities of one output, with the same bits on every build."""
    return linked("logistic", scores, [n_classes])
