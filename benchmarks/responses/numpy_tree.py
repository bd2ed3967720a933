"""The exact search of splits by distances in NumPy, vectorised over the thresholds of a candidate.

What one would write without a core of one's own: rows and columns of the distances are permuted by
the order of the candidate, and sums over the lower triangle are those over pairs on the left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def grow_tree(
    X: NDArray[np.float32],
    squared: NDArray[np.floating[Any]],
    *,
    n_candidates: int,
    min_samples_leaf: int,
    rng: np.random.Generator,
) -> int:
    """Grow one tree on a bootstrap sample and return the number of its nodes."""
    counts = np.bincount(rng.integers(len(X), size=len(X)), minlength=len(X))
    stack = [np.flatnonzero(counts)]
    n_nodes = 0
    while stack:
        rows = stack.pop()
        n_nodes += 1
        if counts[rows].sum() < 2 * min_samples_leaf or len(rows) < 2:
            continue
        features = rng.choice(X.shape[1], size=n_candidates, replace=False)
        left = best_split(
            X[np.ix_(rows, features)], squared[np.ix_(rows, rows)], counts[rows], min_samples_leaf
        )
        if left is not None:
            stack += [rows[~left], rows[left]]
    return n_nodes


def best_split(
    columns: NDArray[np.float32],
    squared: NDArray[np.floating[Any]],
    counts: NDArray[np.int64],
    min_samples_leaf: int,
) -> NDArray[np.bool_] | None:
    """Return which rows go left at the best threshold of the best column, if any gain is left."""
    weighted = squared * counts * counts[:, None]
    total = weighted.sum(dtype=np.float64)
    best, split = total / (2 * counts.sum()) * (1 - 1e-6), None
    for values in columns.T:
        order = np.argsort(values, kind="stable")
        ordered, n_left = values[order], np.cumsum(counts[order])[:-1]
        n_right = counts.sum() - n_left
        pairs = weighted[np.ix_(order, order)]
        lower = np.tril(pairs).sum(axis=1, dtype=np.float64)
        left = 2 * np.cumsum(lower)[:-1]
        right = total - 2 * np.cumsum(pairs.sum(axis=1, dtype=np.float64))[:-1] + left
        loss = left / (2 * n_left) + right / (2 * n_right)
        allowed = (ordered[1:] > ordered[:-1]) & (np.minimum(n_left, n_right) >= min_samples_leaf)
        loss[~allowed] = np.inf
        at = int(loss.argmin()) if len(loss) else 0
        if len(loss) and loss[at] < best:
            best, split = loss[at], values <= ordered[at]
    return split
