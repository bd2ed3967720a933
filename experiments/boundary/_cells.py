"""How the numbers of the tables are written."""

from __future__ import annotations

import math

from .._results import Results


def percent(results: Results, metric: str = "error", digits: int = 2) -> str:
    """Write the mean over seeds in per cent and, if there are several, its deviation."""
    mean, std = 100 * results.mean(metric), 100 * results.std(metric)
    if math.isnan(mean):
        return "-"
    return f"{mean:.{digits}f}" + ("" if math.isnan(std) else f" ± {std:.{digits}f}")


def seconds(value: float) -> str:
    """Write seconds with two or three digits."""
    if math.isnan(value):
        return "-"
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def beside(ours: str, published: float | None) -> str:
    """Write ours (published)."""
    return ours if published is None else f"{ours} ({published:g})"
