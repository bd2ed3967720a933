"""Contamination of a simulated sample with points from a wider distribution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manifoldforest.validation._arrays import as_array
from manifoldforest.validation._rules import any_callable, check_argument, real

from ._random_streams import Seed, child_stream
from ._tables import read_table

_GENERATOR = replace(any_callable, expected="a generator such as make_trunk")


class WideningGenerator(Protocol):
    """A generator with a number of features and a factor on its covariance."""

    def __call__(
        self,
        n_samples: int,
        *,
        n_features: int,
        covariance_factor: float,
        random_state: Seed,
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return examples and their classes."""


def add_outliers(
    X: ArrayLike,
    y: ArrayLike,
    make: WideningGenerator,
    *,
    fraction: float = 0.2,
    covariance_factor: float = 4.0,
    random_state: Seed = None,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Append points drawn from the same model with a larger covariance.

    The added points carry the classes that their own model gives them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The examples.
    y : array-like of shape (n_samples,)
        Their classes.
    make : callable
        The generator of the added points, :func:`make_sparse_parity` or :func:`make_trunk`, or any
        function that takes ``n_samples`` and the keywords ``n_features``, ``covariance_factor``
        and ``random_state``, and returns examples and classes.
    fraction : float, default=0.2
        Number of added points as a fraction of ``n_samples``, rounded to whole points.
    covariance_factor : float, default=4.0
        Covariance of the added points relative to the model's own.
    random_state : int, RandomState or None, default=None
        Seed of the added points. It may equal the seed of `X`: the two draws are unrelated.

    Returns
    -------
    X : ndarray of shape (n_samples + n_added, n_features)
        The given examples followed by the added ones.
    y : ndarray of shape (n_samples + n_added,)
        Their classes.

    Notes
    -----
    The defaults are those in the text of the randomer forest paper, 20 more points per 100 with
    four times the covariance. The programs behind its figures did the same for sparse parity, but
    for Trunk's problem they used ``fraction=0.05, covariance_factor=16``.

    Examples
    --------
    >>> from manifoldforest.datasets import add_outliers, make_trunk
    >>> X, y = make_trunk(100, random_state=0)
    >>> X_more, y_more = add_outliers(X, y, make_trunk, random_state=0)
    >>> X_more.shape, y_more.shape
    ((120, 10), (120,))
    >>> bool((X_more[:100] == X).all())
    True
    """
    table = read_table(X)
    classes = as_array(y, "y", "an array of one class per row of X")
    if classes.shape != table.shape[:1]:
        raise ValueError(
            f"y must have one class per row of X, shape {table.shape[:1]}, got {classes.shape}"
        )
    check_argument("make", make, _GENERATOR)
    check_argument("fraction", fraction, real("[0, inf)"))
    check_argument("covariance_factor", covariance_factor, real("[0, inf)"))
    n_added = round(float(fraction) * len(table))
    if n_added == 0:
        return table.copy(), classes.copy()

    added_X, added_y = make(
        n_added,
        n_features=table.shape[1],
        covariance_factor=covariance_factor,
        random_state=child_stream(random_state),
    )
    return np.concatenate([table, added_X]), np.concatenate([classes, added_y])
