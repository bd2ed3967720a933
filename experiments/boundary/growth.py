"""How many examples boundary trees keep of those they have seen: what B1 and B2 share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf

from ..drawing import band, light_grid
from ..results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 10_000  # examples after which the slides show what trees say
GRID = 100  # places along each side of a map of the unit square


def unit_square(n: int, seed: int) -> NDArray[np.float32]:
    """Draw points of the unit square; the first of them do not depend on their number."""
    return np.random.default_rng(seed).random((n, 2), dtype=np.float32)


def samples(n: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Draw points to learn from, and others to test what was learned."""
    return unit_square(n, seed), unit_square(10_000, 1_000_000 + seed)


def grid_points() -> NDArray[np.float32]:
    """Return the centres of the pixels of a map, row by row from below."""
    centres = (np.arange(GRID, dtype=np.float32) + 0.5) / GRID
    return np.stack(np.meshgrid(centres, centres), axis=-1).reshape(-1, 2).astype(np.float32)


def nodes_after(trees: Iterable[mf.boundary.BoundaryTree], n_seen: Any) -> NDArray[np.float64]:
    """Return the mean number of nodes of trees after some numbers of examples.

    A tree never drops a node, so it tells how many it had at any time: those whose examples had
    come by then.
    """
    counts = [np.searchsorted(np.sort(tree.example), n_seen) for tree in trees]
    return np.asarray(np.mean(counts, axis=0), dtype=np.float64)


def exponent(trees: Sequence[mf.boundary.BoundaryTree], n: int) -> float:
    """Return b of nodes ~ examples^b over the last factor of ten, as from the slides' numbers."""
    before, after = nodes_after(trees, [n // 10, n])
    return float(np.log10(after / before))


def growth(
    trees: Sequence[mf.boundary.BoundaryTree], n: int, counted: Iterable[int]
) -> tuple[dict[str, float], dict[str, NDArray[Any]]]:
    """Return nodes after some numbers of examples up to n and the exponent; and the whole curve."""
    metrics = {f"nodes_{at}": float(nodes_after(trees, at)) for at in counted if at <= n}
    # from 100 examples on, twelve points in each factor of ten
    points = np.geomspace(100, n, 2 + int(12 * np.log10(n / 100)))
    n_seen = np.unique(points.round().astype(np.int64))
    curve = {"n_seen": n_seen, "nodes": nodes_after(trees, n_seen)}
    return metrics | {"exponent": exponent(trees, n)}, curve


def draw_growth(
    axes: Axes,
    curves: Mapping[str, Results],
    colors: Mapping[str, Any],
    published: Mapping[int, int],
) -> None:
    """Draw nodes over examples: the mean over seeds, and a band of one standard deviation."""
    for name, rows in curves.items():
        stored = [row.arrays for row in rows if "nodes" in row.arrays]
        if stored:
            nodes = np.array([arrays["nodes"] for arrays in stored])
            mean, std = nodes.mean(axis=0), nodes.std(axis=0)
            line: dict[str, Any] = {"color": colors[name], "linewidth": 1.8, "label": name}
            band(axes, stored[0]["n_seen"], mean - std, mean, mean + std, **line)
    hollow: dict[str, Any] = {"markerfacecolor": "none", "markersize": 8, "label": "published"}
    axes.plot(list(published), list(published.values()), "o", markeredgecolor="black", **hollow)
    axes.set(xscale="log", yscale="log", xlabel="examples seen")
    light_grid(axes)
