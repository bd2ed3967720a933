"""Boosted trees over single features, written to be verified by eye, not to be fast.

Scores F, one row of G (minus the first derivatives of the loss) and one of H (the second ones) per
row of data, both times the weight of the row. A split is worth
  sum_k G_Lk^2 / (H_L + l2) + sum_k G_Rk^2 / (H_R + l2) - sum_k G_k^2 / (H + l2)
with H summed over rows and scores; a leaf is worth rate * factor_k * G_k / (H_k + l2) for score k.
"""

from typing import NamedTuple

import numpy as np

from reference.tree import weighted_median


def softmax(scores):
    """Probabilities of the columns of scores."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def derivatives(loss, scores, y):
    """Minus the first and the second derivatives by each score; y are indices or numbers."""
    if loss == "softmax":
        p = softmax(scores)
        return np.eye(scores.shape[1])[y] - p, p * (1 - p)
    if loss == "odds":
        p = 1 / (1 + np.exp(-scores))
        return y[:, None] - p, p * (1 - p)
    if loss == "squared_error":
        return y - scores, np.ones_like(scores)
    if loss == "absolute_error":
        return np.sign(y - scores), np.ones_like(scores)
    if loss == "poisson":
        return y - np.exp(scores), np.exp(scores)
    raise ValueError(loss)


def start(loss, y, weight, n_scores):
    """The best scores that are the same for all rows."""
    share = weight / weight.sum()
    if loss == "softmax":
        return np.log([share[y == k].sum() for k in range(n_scores)])
    if loss == "odds":
        return np.array([np.log(share[y == 1].sum() / share[y == 0].sum())])
    if loss == "absolute_error":
        return np.array([weighted_median(column, weight) for column in y.T])
    mean = share @ y
    return np.log(mean) if loss == "poisson" else mean


class Options(NamedTuple):
    learning_rate: float = 0.1
    l2: float = 1.0
    max_depth: int = 3
    min_samples_leaf: int = 1
    max_step: float = np.inf


def side(G, H, l2):
    """What one side of a split is worth."""
    return np.sum(G.sum(axis=0) ** 2) / (H.sum() + l2)


def gain_of(left, rows, G, H, l2):
    """Gain of sending the rows of the mask `left` left and all others right."""
    sides = [side(G[rows[part]], H[rows[part]], l2) for part in (left, ~left)]
    return sum(sides) - side(G[rows], H[rows], l2)


def best_gain(X, rows, G, H, options):
    """Gain of the best split of a node; minus infinity if there is none."""
    best = -np.inf
    for feature in range(X.shape[1]):
        values = X[rows, feature]
        distinct = np.unique(values)
        for low in distinct[:-1]:
            left = values <= low
            if min(left.sum(), (~left).sum()) < options.min_samples_leaf:
                continue
            best = max(best, gain_of(left, rows, G, H, options.l2))
    return best


def leaf_value(rows, G, H, factor, options):
    """The step that a leaf with these rows makes for each score."""
    step = factor * G[rows].sum(axis=0) / (H[rows].sum(axis=0) + options.l2)
    return options.learning_rate * np.clip(step, -options.max_step, options.max_step)


def median_value(rows, residuals, weight, options):
    """The step of a leaf for absolute errors."""
    medians = [weighted_median(column, weight[rows]) for column in residuals[rows].T]
    return options.learning_rate * np.array(medians)
