"""Quantiles of the response under forest weights (Meinshausen 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ..validation._rules import check_argument, real, sequence_of

# Rounding error of sums of weights: a sum that is below a probability by less has reached it.
_ROUNDING = 1e-9

_PROBABILITY = real("[0, 1]")
_Q = _PROBABILITY | sequence_of(_PROBABILITY, at_least=1)


def read_probabilities(q: Any) -> NDArray[np.float64]:
    """Validate a probability or a list of them."""
    given = np.asarray(q)[()] if hasattr(q, "__array__") else q  # a column of a table, too
    check_argument("q", given, _Q)
    return np.asarray(given, dtype=np.float64)


def weighted_quantiles(
    weights: csr_matrix, y: NDArray[np.float64], q: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return, for each row of weights, the smallest y at which their sum reaches each q.

    Parameters
    ----------
    weights : csr_matrix of shape (n_examples, n_training_rows)
        Weights; every row sums to 1.
    y : ndarray of shape (n_training_rows,)
        Responses.
    q : ndarray of shape (n_quantiles,)
        Probabilities.

    Returns
    -------
    quantiles : ndarray of shape (n_examples, n_quantiles)
        Values of `y`.
    """
    order = np.argsort(y, kind="stable")
    by_size = weights[:, order]
    by_size.sort_indices()
    starts = by_size.indptr.astype(np.int64)
    row = np.repeat(np.arange(by_size.shape[0]), np.diff(starts))
    running = np.cumsum(by_size.data)
    before = np.concatenate([[0.0], running])[starts[:-1]]
    reached = running - before[row]
    result = np.empty((by_size.shape[0], len(q)))
    for k, probability in enumerate(q):
        below = np.bincount(row, reached < probability - _ROUNDING, by_size.shape[0])
        position = np.minimum(starts[:-1] + below.astype(np.int64), starts[1:] - 1)
        result[:, k] = y[order[by_size.indices[position]]]
    return result
