"""Colours and markers that mean the same in every picture, and where pictures are drawn."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from itertools import cycle
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.validation._rules import Rule, check_argument, integer, shown

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

_NAMES = Rule(
    "an iterable of strings",
    lambda value: (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes)
        and getattr(value, "ndim", 1) == 1
    ),
)


def method_colors(names: Iterable[str]) -> dict[str, str]:
    """Return the colour of each method, the one that it has in all pictures of this module.

    Parameters
    ----------
    names : iterable of str
        Methods that appear in the same figure. Those in ``COLORS`` have the colour listed there;
        each of the others gets the next colour that no method of the figure has.

    Returns
    -------
    colors : dict of str to str
        Colours such as ``"#0072B2"``. They repeat when there are more names than colours.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> mf.plot.method_colors(["RF", "dRF", "mine"])
    {'RF': '#5F5F5F', 'dRF': '#009E73', 'mine': '#CC79A7'}
    """
    check_argument("names", names, _NAMES)
    given = list(names)
    if not all(isinstance(name, str) for name in given):
        raise TypeError(f"names must be {_NAMES.expected}, got {shown(given)}")
    return colors_of(given)


def colors_of(names: Iterable[Any]) -> dict[Any, str]:
    """Return the colours of methods by their names, which may be keys of any type."""
    distinct = list(dict.fromkeys(names))
    taken = {COLORS[name] for name in distinct if name in COLORS}
    free = cycle(color for color in OTHER_COLORS if color not in taken)
    return {name: COLORS[name] if name in COLORS else next(free) for name in distinct}


def class_colors(n_classes: int) -> NDArray[np.float64]:
    """Return the colours of classes, those of `decision_boundary` and `boundary_tree`.

    Parameters
    ----------
    n_classes : int
        Number of classes. Up to ten have colours that can be told apart with any kind of colour
        vision; more are spread over a colour map.

    Returns
    -------
    colors : ndarray of shape (n_classes, 3)
        Red, green and blue from 0 to 1 for each class, in the order of ``classes_``.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> mf.plot.class_colors(2).round(2)
    array([[0.  , 0.45, 0.7 ],
           [0.84, 0.37, 0.  ]])
    """
    check_argument("n_classes", n_classes, integer(1))
    to_rgb = import_matplotlib("colors").to_rgb
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


def pyplot() -> ModuleType:
    """Return matplotlib's pyplot, or raise an error that tells how to install it."""
    return import_matplotlib("pyplot")


def import_matplotlib(module: str) -> ModuleType:
    """Return a module of matplotlib, or raise an error that tells how to install it."""
    try:
        return import_module(f"matplotlib.{module}")
    except ModuleNotFoundError as missing:
        package = str(missing.name).partition(".")[0]  # of a module inside it
        raise ModuleNotFoundError(
            f"drawing needs {package}, which is not installed: pip install 'manifoldforest[plot]'",
            name=missing.name,
        ) from missing
