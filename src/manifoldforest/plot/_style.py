"""Colours and markers that mean the same in every picture, and where pictures are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, told apart with any kind of colour vision. Grey is the baseline. Nearest
# neighbours are of one family, light and dark.
COLORS = {
    "RF": "#5F5F5F",
    "SPORF": "#0072B2",
    "MORF": "#D55E00",
    "dRF": "#009E73",
    "kRF": "#CC79A7",
    "1NN": "#E69F00",
    "5NN": "#946300",
}
OTHER_COLORS = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = {"RF": "s", "SPORF": "^", "MORF": "o", "dRF": "p", "kRF": "v", "1NN": "<", "5NN": ">"}

# Classes: the same colours, the strongest contrasts first, and two more for ten digits.
CLASS_COLORS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"),
    *("#56B4E9", "#000000", "#F0E442", "#999999", "#882255"),
)


def method_colors(names: Sequence[str]) -> dict[str, str]:
    """Give every method its colour: the one it always has, or the next that is free."""
    others = [name for name in dict.fromkeys(names) if name not in COLORS]
    taken = {COLORS[name] for name in names if name in COLORS}
    free = [color for color in OTHER_COLORS if color not in taken]
    return {**COLORS, **{name: free[i % len(free)] for i, name in enumerate(others)}}


def class_colors(n_classes: int) -> NDArray[np.float64]:
    """Return one colour (red, green, blue in [0, 1]) per class, all different."""
    from matplotlib.colors import to_rgb

    if n_classes <= len(CLASS_COLORS):
        return np.array([to_rgb(color) for color in CLASS_COLORS[:n_classes]])
    hues = pyplot().get_cmap("turbo")(np.linspace(0.05, 0.95, n_classes))
    return np.asarray(hues[:, :3], dtype=np.float64)


def class_codes(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each label among the classes, which may be in any order."""
    order = np.argsort(classes, kind="stable")
    places = np.searchsorted(classes, labels, sorter=order)
    codes: NDArray[np.int64] = order[np.minimum(places, len(classes) - 1)]
    return codes


def new_axes(size: tuple[float, float] | None = None) -> Axes:
    """Return the axes of a new figure, `size` (width, height) in inches."""
    axes: Axes = pyplot().subplots(figsize=size, layout="constrained" if size else None)[1]
    return axes


@contextmanager
def drawing() -> Iterator[None]:
    """Draw many figures for files: none is shown, and all are closed in the end."""
    plt = pyplot()
    before = plt.get_fignums()
    with plt.rc_context({"figure.max_open_warning": 0, "interactive": False}):
        try:
            yield
        finally:
            for number in set(plt.get_fignums()).difference(before):
                plt.close(number)


def pyplot() -> ModuleType:
    """Return matplotlib's pyplot, or raise an error that tells how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"drawing needs {missing.name}, which is not installed: "
            "pip install 'manifoldforest[plot]'",
            name=missing.name,
        ) from missing
    return plt
