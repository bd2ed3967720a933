"""Errors of repeated trials, and statements of the paper about which error is lower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..experiment import Finding
from ..results import Mean, Results, average, mean_of

Curve = tuple[str, str]  # method and transformation
Cell = tuple[str, str, int]  # method, transformation and number of features p
How = Literal["lower", "higher", "no higher", "same"]
Published = Mapping[Curve, Mapping[int, float]]  # errors by p, read from curves to about 0.002

RF_RAW, RERF_RAW, ROTRF_RAW = ("RF", "raw"), ("RerF", "raw"), ("RotRF", "raw")
MIN_TRIALS = 3  # fewer tell too little about the noise of a difference
UNDECIDED = "not decided: the differences are within their noise, or trials too few"


def published_errors(sizes: Sequence[int], curves: Mapping[Curve, Sequence[float]]) -> Published:
    """Return errors of curves at all sizes."""
    return {curve: dict(zip(sizes, errors, strict=True)) for curve, errors in curves.items()}


class Trials:
    """One metric of rows that have it, by method, transformation, p and seed.

    `methods` and `transformations` are in the order of the rows, `sizes` are all p in order.
    """

    def __init__(self, results: Results, metric: str = "error") -> None:
        self._values: dict[Cell, dict[int, float]] = {}
        for row in results:
            method, transformation, p = map(row.get, ("method", "transformation", "p"))
            cell = (str(method), str(transformation), int(p or 0))
            if metric in row.metrics:
                self._values.setdefault(cell, {})[row.seed] = row.metrics[metric]
        self.methods = list(dict.fromkeys(method for method, _, _ in self._values))
        self.transformations = list(dict.fromkeys(name for _, name, _ in self._values))
        self.sizes = sorted({p for _, _, p in self._values})

    def curve(self, curve: Curve) -> dict[int, Mean]:
        """Return the means over all trials of one method and transformation, by p."""
        found = {p: list(self._values.get((*curve, p), {}).values()) for p in self.sizes}
        return {p: mean_of(values) for p, values in found.items() if values}

    def common(self, cells: Sequence[Cell]) -> NDArray[np.float64]:
        """Return one row of values for each training set that all cells have."""
        known = [self._values.get(cell, {}) for cell in cells]
        seeds = sorted(set.intersection(*(set(values) for values in known)))
        return np.array([[values[s] for values in known] for s in seeds]).reshape(-1, len(cells))

    def differences(self, curve: Curve, other: Curve) -> dict[int, Mean]:
        """Return mean differences by p, over the training sets that both curves have."""
        pairs = {p: self.common([(*curve, p), (*other, p)]) for p in self.sizes}
        return {p: mean_of(pair[:, 0] - pair[:, 1]) for p, pair in pairs.items() if len(pair)}


@dataclass(frozen=True)
class Order:
    """One curve of errors over p lies below another, above it, no higher, or at the same height.

    "lower" holds if the average difference over p is clearly below zero, is wrong if that or the
    difference at any p is clearly above, and is not decided else; "higher" is its mirror image.
    "no higher" holds if no difference is clearly above zero, and "same" if the average is not
    clearly different from zero. Clearly is by Student's test of the paired differences; with fewer
    than three of them nothing is judged.
    """

    claim: str
    curve: Curve
    other: Curve
    sizes: tuple[int, ...]
    how: How = "lower"
    note: str = ""

    def judge(self, trials: Trials, published: Published) -> Finding | None:
        """Compare the two curves at all sizes that both have; None if there are none."""
        found = trials.differences(self.curve, self.other)
        ours = {p: found[p] for p in self.sizes if p in found}
        if not ours:
            return None
        enough = all(difference.freedom >= MIN_TRIALS - 1 for difference in ours.values())
        agrees = self._holds(list(ours.values())) if enough else None
        first, second = published.get(self.curve, {}), published.get(self.other, {})
        theirs = {p: first[p] - second[p] for p in ours if p in first and p in second}
        names = [" ".join(curve).removesuffix(" raw") for curve in (self.curve, self.other)]
        note = " minus ".join(names) + (f". {self.note}" if self.note else "")
        note += f"; {UNDECIDED}" if agrees is None else ""
        published_text = by_size(theirs, "{:+.3f}") or "-"
        return Finding(self.claim, by_size(ours, "{}"), published_text, agrees, note)

    def _holds(self, differences: Sequence[Mean]) -> bool | None:
        if self.how == "no higher":
            return not any(d.clearly_positive for d in differences)
        if self.how == "higher":
            differences = [-d for d in differences]
        mean = average(differences)
        if self.how == "same":
            return not (mean.clearly_positive or mean.clearly_negative)
        if mean.clearly_positive or any(d.clearly_positive for d in differences):
            return False
        return True if mean.clearly_negative else None


def judged(orders: Sequence[Order], trials: Trials, published: Published) -> list[Finding]:
    """Return the findings of those claims for which there are results."""
    findings = (order.judge(trials, published) for order in orders)
    return [finding for finding in findings if finding is not None]


def by_size(values: Mapping[int, Any], form: str) -> str:
    """Write one value for each p."""
    return ", ".join(f"p={p}: {form.format(value)}" for p, value in values.items())
