"""How many examples boundary trees keep of those they have seen: what B1 and B2 share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.boundary import BoundaryTree

from .._results import Results
from ._panels import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PER_DECADE = 12  # points of a curve
_FIRST = 100  # examples at which curves begin
_N_TEST = 10_000
GRID = 100  # places along each side of a map of the unit square


def unit_square(n: int, seed: int) -> NDArray[np.float32]:
    """Draw points of the unit square; the first of them do not depend on their number."""
    return np.random.default_rng(seed).random((n, 2), dtype=np.float32)


def other_points(seed: int) -> NDArray[np.float32]:
    """Draw points to test what was learned from those of the same seed."""
    return unit_square(_N_TEST, 1_000_000 + seed)


def grid_points() -> NDArray[np.float32]:
    """Return the centres of the pixels of a map, row by row from below."""
    centres = (np.arange(GRID, dtype=np.float32) + 0.5) / GRID
    return np.stack(np.meshgrid(centres, centres), axis=-1).reshape(-1, 2).astype(np.float32)


def checkpoints(n: int) -> NDArray[np.int64]:
    """Return numbers of examples at which nodes are counted, evenly spaced on a log scale."""
    n_points = 2 + int(_PER_DECADE * np.log10(n / _FIRST))
    return np.unique(np.geomspace(_FIRST, n, n_points).round().astype(np.int64))


def nodes_after(trees: Iterable[BoundaryTree], n_seen: Any) -> NDArray[np.float64]:
    """Return the mean number of nodes of trees after some numbers of examples.

    A tree never drops a node, so it tells how many it had at any time: those whose examples had
    come by then.
    """
    counts = [np.searchsorted(np.sort(tree.example), n_seen) for tree in trees]
    return np.asarray(np.mean(counts, axis=0), dtype=np.float64)


def exponent(trees: Sequence[BoundaryTree], n: int) -> float:
    """Return b of nodes ~ examples^b over the last factor of ten, as from the slides' numbers."""
    before, after = nodes_after(trees, [n // 10, n])
    return float(np.log10(after / before))


def growth_metrics(
    trees: Sequence[BoundaryTree], n: int, counted: Iterable[int]
) -> dict[str, float]:
    """Return nodes after some numbers of examples, those up to n, and the exponent."""
    counts = [count for count in counted if count <= n]
    nodes = nodes_after(trees, counts)
    metrics = {f"nodes_{count}": float(of) for count, of in zip(counts, nodes, strict=True)}
    return metrics | {"exponent": exponent(trees, n)}


def growth_arrays(trees: Iterable[BoundaryTree], n: int) -> dict[str, NDArray[Any]]:
    """Return the curve of nodes over examples."""
    n_seen = checkpoints(n)
    return {"n_seen": n_seen, "nodes": nodes_after(trees, n_seen)}


def spread(results: Results, metric: str, digits: int = 0) -> str:
    """Write a mean over seeds and, if there are several, its standard deviation."""
    mean, std = results.mean(metric), results.std(metric)
    if np.isnan(mean):
        return "-"
    return f"{mean:.{digits}f}" + ("" if np.isnan(std) else f" ± {std:.{digits}f}")


def draw_growth(
    axes: Axes,
    curves: Mapping[str, Results],
    colors: Mapping[str, Any],
    published: Sequence[tuple[float, float]],
) -> None:
    """Draw nodes over examples: the mean over seeds, and a band of one standard deviation."""
    for name, rows in curves.items():
        stored = [row.arrays for row in rows if "nodes" in row.arrays]
        if not stored:
            continue
        n_seen = stored[0]["n_seen"]
        nodes = np.array([arrays["nodes"] for arrays in stored])
        mean, std = nodes.mean(axis=0), nodes.std(axis=0)
        color = colors[name]
        axes.fill_between(n_seen, mean - std, mean + std, color=color, alpha=0.18, linewidth=0)
        axes.plot(n_seen, mean, color=color, linewidth=1.8, label=name)
    axes.plot(
        *zip(*published, strict=True),
        linestyle="none",
        marker="o",
        markersize=8,
        markerfacecolor="none",
        markeredgecolor="black",
        label="published",
    )
    axes.set(xscale="log", yscale="log", xlabel="examples seen")
    plain(axes)
