"""Weighted Fréchet means on manifolds by Karcher's iteration, for many queries at once."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from manifoldforest.validation._stack_level import caller_level

from ._base import as_rows, norms
from ._chunks import CHUNK
from ._typing import Floats

_MAX_STEPS = 300
# A mean is found when the step is this small, compared with the root mean squared distance of the
# responses to it, or in absolute terms, where that is nothing but rounding.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-14
# Where the sum of squares is nearly flat, steps become shorter slowly; these are short enough to
# stop without a warning.
_SHORT = 1e-4
# Sums of squares that differ by a smaller share differ only by rounding.
_ROUNDING = 1e-13
# Shares of the mean tangent that a step may take. Below the first no descent is expected.
_SMALLEST_SHARE = 2.0**-20
_LARGEST_SHARE = 50.0


class Manifold(ABC):
    """The two maps of a Riemannian manifold that Karcher's iteration needs.

    Tangent vectors are arrays in coordinates in which their Euclidean norm is the length, and which
    are nearly the same for bases that are nearly the same. The points that :meth:`log` takes may
    be in another form than bases, one that saves work.
    """

    @abstractmethod
    def log(
        self,
        bases: Floats,
        owners: NDArray[np.intp],
        points: Floats,
    ) -> Floats:
        """Return the tangent at ``bases[owners[k]]`` that leads to ``points[k]``, for every k."""

    @abstractmethod
    def exp(self, bases: Floats, tangents: Floats) -> Floats:
        """Return where the tangents lead, one for each base."""


def karcher_means(
    manifold: Manifold,
    points: Floats,
    weights: csr_matrix,
    start: Floats,
) -> Floats:
    """Return local minima of the weighted sums of squared distances, one for each row of weights.

    Every iteration goes along the mean of the tangents that lead to the points (Karcher 1977). How
    far, depends on the curvature and on the spread of the points; the sum of squares must become
    smaller.
    """
    means: Floats = start.copy()
    unconverged = 0
    for rows in _batches(weights, max(1, points[0].size)):
        unconverged += _descend(manifold, points, weights[rows], means[rows])
    if unconverged:
        warnings.warn(
            f"{unconverged} of {len(means)} Fréchet means have not converged: responses are "
            "too far apart",
            ConvergenceWarning,
            stacklevel=caller_level(),
        )
    return means


def _batches(weights: csr_matrix, numbers_per_point: int) -> Iterator[slice]:
    """Cut queries into slices whose points have about :data:`CHUNK` numbers."""
    step = max(1, CHUNK // numbers_per_point)
    start, n_rows = 0, weights.shape[0]
    while start < n_rows:
        end = np.searchsorted(weights.indptr, weights.indptr[start] + step, side="right") - 1
        stop = min(max(int(end), start + 1), n_rows)
        yield slice(start, stop)
        start = stop


def _descend(
    manifold: Manifold,
    points: Floats,
    weights: csr_matrix,
    means: Floats,
) -> int:
    """Move the means, in place, to local minima; return how many have not converged."""
    steps, squares = _evaluate(manifold, points, weights, means)
    lengths = norms(as_rows(steps))
    shares = np.ones(len(means))
    moving = np.arange(len(means))
    for _ in range(_MAX_STEPS):
        far = lengths[moving] > _RELATIVE * np.sqrt(squares[moving]) + _ABSOLUTE
        moving = moving[far & (shares[moving] > _SMALLEST_SHARE)]
        if len(moving) == 0:
            break
        # the mean is at most this far, as a share of the step
        most = 2 * np.sqrt(squares[moving]) / lengths[moving]
        shares[moving] = np.minimum(shares[moving], most)
        scale = shares[moving].reshape(-1, *[1] * (means.ndim - 1))
        there = manifold.exp(means[moving], scale * steps[moving])
        new_steps, new_squares = _evaluate(manifold, points, weights[moving], there)
        new_lengths = norms(as_rows(new_steps))
        lower = new_squares < (1 - _ROUNDING) * squares[moving]
        level = new_squares <= (1 + _ROUNDING) * squares[moving]
        better = lower | (level & (new_lengths < lengths[moving]))

        gone = moving[better]
        shares[moving[~better]] /= 4
        shares[gone] = _next_shares(shares[gone], steps[gone], new_steps[better])
        means[gone], steps[gone] = there[better], new_steps[better]
        squares[gone], lengths[gone] = new_squares[better], new_lengths[better]
    return int(np.count_nonzero(lengths > _SHORT * np.sqrt(squares) + _ABSOLUTE))


def _next_shares(shares: Floats, old: Floats, new: Floats) -> Floats:
    """Return the share of the next step, from how the last one has changed the mean tangent.

    This is the rule of Barzilai and Borwein (1988): the share after which nothing would have been
    left of the old step, if steps change at the same rate all along. They need not be transported
    from one mean to the next for that: a bad choice costs a step that is taken back.
    """
    old, new = as_rows(old), as_rows(new)
    before = np.einsum("ki,ki->k", old, old)
    left = np.einsum("ki,ki->k", old, new)
    lost = np.maximum(before - left, before * shares / _LARGEST_SHARE)
    found: Floats = shares * before / lost
    return found


def _evaluate(
    manifold: Manifold,
    points: Floats,
    weights: csr_matrix,
    means: Floats,
) -> tuple[Floats, Floats]:
    """Return the mean tangent at every mean, and the mean squared distance to it."""
    owners = np.repeat(np.arange(len(means)), np.diff(weights.indptr))
    tangents = manifold.log(means, owners, points[weights.indices])
    rows = as_rows(tangents)
    # one column for every entry of `weights`, so that a product sums over the entries of a row
    sums = csr_matrix(
        (weights.data, np.arange(len(rows)), weights.indptr), shape=(len(means), len(rows))
    )
    squares: Floats = sums @ np.einsum("ki,ki->k", rows, rows)
    return (sums @ rows).reshape(-1, *tangents.shape[1:]), squares
