"""What performance profiles say beside the published ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .._experiment import Finding
from .._results import Results
from ._profile import area, interval, ratios, resampled_areas
from ._profile_panel import METHODS, Panel

Panels = Sequence[Panel]
FEW = 20  # features
COMPARABLE = 1.25  # largest ratio of two training times that counts as "comparable"


def profile_findings(panels: Panels, results: Results) -> list[Finding]:
    """Compare the order of the methods in each panel, and their training times with those of RF."""
    orders = (_order(panel, results) for panel in panels)
    found = (*orders, _speed(panels, results), _rotation_speed(panels, results))
    return [finding for finding in found if finding is not None]


def _order(panel: Panel, results: Results) -> Finding | None:
    """Compare the order of the areas; a pair contradicts if its interval excludes a tie."""
    costs = panel.costs(results)
    if not len(costs):
        return None
    ratio = ratios(costs)
    ours, draws = area(ratio, panel.end), resampled_areas(ratio, panel.end)

    verdicts: list[bool | None] = []
    differences = []
    for i, j in ((1, 0), (2, 0), (1, 2)):
        low, high = interval(draws[:, i] - draws[:, j])
        differences.append(
            f"{METHODS[i]} − {METHODS[j]} {ours[i] - ours[j]:+.2f} [{low:+.2f}, {high:+.2f}], "
            f"published {panel.areas[i] - panel.areas[j]:+.2f}"
        )
        sign = np.sign(panel.areas[i] - panel.areas[j])
        if sign:
            contradicts = max(sign * low, sign * high) < 0
            same = sign * (ours[i] - ours[j]) >= 0
            verdicts.append(False if contradicts else True if same else None)
    return Finding(
        f"{panel.title}: order of the areas under the profiles",
        _ranking(ours),
        _ranking(np.array(panel.areas)) if results.preset == "full" else "-",
        _joint(verdicts) if results.preset == "full" else None,
        f"{len(costs)} data sets (paper: 115); differences with 95 % intervals over data sets: "
        + "; ".join(differences),
    )


def _joint(verdicts: list[bool | None]) -> bool | None:
    """Any contradiction decides; without one all pairs must agree for a yes."""
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _ranking(areas: NDArray[np.float64]) -> str:
    ranked = sorted(range(len(METHODS)), key=lambda i: -areas[i])
    text = f"{METHODS[ranked[0]]} {areas[ranked[0]]:.2f}"
    for before, i in zip(ranked, ranked[1:], strict=False):
        sign = "=" if areas[before] == areas[i] else ">"
        text += f" {sign} {METHODS[i]} {areas[i]:.2f}"
    return text


def _time_factors(method: str, panels: Panels, results: Results) -> dict[str, float]:
    """Return how many times as long as RF a method trains, for each transformation."""
    factors = {}
    for panel in panels:
        costs = panel.costs(results)
        if panel.metric == "train_seconds" and len(costs):
            logs = np.log(costs[:, METHODS.index(method)] / costs[:, 0])
            factors[panel.transformation] = float(np.exp(logs.mean()))
    return factors


def _speed(panels: Panels, results: Results) -> Finding | None:
    """Compare RerF with RF."""
    factors = _time_factors("RerF", panels, results)
    if not factors:
        return None
    agrees = all(1 / COMPARABLE <= factor <= COMPARABLE for factor in factors.values())
    return Finding(
        "RF and RerF need comparable training time, whatever the transformation",
        f"RerF takes {min(factors.values()):.2f} to {max(factors.values()):.2f} times as long",
        "comparable",
        agrees if results.preset == "full" else None,
        "geometric means over data sets, one for each transformation; the scoring of out-of-bag "
        f"rows is included; up to a factor of {COMPARABLE} counts as comparable",
    )


def _rotation_speed(panels: Panels, results: Results) -> Finding | None:
    """Compare RotRF with RF, also for few and for many features."""
    factors = _time_factors("RotRF", panels, results)
    if not factors:
        return None
    slow = all(factors.get(name, 2) > 1 for name in ("raw", "scaled"))
    fast = all(factors.get(name, 1) <= COMPARABLE for name in ("rotated", "affine"))
    parts = {
        f"up to {FEW} features": [row for row in results if row.metrics["features"] <= FEW],
        "more": [row for row in results if row.metrics["features"] > FEW],
    }
    means = []
    for name, rows in parts.items():
        of_part = _time_factors("RotRF", panels, Results(tuple(rows), results.preset))
        if of_part:
            means.append(f"{np.exp(np.mean(np.log([*of_part.values()]))):.2f} for {name}")
    return Finding(
        "RotRF is slower on raw and scaled data, but not on rotated and affine ones",
        "times the training time of RF: "
        + ", ".join(f"{name} {factor:.2f}" for name, factor in factors.items()),
        "slowest on raw and scaled data, performs well on rotated and affine ones",
        (slow and fast) if results.preset == "full" else None,
        f"geometric means over data sets; all transformations together {', '.join(means)}: "
        "rotations weigh more the more features there are",
    )
