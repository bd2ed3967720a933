"""What all figures of the experiments share: panels, scales, bands and legends.

Colours and markers are those of `manifoldforest.plot`. matplotlib is loaded by what draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# The line of published values: thin, dashed, with hollow markers.
PUBLISHED: dict[str, Any] = {"linewidth": 1, "linestyle": (0, (4, 2.5)), "markerfacecolor": "none"}
LABEL_DISTANCE = 0.12  # between two numbers below an axis, at least, as a share of its length


def pyplot() -> ModuleType:
    import matplotlib.pyplot as plt

    return plt


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


def panels(
    n_rows: int, n_columns: int, size: tuple[float, float], title: str = "", **params: Any
) -> tuple[Figure, NDArray[Any]]:
    """Return a figure, `size` in inches, and its axes; `params` are those of `plt.subplots`."""
    figure, table = pyplot().subplots(
        n_rows, n_columns, figsize=size, squeeze=False, layout="constrained", **params
    )
    if title:
        figure.suptitle(title, fontsize=13, fontweight="bold")
    return figure, table


def panels_in_rows(
    n: int, n_columns: int, size: tuple[float, float], **params: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure and the axes of n panels; places that are left in the last row are empty."""
    figure, table = panels(-(-n // n_columns), n_columns, size, **params)
    axes: list[Axes] = list(table.flat)
    for unused in axes[n:]:
        unused.set_axis_off()
    return figure, axes[:n]


def light_grid(axes: Axes, axis: Literal["both", "x", "y"] = "both") -> None:
    """Leave a light grid behind the data and two of the four spines."""
    axes.grid(axis=axis, color="0.9", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def band(
    axes: Axes, x: ArrayLike, low: ArrayLike, middle: ArrayLike, high: ArrayLike, **line: Any
) -> None:
    """Draw a line in a pale band of its colour, which reaches from `low` to `high`."""
    axes.fill_between(x, low, high, color=line["color"], alpha=0.18, linewidth=0)
    axes.plot(x, middle, **line)


def short_number(value: float) -> str:
    """Write 500 and 10k."""
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def log_ticks(
    axes: Axes, which: Literal["x", "y"], values: Sequence[float], labels: Sequence[str] = ()
) -> None:
    """Give an axis a logarithmic scale with a tick at each of the values, in increasing order.

    Labels, by default the numbers, are left out where they would touch that of a larger value.
    """
    texts = list(labels or [f"{value:g}" for value in values])
    least_ratio = (values[-1] / values[0]) ** LABEL_DISTANCE
    next_shown = math.inf
    for i in reversed(range(len(values))):
        if next_shown / values[i] > least_ratio:
            next_shown = values[i]
        else:
            texts[i] = ""
    axes.set(**{f"{which}scale": "log"})
    axis: Axis = getattr(axes, f"{which}axis")
    axis.set_ticks(list(values), texts)
    axis.set_ticks([], minor=True)


def plain_numbers(axis: Axis) -> None:
    """Write 0.2 and 50 at a logarithmic axis in place of powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    # more numbers where there is room for them
    subs = (1.0, 2.0, 5.0) if high < 300 * low else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def whole_decades(axes: Axes) -> None:
    """Let a logarithmic x axis begin and end at powers of ten, written as plain numbers."""
    low, high = axes.dataLim.intervalx
    first, last = math.floor(math.log10(low) - 0.1), math.ceil(math.log10(high) + 0.1)
    step = 1 + (last - first) // 5  # no more than six numbers
    decades = [10.0**power for power in range(first, last + 1)]
    axes.set(xscale="log", xlim=(decades[0], decades[-1]))
    axes.set_xticks(decades[::step], [f"{value:g}" for value in decades[::step]])
    axes.set_xticks([], minor=True)


def add_legend(figure: Figure, styles: Mapping[str, Mapping[str, Any]], n_columns: int = 0) -> None:
    """Add one legend below all panels, of labels and the styles of their lines, in one row."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=label, **style) for label, style in styles.items()]
    n_columns = n_columns or max(1, len(handles))
    figure.legend(handles=handles, loc="outside lower center", ncols=n_columns, frameon=False)
