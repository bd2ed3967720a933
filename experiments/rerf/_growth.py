"""Costs that grow with the size of the training set, and the exponents of the growth."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._results import Results
from ._slopes import Slope, fit_slope

Array = NDArray[Any]
METHODS = ("RF", "RerF", "RotRF")
EXTRA = "RotRF − RF"
METRICS = {
    "train_seconds": "training time per tree (CPU ms)",
    "model_bytes": "model file per tree (kB)",
    "memory_bytes": "arrays in memory per tree (kB)",
}
THOUSANDTH = {"train_seconds": 1e3, "model_bytes": 1e-3, "memory_bytes": 1e-3}  # to the units above


class Size(NamedTuple):
    """Rows and features of a training set."""

    rows: int
    features: int


class Sweep(NamedTuple):
    """One size that changes while the other stays."""

    over: Literal["rows", "features"]
    sizes: tuple[Size, ...]
    slope_from: int  # smaller sizes are drawn, but costs that do not grow weigh too much in them

    @property
    def label(self) -> str:
        """What changes and what stays."""
        fixed = "features" if self.over == "rows" else "rows"
        return f"{self.over} ({getattr(self.sizes[0], fixed)} {fixed})"


def costs_of(sweep: Sweep, metric: str, method: str, results: Results) -> tuple[Array, Array]:
    """Return sizes and costs of one method, or what RotRF costs more than RF."""
    chosen = results.where(over=sweep.over)
    if method != EXTRA:
        rows = [row for row in chosen.where(method=method) if metric in row.metrics]
        sizes = [row.get(sweep.over) for row in rows]
        return np.array(sizes, float), np.array([row.metrics[metric] for row in rows])
    paired: dict[tuple[Any, Any], dict[Any, float]] = {}
    for row in chosen:
        key = (row.get(sweep.over), row.seed)
        paired.setdefault(key, {})[row.get("method")] = row.metrics[metric]
    both = {key: costs for key, costs in paired.items() if {"RF", "RotRF"} <= costs.keys()}
    sizes = [size for size, _ in both]
    return np.array(sizes, float), np.array([c["RotRF"] - c["RF"] for c in both.values()])


def slope_of(sweep: Sweep, metric: str, method: str, results: Results) -> Slope | None:
    """Return the exponent of one method's growth over the larger sizes."""
    sizes, costs = costs_of(sweep, metric, method, results)
    large = sizes >= sweep.slope_from
    return fit_slope(sizes[large], costs[large])
