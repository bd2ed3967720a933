"""Impurities and the exact split search, written to be verified by eye, not to be fast.

gain = W I(S) - W_L I(S_L) - W_R I(S_R), where W is a sum of row weights and I one of
  gini            sum_k p_k (1 - p_k)
  entropy         -sum_k p_k ln p_k
  squared_error   weighted variance
  absolute_error  weighted mean distance from the weighted median
  poisson         weighted mean of y ln(y / mean), half the Poisson deviance; no child may have the
                  mean 0, unless the node has
or a function of the rows of y and their weights.
Several outputs: the mean of the impurities of the outputs.
"""

from typing import NamedTuple

import numpy as np


class Split(NamedTuple):
    threshold: float
    gain: float
    missing_left: bool


def class_shares(labels, weight, n_classes):
    """Weighted share of every class in one column of labels."""
    sums = np.array([weight[labels == k].sum() for k in range(n_classes)], dtype=np.float64)
    return sums / weight.sum()


def median_cost(y, weight):
    """Smallest weighted sum of |y - m| over all m; one of the responses is always a best m."""
    return min(np.sum(weight * np.abs(y - m)) for m in np.unique(y))


def impurity(y, weight, criterion, n_classes=()):
    """Impurity of a set of rows, mean over the columns of y (n, outputs)."""
    total = weight.sum()
    if total <= 0:
        return 0.0
    if callable(criterion):
        return criterion(y, weight)
    per_output = []
    for output in range(y.shape[1]):
        column = y[:, output]
        if criterion in ("gini", "entropy"):
            p = class_shares(column, weight, n_classes[output])
            if criterion == "gini":
                per_output.append(np.sum(p * (1 - p)))
            else:
                p = p[p > 0]
                per_output.append(-np.sum(p * np.log(p)))
        elif criterion == "squared_error":
            mean = np.sum(weight * column) / total
            per_output.append(np.sum(weight * (column - mean) ** 2) / total)
        elif criterion == "absolute_error":
            per_output.append(median_cost(column, weight) / total)
        elif criterion == "poisson":
            mean, some = np.sum(weight * column) / total, column > 0
            deviance = weight[some] * column[some] * np.log(column[some] / mean)
            per_output.append(np.sum(deviance) / total)
        else:
            raise ValueError(criterion)
    return float(np.mean(per_output))


def admits(left, y, criterion):
    """Whether the criterion admits that rows of the mask `left` go left and all others right."""
    if criterion != "poisson":
        return True
    some = (y > 0).any(axis=0)
    return (y[left][:, some].max(axis=0) > 0).all() and (y[~left][:, some].max(axis=0) > 0).all()


def gain_of(left, y, weight, criterion, n_classes=()):
    """Gain of sending the rows of the mask `left` left and all others right."""
    terms = [
        weight[part].sum() * impurity(y[part], weight[part], criterion, n_classes)
        for part in (np.ones(len(y), bool), left, ~left)
    ]
    return float(terms[0] - terms[1] - terms[2])


def threshold_between(a, b):
    """Middle of two neighbouring values; a itself where the middle rounds to b or overflows."""
    if isinstance(a, np.integer):
        return float(a) / 2 + float(b) / 2
    middle = a / a.dtype.type(2) + b / a.dtype.type(2)
    return float(a) if middle >= b or not np.isfinite(middle) else float(middle)


def candidate_splits(
    values, y, weight, count, criterion, n_classes=(), min_samples_leaf=1, min_balance=0.0
):
    """Every admissible split of one column, in the order in which they are tried.

    Missing values go right at every threshold in ascending order, last with all present rows
    left; then they go left at every threshold. Without missing values there is one pass.
    """
    missing = np.isnan(values)
    distinct = np.unique(values[~missing])
    tries = [(a, b, False) for a, b in zip(distinct[:-1], distinct[1:], strict=True)]
    if missing.any():
        if len(distinct):
            tries.append((distinct[-1], None, False))
        tries += [(a, b, True) for a, b in zip(distinct[:-1], distinct[1:], strict=True)]
    smallest_child = max(min_samples_leaf, min_balance * count.sum() * (1 - 1e-12))
    splits = []
    for a, b, missing_left in tries:
        left = (values <= a) | (missing & missing_left)
        if min(count[left].sum(), count[~left].sum()) < smallest_child:
            continue
        if not admits(left, y, criterion):
            continue
        threshold = np.inf if b is None else threshold_between(a, b)
        gain = gain_of(left, y, weight, criterion, n_classes)
        splits.append(Split(threshold, gain, missing_left))
    return splits


def first_best(splits, tolerance=0.0):
    """The first split of largest gain, None unless that gain is positive."""
    best = None
    for split in splits:
        if split.gain > (tolerance if best is None else best.gain + tolerance):
            best = split
    return best
