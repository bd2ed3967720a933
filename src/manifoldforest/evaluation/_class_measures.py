"""Measures of predicted classes and of their probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Probabilities are at least this in the logarithm, as scikit-learn has it.
_LEAST_PROBABILITY = float(np.finfo(np.float64).eps)
# With more classes the areas under the curves of all of them take too long.
MOST_CLASSES_WITH_AUC = 50


class _Ranking(NamedTuple):
    """Rows by their score of one class; those of equal scores are a level."""

    order: NDArray[np.intp]
    own: NDArray[np.intp]  # rows of the class
    level_start: NDArray[np.intp]  # of each of them: where its level begins in the order
    level_end: NDArray[np.intp]


class ClassMeasures:
    """Accuracy, error and balanced accuracy, those of probabilities, and those of each class.

    Parameters
    ----------
    true, predicted : ndarray of shape (n_rows,)
        Places of labels among all classes.
    n_classes : int
        Number of classes: those that the estimator knows, and those that occur.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        Predicted probabilities, zero for classes that the estimator does not know.
    """

    def __init__(
        self,
        true: NDArray[np.intp],
        predicted: NDArray[np.intp],
        n_classes: int,
        probabilities: NDArray[np.float64] | None,
    ) -> None:
        # pairs of a true and a predicted class that occur; all shares of classes are sums of these
        pairs, self._pair = np.unique(true * n_classes + predicted, return_inverse=True)
        self._true, self._predicted = np.divmod(pairs, n_classes)
        self._n_classes = n_classes
        self.names = ["accuracy", "error", "balanced_accuracy"]
        self._row_losses = np.empty((len(true), 0))
        self._rankings: list[_Ranking] = []
        if probabilities is not None:
            self.names += ["log_loss", "brier"]
            self._row_losses = _losses(true, probabilities)
            if n_classes <= MOST_CLASSES_WITH_AUC:
                self.names += ["auc"]
                # of two classes both areas are the same
                asked = range(n_classes) if n_classes > 2 else range(n_classes - 1, n_classes)
                self._rankings = [_ranking(probabilities[:, k], true == k) for k in asked]

    def __call__(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what `names` say, then the precision and the recall of each class."""
        n = self._n_classes
        of_pair = np.bincount(self._pair, weight, len(self._true))
        right = np.bincount(self._true, of_pair * (self._true == self._predicted), n)
        of_class = np.bincount(self._true, of_pair, n)
        taken = np.bincount(self._predicted, of_pair, n)
        total = weight.sum()
        accuracy = right.sum() / total
        precision, recall = _ratio(right, taken), _ratio(right, of_class)
        values = [accuracy, 1 - accuracy, np.mean(recall[of_class > 0])]
        values += list(weight @ self._row_losses / total)
        if self._rankings:
            values.append(_mean_of_defined([_area(one, weight) for one in self._rankings]))
        return np.concatenate([values, precision, recall])


class LabelColumnMeasures:
    """Accuracies of several columns of labels: of all together, and of each.

    Parameters
    ----------
    right : ndarray of bool, shape (n_rows, n_outputs)
        Whether each label is right.
    """

    names = ("accuracy", "error")

    def __init__(self, right: NDArray[np.bool_]) -> None:
        self._all_right = right.all(axis=1).astype(np.float64)
        self._right = right.astype(np.float64)

    def __call__(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of rows whose labels are all right, one minus it, and shares of each."""
        share = weight / weight.sum()
        accuracy = share @ self._all_right
        return np.concatenate([[accuracy, 1 - accuracy], share @ self._right])


def _losses(true: NDArray[np.intp], probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log loss and Brier score of each row; that of two classes is of one of them."""
    rows = np.arange(len(true))
    of_true = probabilities[rows, true]
    log_loss = -np.log(np.clip(of_true, _LEAST_PROBABILITY, 1.0))
    # sum over classes of (p - 1[true])² = sum of p² - 2 p_true + 1
    brier = np.sum(probabilities**2, axis=1) - 2 * of_true + 1
    if probabilities.shape[1] == 2:
        brier = brier / 2
    return np.stack([log_loss, brier], axis=1)


def _ranking(score: NDArray[np.float64], is_own: NDArray[np.bool_]) -> _Ranking:
    order = np.argsort(score, kind="stable")
    ascending, own = score[order], np.flatnonzero(is_own)
    start = np.searchsorted(ascending, score[own], side="left")
    return _Ranking(order, own, start, np.searchsorted(ascending, score[own], side="right"))


def _area(ranking: _Ranking, weight: NDArray[np.float64]) -> float:
    """Return the probability that a row of the class has a larger score than one of another.

    Equal scores count one half. The weight of all rows below a row of the class, half of those in
    its level included, is summed over the class; among themselves its rows give half of the
    squared weight of the class, which is taken off.
    """
    below = np.empty(len(weight) + 1)
    below[0] = 0.0
    np.cumsum(weight[ranking.order], out=below[1:])
    own = weight[ranking.own]
    of_class, total = own.sum(), below[-1]
    pairs = of_class * (total - of_class)
    if pairs <= 0:
        return float("nan")
    wins = own @ (below[ranking.level_start] + below[ranking.level_end]) / 2 - of_class**2 / 2
    return float(wins / pairs)


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return part / whole, NaN where there is nothing to divide by."""
    ratio = np.full(len(part), np.nan)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio


def _mean_of_defined(values: list[float]) -> float:
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")
