"""Tables of performance profiles, and of the errors behind them."""

from __future__ import annotations

from collections.abc import Sequence

from .._experiment import Sheet
from .._results import Results
from ._profile import area, interval, ratios, resampled_areas
from ._profile_panel import METHODS, Panel


def areas_sheet(panels: Sequence[Panel], results: Results) -> Sheet:
    """Return the areas under all profiles."""
    rows = []
    for panel in panels:
        costs = panel.costs(results)
        if not len(costs):
            continue
        ratio = ratios(costs)
        ours, draws = area(ratio, panel.end), resampled_areas(ratio, panel.end)
        cells = []
        for i, published in enumerate(panel.areas):
            low, high = interval(draws[:, i])
            cells.append(f"{ours[i]:.2f} [{low:.2f}, {high:.2f}] ({published:.2f})")
        rows.append((panel.title, f"1 to {panel.end:g}", str(len(costs)), *cells))
    return Sheet(
        "Areas under the performance profiles [95 % interval over data sets] (published)",
        ("panel", "ratios", "data sets", *METHODS),
        tuple(rows),
    )


def wins_sheet(panels: Sequence[Panel], results: Results) -> Sheet:
    """Return how often each method beats each other one."""
    rows = []
    for panel in panels:
        costs = panel.costs(results)
        if panel.metric == "error" and len(costs):
            for i, j in ((1, 0), (2, 0), (1, 2)):
                less, more = costs[:, i] < costs[:, j], costs[:, i] > costs[:, j]
                counts = (less.sum(), (~less & ~more).sum(), more.sum())
                mean = (costs[:, i] - costs[:, j]).mean()
                pair = f"{METHODS[i]} against {METHODS[j]}"
                rows.append((panel.transformation, pair, *map(str, counts), f"{mean:+.4f}"))
    return Sheet(
        "On how many data sets one method has the smaller error",
        ("data", "methods", "smaller", "equal", "larger", "mean difference"),
        tuple(rows),
    )


def errors_sheet(transformations: tuple[str, ...], results: Results) -> Sheet:
    """Return the errors on all data sets."""
    rows = []
    for name, of_set in results.by("data").items():
        sizes = (f"{of_set.mean('rows'):.0f}", f"{of_set.mean('features'):.0f}")
        cells = []
        for transformation in transformations:
            cell = of_set.where(transformation=transformation)
            errors = [cell.where(method=method).values("error") for method in METHODS]
            cells.append(" / ".join(f"{e[0]:.3f}" if len(e) else "-" for e in errors))
        rows.append((str(name), *sizes, *cells))
    return Sheet(
        f"Out-of-bag errors of {' / '.join(METHODS)}, the smallest over d",
        ("data set", "rows", "features", *transformations),
        tuple(rows),
    )
