"""What the nodes of a tree say of the examples in them, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._tree_view import TreeView
from ._values_per_tree import split_by_output

if TYPE_CHECKING:
    from ..forests._fitted_forest import FittedForest


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of one output at all nodes of a tree.

    Attributes
    ----------
    kind : {"shares", "scores", "numbers", "rows"}
        Shares of classes, scores of classes that are added up over trees, predicted numbers, or
        nothing but training rows.
    values : ndarray of shape (n_nodes, n_values)
        Shares, scores or numbers.
    classes : ndarray or None
        Labels, for shares and scores.
    is_empty : ndarray of bool, shape (n_nodes,)
        Nodes of honest trees that no row fills.
    """

    kind: Literal["shares", "scores", "numbers", "rows"]
    values: NDArray[np.float64]
    classes: NDArray[Any] | None
    is_empty: NDArray[np.bool_]

    def shares(self, node: int) -> NDArray[np.float64]:
        """Return the shares of the classes at a node, or nothing if there are none."""
        if self.kind != "shares" or self.is_empty[node]:
            return np.empty(0)
        shares: NDArray[np.float64] = self.values[node]
        return shares

    def number(self, node: int) -> float:
        """Return the number that a node predicts."""
        return float(self.values[node, 0])

    @cached_property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest number of all nodes."""
        return float(self.values.min()), float(self.values.max())

    def text(self, node: int) -> str:
        """Say in a few words what a node says; nothing if it only has rows."""
        if self.kind == "rows":
            return ""
        if self.is_empty[node]:
            return "empty"
        values = self.values[node]
        if self.kind == "numbers":
            return f"{values[0]:.4g}"
        assert self.classes is not None
        if self.kind == "shares":
            best = int(values.argmax())
            return f"{self.classes[best]}: {percent(float(values[best]))}"
        if len(values) == 1:  # the log odds of the second of two classes
            return f"{self.classes[-1]}: {values[0]:+.3g}"
        best = int(values.argmax())
        return f"{self.classes[best]}: {values[best]:+.3g}"


def outcomes_of(forest: FittedForest, tree: TreeView, output: int) -> Outcomes:
    """Return what the nodes of a tree of a forest say of one output."""
    model = forest._model
    per_output: list[NDArray[Any]] | None = getattr(forest, "_classes_by_output", None)
    classes = None if per_output is None else per_output[output]
    values = np.asarray(tree.value, dtype=np.float64)
    is_empty = np.asarray(tree.weight == 0)
    if hasattr(forest, "space_"):
        return Outcomes("rows", values[:, :0], None, is_empty)
    if classes is None:
        return Outcomes("numbers", values[:, output : output + 1], None, is_empty)
    if model.n_classes and model.link == "identity":
        shares = split_by_output(values, model.n_classes)[output]
        return Outcomes("shares", shares, classes, is_empty)
    assert per_output is not None
    widths = [_n_scores(len(labels), refined=bool(model.n_classes)) for labels in per_output]
    scores = np.split(values, np.cumsum(widths)[:-1], axis=1)[output]
    return Outcomes("scores", scores, classes, is_empty)


def _n_scores(n_classes: int, *, refined: bool) -> int:
    """Return how many scores an output has: one for two classes of a boosted forest."""
    return 1 if n_classes == 2 and not refined else n_classes


def weight_text(weight: float) -> str:
    """Say how many training rows a node has, or their weight if it is no whole number."""
    if weight != round(weight):
        return f"weight {weight:.3g}"
    return "1 row" if weight == 1 else f"{weight:.0f} rows"


def percent(share: float) -> str:
    """Return a share as a percentage; what is less than all is less than 100 %."""
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"


def small_percent(share: float) -> str:
    """Return a share that is mostly small as a percentage."""
    return f"{100 * share:.1f} %"
