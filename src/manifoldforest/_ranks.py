"""Pass to ranks: the transformation that makes oblique forests indifferent to units and outliers.

RerF(r) of [RERF] section 4.5: every feature is replaced by its rank in the training set. Unseen
values are interpolated linearly between ranks, as the program behind the paper did.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data


class RankTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Replace every feature by its rank among the training values.

    A value that occurs in the training set becomes its rank, 1 for the smallest and n for the
    largest, and equal values share the mean of their ranks. A value between two training values is
    interpolated linearly, one below all becomes 0 and one above all n + 1. Missing values (NaN)
    stay missing and are not counted in n.

    Attributes
    ----------
    values_ : ndarray of float64
        Distinct training values of every feature in ascending order, one feature after the other.
    ranks_ : ndarray of float64
        The rank of every entry of `values_`.
    offsets_ : ndarray of int64, shape (n_features_in_ + 1,)
        Feature j has the entries ``offsets_[j]:offsets_[j + 1]``.
    counts_ : ndarray of int64, shape (n_features_in_,)
        Number of training values of every feature that are not missing: the n of its ranks.
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

    def fit(self, X: ArrayLike, y: Any = None) -> RankTransformer:
        """Learn the ranks of the values of each feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training examples; NaN is a missing value.
        y : None
            Ignored.

        Returns
        -------
        self : RankTransformer
            The fitted transformer.
        """
        table = self._checked(X, reset=True)
        values, ranks, counts = [], [], []
        for column in table.T:
            distinct, count = np.unique(column[~np.isnan(column)], return_counts=True)
            last = np.cumsum(count)  # rank of the last of several equal values
            values.append(distinct.astype(np.float64))
            ranks.append(last - (count - 1) / 2)
            counts.append(count.sum())
        self.values_ = np.concatenate(values)
        self.ranks_ = np.concatenate(ranks)
        self.offsets_ = np.cumsum([0, *map(len, values)], dtype=np.int64)
        self.counts_ = np.array(counts, dtype=np.int64)
        return self

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
        """
        check_is_fitted(self)
        table = self._checked(X, reset=False)
        result = np.empty_like(table)
        for j, column in enumerate(table.T):
            entries = slice(self.offsets_[j], self.offsets_[j + 1])
            result[:, j] = _interpolate(
                column.astype(np.float64),
                self.values_[entries],
                self.ranks_[entries],
                self.counts_[j],
            )
        return result

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: NaN is allowed, float32 stays float32."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _checked(self, X: ArrayLike, *, reset: bool) -> NDArray[np.floating[Any]]:
        table: NDArray[np.floating[Any]] = validate_data(
            self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan"
        )
        return table


def _interpolate(
    x: NDArray[np.float64], values: NDArray[np.float64], ranks: NDArray[np.float64], n: int
) -> NDArray[np.float64]:
    """Return the ranks of `x`, given the distinct training values and their ranks.

    Not np.interp: its slope overflows between neighbouring subnormal numbers.
    """
    if n == 0:  # nothing was seen, so nothing is below or above
        return np.where(np.isnan(x), np.nan, 0.0)
    # Differences of the largest float64 numbers overflow, those of their halves do not.
    half = max(values[-1], -values[0]) > np.finfo(np.float64).max / 2
    x, values = (x / 2, values / 2) if half else (x, values)

    last = len(values) - 1
    below = np.clip(np.searchsorted(values, x, side="right") - 1, 0, last)
    above = np.minimum(below + 1, last)
    inside = np.clip(x, values[0], values[-1])
    gap = values[above] - values[below]
    share = np.divide(inside - values[below], gap, out=np.zeros_like(x), where=gap > 0)
    result = ranks[below] + share * (ranks[above] - ranks[below])
    result[x < values[0]] = 0
    result[x > values[-1]] = n + 1
    result[np.isnan(x)] = np.nan
    return result
