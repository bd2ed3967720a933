"""How findings and tables are written, and published tables of methods drawn as dots."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf

from ..drawing import add_legend, light_grid, panels_in_rows, whole_decades
from ..experiment import Sheet
from ..results import Results, beside
from .classification import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ORDER = ("BF", "BF-4", "OBF", "1-NN", "3-NN", "RF", "R-kd", "CT")  # of methods
Table = Mapping[str, Mapping[str, float]]  # numbers by data set and method
_COLORS = mf.plot.method_colors(("BF", "OBF", "R-kd", "CT", "1NN", "5NN", "RF"))
METHOD_COLORS = _COLORS | {"1-NN": _COLORS["1NN"], "3-NN": _COLORS["5NN"]}
FILLED: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 6}
HOLLOW = FILLED | {"markersize": 9, "markerfacecolor": "none", "markeredgewidth": 1.2}


def groups(results: Results, *parameters: str) -> Iterator[tuple[Any, ...]]:
    """Yield values of some parameters, and the rows that have them, as one tuple."""
    if not parameters:
        yield (results,)
        return
    for value, rows in results.by(parameters[0]).items():
        yield from ((value, *group) for group in groups(rows, *parameters[1:]))


def listed(values: Mapping[Any, Any], pattern: str = "{} {:.2f}") -> str:
    """Write names and numbers, or - if there are none."""
    return ", ".join(pattern.format(*item) for item in values.items()) or "-"


def spread(results: Results, metric: str, digits: int = 0, scale: float = 1) -> str:
    """Write the mean over seeds and, if there are several, its standard deviation."""
    mean, std = scale * results.mean(metric), scale * results.std(metric)
    if math.isnan(mean):
        return "-"
    return f"{mean:.{digits}f}" + ("" if math.isnan(std) else f" ± {std:.{digits}f}")


def percent(results: Results, metric: str = "error", digits: int = 2) -> str:
    """Write the mean over seeds in per cent and, if there are several, its standard deviation."""
    return spread(results, metric, digits, scale=100)


def seconds(value: float) -> str:
    """Write seconds with two or three digits."""
    if math.isnan(value):
        return "-"
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


@dataclass(frozen=True)
class Panel:
    """Values of methods: of ours one for each seed, of the published ones one."""

    title: str
    label: str  # of the axis of values
    ours: Mapping[str, NDArray[np.float64]]
    published: Mapping[str, float]
    doubtful: Collection[str] = ()  # methods whose published values get question marks
    log: bool = False
    from_zero: bool = False


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """A table of a paper, and what our numbers for it are."""

    word: str = ""  # what it tells
    label: str  # the same at an axis
    metric: str
    scale: float = 1  # of our numbers
    write: Callable[[Results, str], str]  # writes our number of a metric
    columns: tuple[str, ...]  # methods
    lines: Mapping[str, tuple[float, ...]]  # their numbers by data set
    doubtful: Mapping[str, Collection[str]] = field(default_factory=dict)  # methods by data set
    log: bool = False

    @property
    def published(self) -> Table:
        """Published numbers."""
        return {name: dict(zip(self.columns, of, strict=True)) for name, of in self.lines.items()}

    def ours(self, results: Results) -> dict[str, dict[str, float]]:
        """Return our means over seeds."""
        return {
            name: {m: self.scale * of.mean(self.metric) for m, of in rows.by("method").items()}
            for name, rows in results.by("data").items()
        }

    def _by_data(self, results: Results) -> dict[str, Results]:
        """Return the rows of each data set, in full runs of published ones without rows as well."""
        names = list(self.lines) if results.preset == "full" else results.distinct("data")
        return {name: results.where(data=name) for name in names}

    def _methods(self, results: Results) -> list[str]:
        """Return the methods that are run here and, in full runs, those of the paper."""
        known = {*METHODS, *(self.columns if results.preset == "full" else ())}
        return [name for name in ORDER if name in known]

    def sheet(self, title: str, results: Results) -> Sheet:
        """Write the same table, our numbers before theirs."""
        methods, lines = self._methods(results), []
        for name, rows in self._by_data(results).items():
            theirs = self.published.get(name, {})
            ours = {m: self.write(rows.where(method=m), self.metric) for m in methods}
            lines.append((name, *(beside(ours[m], theirs.get(m)) for m in methods)))
        return Sheet(title, ("data", *methods), tuple(lines))

    def figure(self, results: Results) -> Figure:
        """Draw one panel for each data set, and in it all methods that have a colour."""
        panels = []
        for name, rows in self._by_data(results).items():
            title = name if len(rows) else f"{name} (published only)"
            ours = {m: self.scale * of.values(self.metric) for m, of in rows.by("method").items()}
            theirs, doubtful = self.published.get(name, {}), self.doubtful.get(name, ())
            panels.append(
                Panel(title, self.label, ours, theirs, doubtful, self.log, from_zero=not self.log)
            )
        return draw_dots(panels, [name for name in self._methods(results) if name in METHOD_COLORS])


def draw_dots(panels: Sequence[Panel], methods: Sequence[str], columns: int = 2) -> Figure:
    """Draw the panels in rows; every method has the same place in each."""
    columns = min(columns, len(panels))
    n_rows = -(-len(panels) // columns)
    size = (7.8 if columns > 1 else 6.0, 0.6 + n_rows * (0.9 + 0.25 * len(methods)))
    figure, all_axes = panels_in_rows(len(panels), columns, size)
    for axes, panel in zip(all_axes, panels, strict=True):
        _draw_panel(axes, panel, methods)
    kinds = {"ours": FILLED} if any(panel.ours for panel in panels) else {}
    kinds |= {"published": HOLLOW} if any(panel.published for panel in panels) else {}
    add_legend(figure, {label: {"color": "0.2", **style} for label, style in kinds.items()}, 2)
    return figure


def _draw_panel(axes: Axes, panel: Panel, methods: Sequence[str]) -> None:
    for place, method in enumerate(methods):
        color = METHOD_COLORS[method]
        if method in panel.published:
            axes.plot(panel.published[method], place, color=color, **HOLLOW)
            if method in panel.doubtful:
                where = panel.published[method], place
                axes.annotate("?", where, (8, 0), textcoords="offset points", va="center")
        values = panel.ours.get(method, np.empty(0))
        if panel.log:
            values = values[values > 0]  # a coarse clock may have found no time at all
        if len(values):
            axes.plot([values.min(), values.max()], [place, place], color=color, linewidth=1.8)
            axes.plot(values.mean(), place, color=color, **FILLED)
    axes.set_yticks(range(len(methods)), methods)
    axes.set(ylim=(len(methods) - 0.5, -0.5), xlabel=panel.label)
    axes.set_title(panel.title, fontsize=10)
    axes.margins(x=0.08)
    if panel.log and axes.lines:
        whole_decades(axes)
    elif panel.from_zero:
        axes.set_xlim(left=0)
    light_grid(axes)
