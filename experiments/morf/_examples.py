"""Pictures of single examples: the top row of the papers' figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.datasets._impulse import impulse_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]
Show = Callable[["Axes", Array, int], None]  # draws one example, given its label

N_EXAMPLES = 4  # of two classes, two of each


def first_of_each_class(X: Array, y: Array) -> dict[str, Array]:
    """Return the first examples of each class, one or two, with their labels."""
    classes = np.unique(y)
    each = max(1, N_EXAMPLES // len(classes))
    rows = np.concatenate([np.flatnonzero(y == label)[:each] for label in classes])
    return {"examples": X[rows], "labels": y[rows]}


def show_ring(ax: Axes, example: Array, label: int) -> None:
    """Draw the positions of a ring: black if on."""
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(example)) / len(example)
    x, y = np.cos(angles), np.sin(angles)
    on = example > 0
    ax.scatter(x[~on], y[~on], s=4, color="0.75", linewidths=0)
    ax.scatter(x[on], y[on], s=26, color="black", linewidths=0)
    ax.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
    ax.set_axis_off()


def show_image(ax: Axes, example: Array, label: int) -> None:
    """Draw an image, dark where its values are large."""
    ax.imshow(example, cmap="Greys", interpolation="nearest")
    ax.set(xticks=[], yticks=[])


def show_series(ax: Axes, example: Array, label: int) -> None:
    """Draw a time series, and the impulse that is in those of class 1."""
    ax.plot(example, color="0.45", linewidth=0.9)
    ax.plot(label * impulse_curve(), color="black", linewidth=2)
    ax.set(xticks=[0, 50, 100], yticks=[-3, 0, 3], xlim=(0, 100), ylim=(-3.5, 3.5))
    ax.set_xlabel("time", labelpad=1)
    ax.tick_params(length=2)
