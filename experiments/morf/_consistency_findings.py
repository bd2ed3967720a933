"""What the theorems of the thesis say, and what was found."""

from __future__ import annotations

import numpy as np

from .._experiment import Finding
from .._results import Results, Row
from ._honest_forests import BAYES_ERROR, SUBSAMPLE_EXPONENT, ExcessCurves


def consistency(method: str, theorem: str, curves: ExcessCurves) -> Finding:
    """Tell whether the error falls towards the Bayes error."""
    curve = curves.get(method, {})
    claim = f"The error of {method} converges to the Bayes error ({theorem})"
    published = f"limit {BAYES_ERROR:.4f}"
    if len(curve) < 2:
        return Finding(claim, "too few sizes", published, None)
    sizes, values = np.array(list(curve)), np.array(list(curve.values()))
    slope = float(np.polyfit(np.log(sizes), np.log(np.maximum(values, 1e-6)), 1)[0])
    falling = bool(np.all(np.diff(values) < 0))
    return Finding(
        claim,
        f"error above it: {values[0]:.4f} at n = {sizes[0]}, {values[-1]:.4f} at n = {sizes[-1]}; "
        f"it falls like n^{slope:.2f}",
        published,
        falling,
        "Agrees if it falls from each size to the next; a limit cannot be seen. Subsamples of "
        f"n^{SUBSAMPLE_EXPONENT:g} examples, half of them to fill the leaves. Assumption 4, a "
        "density between bounds, is not met by normal noise.",
    )


def price_of_honesty(curves: ExcessCurves) -> Finding:
    """Compare the errors of MORF with honesty and without."""
    honest, plain = curves.get("honest MORF", {}), curves.get("MORF", {})
    common = [n for n in honest if n in plain]
    claim = "Honesty is “a mild constraint”"
    if not common:
        return Finding(claim, "not measured", "–", None)
    n = common[-1]
    return Finding(
        claim,
        f"at n = {n}: {BAYES_ERROR + honest[n]:.4f} with it, {BAYES_ERROR + plain[n]:.4f} without",
        "no numbers: not used in the thesis's experiments",
        None,
        "MORF without honesty draws bootstraps of all examples.",
    )


def convexity(rows: Results) -> Finding:
    """Count points between two points of a cell that are outside of it."""
    tried = float(rows.values("pairs").sum())
    outside = sum(round((1 - r.metrics["convex"]) * r.metrics["pairs"]) for r in _with_pairs(rows))
    return Finding(
        "Trees partition the space into convex polytopes (Theorem 1)",
        f"{outside} of {tried:.0f} points between two points of one cell lie outside of it"
        if tried
        else "not measured",
        "0",
        outside <= 1e-5 * tried if tried else None,
        "Trees of " + ", ".join(rows.distinct("method")) + ". A point that rounding puts on the "
        "other side of a threshold would be counted as outside; up to 1 in 100 000 are allowed."
        if tried
        else "",
    )


def _with_pairs(rows: Results) -> list[Row]:
    return [row for row in rows if row.metrics.get("pairs", 0) > 0]
