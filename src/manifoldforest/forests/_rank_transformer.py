"""Ranks in place of values, so that units and outliers do not matter to oblique forests.

RerF(r) of [RERF] section 4.5: every feature is replaced by its rank in the training set. Unseen
values are interpolated linearly between ranks, as the program behind the paper did.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._fitted_state import of_one_fit, replace_fitted, snapshot
from ..validation._columns import numbers_required
from ..validation._inputs import with_shape
from ..validation._named_dims import without_dims
from ._weights import read_sample_weight

# values that are sorted or searched at a time
_CHUNK = 2**15


class RankTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Replace every feature by its rank among the training values.

    A value that occurs in the training set becomes its rank, 1 for the smallest and n for the
    largest, and equal values share the mean of their ranks. A value between two training values is
    interpolated linearly, one below all becomes 0 and one above all n + 1. Missing values (NaN)
    stay missing and are not counted in n. An example of weight 2 counts as two of them; fractions
    are interpolated between whole weights.

    Attributes
    ----------
    values_ : ndarray of float64
        Distinct training values of every feature in ascending order, one feature after the other.
    ranks_ : ndarray of float64
        The rank of every entry of `values_`.
    offsets_ : ndarray of int64, shape (n_features_in_ + 1,)
        Feature j has the entries ``offsets_[j]:offsets_[j + 1]``.
    counts_ : ndarray of float64, shape (n_features_in_,)
        Number of training values of every feature that are not missing, or the sum of their
        weights: the n of its ranks.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they were all strings.

    See Also
    --------
    sklearn.preprocessing.QuantileTransformer : ranks scaled to [0, 1] and rounded to quantiles.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> ranks = mf.RankTransformer().fit([[1.0], [10.0], [10.0], [1000.0]])
    >>> ranks.transform([[0.0], [1.0], [10.0], [505.0], [2000.0]]).ravel()
    array([0.  , 1.  , 2.5 , 3.25, 5.  ])
    """

    values_: NDArray[np.float64]
    ranks_: NDArray[np.float64]
    offsets_: NDArray[np.int64]
    counts_: NDArray[np.float64]

    def fit(self, X: ArrayLike, y: Any = None, sample_weight: Any = None) -> RankTransformer:
        """Learn the ranks of the values of each feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples; NaN is a missing value.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the examples, at least 0: weight 2 is the example given twice, weight 0 is
            an example that is not there. None is weight 1 for all.

        Returns
        -------
        self : RankTransformer
            The fitted transformer.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> ranks = mf.RankTransformer().fit([[1.0], [10.0], [10.0], [1000.0]])
        >>> ranks.values_.tolist(), ranks.ranks_.tolist()
        ([1.0, 10.0, 1000.0], [1.0, 2.5, 4.0])
        """
        copied = snapshot(self)  # validation sets n_features_in_ and feature_names_in_ of it
        table = copied._checked(X, reset=True)
        weight = read_sample_weight(sample_weight, len(table))
        table, weight = table[weight > 0], weight[weight > 0]
        step = max(1, _CHUNK // len(table))
        chunks = [
            _ranks_of_columns(table[:, first : first + step].T, weight)
            for first in range(0, table.shape[1], step)
        ]
        values, ranks, lengths, counts = map(np.concatenate, zip(*chunks, strict=True))
        fitted = {
            "values_": values,
            "ranks_": ranks,
            "offsets_": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            "counts_": counts,
        }
        of_x = ("n_features_in_", "feature_names_in_")
        fitted |= {name: getattr(copied, name) for name in of_x if hasattr(copied, name)}
        replace_fitted(self, fitted)
        return self

    def _check_fitted(self) -> None:
        """Raise a ValueError unless the attributes can come from a fit.

        A file may hold anything; to transform must neither lead out of the arrays nor take more
        memory than they say.
        """
        values, ranks, offsets, counts = self.values_, self.ranks_, self.offsets_, self.counts_
        if any(array.ndim != 1 for array in (values, ranks, offsets, counts)):
            raise ValueError("arrays of ranks must have one axis")
        if any(array.dtype != np.float64 for array in (values, ranks, counts)):
            raise ValueError("values and ranks must be in double precision")
        if len(values) != len(ranks) or len(offsets) != len(counts) + 1:
            raise ValueError("values and ranks of features differ in number")
        ascending = offsets.dtype == np.int64 and (np.diff(offsets) >= 0).all()
        if not ascending or offsets[0] != 0 or offsets[-1] != len(values):
            raise ValueError("values are not divided among the features")
        if not all(np.isfinite(array).all() for array in (values, ranks, counts)):
            raise ValueError("values and ranks must be finite")
        within = np.ones(max(len(values) - 1, 0), dtype=np.bool_)
        within[offsets[1:-1][(offsets[1:-1] > 0) & (offsets[1:-1] < len(values))] - 1] = False
        if not (np.diff(values)[within] > 0).all() or not (np.diff(ranks)[within] > 0).all():
            raise ValueError("values and ranks of a feature must ascend")

    @of_one_fit
    def transform(self, X: ArrayLike) -> NDArray[np.floating[Any]]:
        """Replace values by ranks.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples with the features of the training set.

        Returns
        -------
        ranks : ndarray of shape (n_samples, n_features)
            Ranks, float32 if `X` is float32 and float64 otherwise.

        Examples
        --------
        >>> import manifoldforest as mf
        >>> ranks = mf.RankTransformer().fit([[1.0], [10.0], [10.0], [1000.0]])
        >>> ranks.transform([[0.0], [10.0], [505.0], [float("nan")]]).ravel().tolist()
        [0.0, 2.5, 3.25, nan]
        """
        check_is_fitted(self)
        table = self._checked(X, reset=False)
        result = np.empty_like(table)
        step = max(1, _CHUNK // len(table))
        for first in range(0, table.shape[1], step):
            columns = slice(first, min(first + step, table.shape[1]))
            x = table[:, columns].T.astype(np.float64)
            result[:, columns] = self._interpolate(x, columns).T
        return result

    def _interpolate(self, x: NDArray[np.float64], columns: slice) -> NDArray[np.float64]:
        """Return the ranks of `x`, one row for each of the features `columns`.

        Not np.interp: its slope overflows between neighbouring subnormal numbers.
        """
        missing = np.isnan(x)
        first = self.offsets_[columns, None]
        end = self.offsets_[columns.start + 1 : columns.stop + 1, None]
        unseen = np.broadcast_to(first == end, x.shape)  # features without training values
        if unseen.all():
            return np.where(missing, np.nan, 0.0)
        # features without training values use the entry of another one; the last lines overwrite it
        first = np.minimum(first, len(self.values_) - 1)
        last = np.maximum(end - 1, first)

        below = _last_at_most(self.values_, x, first, last)
        above = np.minimum(below + 1, last)
        low, high = self.values_[below], self.values_[above]
        # Differences of the largest float64 numbers overflow, those of their halves do not.
        size = np.maximum(np.abs(low), np.abs(high))
        scale = np.where(size > np.finfo(np.float64).max / 2, 0.5, 1.0)
        inside = np.clip(x, self.values_[first], self.values_[last])
        low *= scale
        gap = high * scale - low
        share = np.divide(inside * scale - low, gap, out=np.zeros_like(x), where=gap > 0)
        result = self.ranks_[below] + share * (self.ranks_[above] - self.ranks_[below])
        result[x < self.values_[first]] = 0
        result = np.where(x > self.values_[last], self.counts_[columns, None] + 1, result)
        result[unseen] = 0
        result[missing] = np.nan
        return result

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: NaN is allowed, float32 stays float32."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _checked(self, X: ArrayLike, *, reset: bool) -> NDArray[np.floating[Any]]:
        X = without_dims(with_shape(X))
        # scikit-learn looks for infinities in the sum of all values, which may overflow
        with numbers_required(X), np.errstate(over="ignore", invalid="ignore"):
            table: NDArray[np.floating[Any]] = validate_data(
                self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
            )
        return table


def _ranks_of_columns(
    columns: NDArray[np.floating[Any]], weight: NDArray[np.float64]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return what is stored of features, given as rows of a table, and of examples' weights.

    That is distinct values and their ranks, one feature after the other, and for each feature the
    number of distinct values and the weight of all that are not missing.
    """
    if (weight == 1).all():
        ordered = np.sort(columns, axis=1)  # NaN come last
        reached = np.broadcast_to(np.arange(1.0, len(weight) + 1), ordered.shape)
    else:
        order = np.argsort(columns, axis=1, kind="stable")
        ordered = np.take_along_axis(columns, order, axis=1)
        reached = np.cumsum(weight[order], axis=1)
    seen = ~np.isnan(ordered)
    # the last of several equal values
    is_last = seen.copy()
    is_last[:, :-1] &= ordered[:, :-1] != ordered[:, 1:]
    lengths = np.count_nonzero(is_last, axis=1)
    up_to = reached[is_last]
    before = np.concatenate([[0.0], up_to[:-1]])
    begins = np.cumsum(lengths) - lengths
    before[begins[lengths > 0]] = 0
    counts = np.where(seen, reached, 0).max(axis=1)
    return ordered[is_last].astype(np.float64), (before + up_to + 1) / 2, lengths, counts


def _last_at_most(
    values: NDArray[np.float64],
    x: NDArray[np.float64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return where the last of ``values[first : last + 1]`` is that is at most `x`, or `first`.

    A binary search for all of `x` at once; `first` and `last` have one entry for each of its rows.
    """
    if len(x) == 1:  # many examples at a time
        entries = values[first[0, 0] : last[0, 0] + 1]
        return first + np.maximum(np.searchsorted(entries, x, side="right") - 1, 0)
    low: NDArray[np.int64] = np.broadcast_to(first, x.shape).copy()
    high = np.broadcast_to(last, x.shape).copy()
    for _ in range(int((last - first).max()).bit_length()):
        middle = (low + high + 1) // 2
        fits = values[middle] <= x
        high = np.where(fits, high, np.maximum(middle - 1, low))
        low = np.where(fits, middle, low)
    return low
