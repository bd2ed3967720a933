"""Values of leaves: what single trees say of examples, and the outputs inside of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..validation._arrays import read_indices

if TYPE_CHECKING:
    from ..forests._forest_model import ForestModel


def split_by_output(values: NDArray[Any], n_classes: list[int]) -> list[NDArray[Any]]:
    """Cut class shares, those of all outputs side by side along the last axis, into outputs."""
    if len(n_classes) == 1:
        return [values]
    return np.split(values, np.cumsum(n_classes)[:-1], axis=-1)


def row_errors(
    values: NDArray[np.float64], truth: NDArray[Any], n_classes: list[int]
) -> NDArray[np.float64]:
    """Return the error of each row: whether any label is wrong, or the mean squared error.

    Predicted values have one axis of rows, outputs side by side along the last axis, and perhaps
    axes before; `truth` (rows × outputs) are class indices or, if `n_classes` is empty, numbers.
    """
    if not n_classes:
        return np.asarray(np.mean((values - truth) ** 2, axis=-1))
    per_output = split_by_output(values, n_classes)
    labels = np.stack([shares.argmax(axis=-1) for shares in per_output], axis=-1)
    return np.asarray((labels != truth).any(axis=-1), dtype=np.float64)


def values_per_tree(
    model: ForestModel, leaves: NDArray[np.int32], tree_numbers: NDArray[np.intp], *, votes: bool
) -> NDArray[np.float64]:
    """Return what trees say of examples in given leaves: trees × examples × values.

    NaN where a tree is left out because its leaf is empty. With `votes` the largest share of each
    output is 1 and the others 0.
    """
    trees, offsets = model.trees, model.trees["tree_offsets"]
    values = np.empty((len(tree_numbers), len(leaves), trees["value"].shape[1]))
    for k, tree in enumerate(tree_numbers):
        nodes = leaves[:, tree] + offsets[tree]
        of_tree = trees["value"][nodes].astype(np.float64)
        if votes and model.n_classes:
            of_tree = _votes(of_tree, model.n_classes)
        if model.empty_leaf == "ignore":
            of_tree[trees["weight"][nodes] == 0] = np.nan
        values[k] = of_tree
    return values


def _votes(shares: NDArray[np.float64], n_classes: list[int]) -> NDArray[np.float64]:
    votes = np.zeros_like(shares)
    rows = np.arange(len(shares))
    of_output = zip(
        split_by_output(shares, n_classes), split_by_output(votes, n_classes), strict=True
    )
    for given, voted in of_output:  # parts of `votes` are views of it
        voted[rows, given.argmax(axis=1)] = 1.0
    return votes


def chosen_trees(trees: Any, n_trees: int) -> NDArray[np.intp]:
    """Return the numbers of the trees that were asked for; None is all."""
    if trees is None:
        return np.arange(n_trees)
    return read_indices(trees, "trees", n_trees)
