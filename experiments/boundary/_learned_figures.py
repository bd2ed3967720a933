"""Figures of learned trees, and of the representation that they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.plot import boundary_tree
from manifoldforest.plot._style import class_colors

from .._experiment import Picture
from .._results import Row
from ._learned_arrays import N_DRAWN
from ._learned_methods import LEARNED, NEAREST, NETWORK
from ._panels import panels


@dataclass(frozen=True)
class _KeptTree:
    """What a stored tree and its picture have in common."""

    example: NDArray[Any]
    parent: NDArray[Any]
    label: NDArray[Any]


@dataclass(frozen=True)
class _Kept:
    """What `boundary_tree` reads of a forest."""

    trees_: list[_KeptTree]
    stored_: NDArray[Any]
    stored_examples_: tuple[NDArray[Any], NDArray[Any]]
    classes_: NDArray[Any]


def draw_tree(row: Row) -> Picture:
    """Draw the stored nodes of a tree with their images."""
    images, parent, label = (row.arrays[name] for name in ("images", "parent", "label"))
    nodes = np.arange(len(parent))
    kept = _Kept([_KeptTree(nodes, parent, label)], nodes, (images, label), np.arange(10))
    figure: Any = boundary_tree(kept, max_nodes=N_DRAWN).figure
    width, height = figure.get_size_inches()
    figure.set_size_inches(min(width, 9.5), height * min(width, 9.5) / width)
    method, total = str(row.get("method")), int(row.metrics["nodes"])
    where = "the learned representation" if method == LEARNED else "pixels"
    part = "" if total <= len(nodes) else f"; the {len(nodes)} of {total} nodes next to the root"
    caption = (
        f"A tree built from {row.get('n_samples')} samples by distances of {where}{part}. "
        f"Frames are coloured by digit. Test error {100 * row.metrics['error']:.2f} %."
    )
    return Picture(figure, caption)


def draw_tsne(rows: list[Row]) -> Picture:
    """Draw test images in the plane, a panel for each representation."""
    titles = {NEAREST: "pixels", NETWORK: "outputs of a network", LEARNED: "learned for the tree"}
    shown = {str(row.get("method")): row for row in reversed(rows)}
    methods = [method for method in titles if method in shown]
    figure, grid = panels(1, len(methods), (max(4.0, 3.1 * len(methods)), 3.7))
    colors = class_colors(10)
    for axes, method in zip(grid[0], methods, strict=True):
        arrays = shown[method].arrays
        for digit in range(10):
            places = arrays["tsne"][arrays["digit"] == digit]
            axes.scatter(*places.T, s=9, color=colors[digit], linewidths=0, label=str(digit))
        axes.set(xticks=[], yticks=[], aspect="equal", title=titles[method])
        axes.set_box_aspect(1)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    style = {"columnspacing": 0.8, "handletextpad": 0.0, "markerscale": 2, "frameon": False}
    columns = 10 if len(methods) > 1 else 5
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, **style)
    caption = (
        "t-SNE of the same test images, coloured by digit. The paper shows that of the outputs of "
        "a plain network (here log-probabilities) beside that of the learned representation, with "
        "training images; we add pixels."
    )
    if LEARNED not in methods:
        caption += " The learned representation was not measured."
    return Picture(figure, caption)
