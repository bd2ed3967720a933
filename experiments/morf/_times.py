"""What methods cost: seconds of training and testing in the runs of learning curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .._experiment import Finding, Picture, Reading, Sheet
from .._results import Results
from ._methods import METHODS
from ._seconds import PHASES, Measured, PublishedSeconds
from ._times_figure import draw_times
from ._times_findings import below_network, beside_published, on_par


@dataclass(frozen=True, kw_only=True)
class Times(Reading):
    """Seconds of training and testing, from rows of other experiments."""

    problems: Mapping[str, str]  # by the experiment that has their rows
    published: PublishedSeconds

    def measured(self, results: Results) -> Measured:
        """Return the seconds of finished rows."""
        return Measured(results, self.problems, self.published)

    def findings(self, results: Results) -> list[Finding]:
        """Judge what the paper says of times, and put our seconds beside the authors'."""
        times = self.measured(results)
        return [
            on_par(times, "train_seconds"),
            on_par(times, "test_seconds"),
            below_network(times, "train_seconds"),
            below_network(times, "test_seconds"),
            *beside_published(times),
        ]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return the seconds at the largest size of each problem, and the published ones."""
        return [_sheet(self.measured(results), phase) for phase in PHASES]

    def figures(self, results: Results) -> list[Picture]:
        """Draw training above testing, one column for each problem."""
        times, published = self.measured(results), self.published
        caption = (
            "CPU seconds on one thread over the number of training examples, means over "
            "training sets; testing is for the whole test set."
        )
        if times.comparable:
            caption += (
                f" Hollow markers beside n = {published.n}: published training times, seconds of "
                f"the clock on {published.cores} cores. One core would need up to "
                f"{published.cores} times as long: the dashed lines end there."
            )
        return [Picture(draw_times(times), caption)]


def _sheet(times: Measured, phase: str) -> Sheet:
    """Return one row for each method; cells are of the largest size that a problem has."""
    curves = {
        problem: {method: times.seconds(problem, method, phase) for method in METHODS}
        for problem in times.names
    }
    sizes = {
        problem: max((n for curve in methods.values() for n in curve), default=0)
        for problem, methods in curves.items()
    }
    published = times.published if phase == "train_seconds" and times.comparable else None
    rows = []
    for method in METHODS:
        if any(curves[problem][method] for problem in curves):
            cells = [
                _cell(
                    curves[problem][method].get(sizes[problem]),
                    published.training[problem].get(method) if published else None,
                )
                for problem in curves
            ]
            rows.append((method, *cells))
    title = f"CPU seconds of {PHASES[phase]} on one thread"
    if published:
        title += f" (published: seconds of the clock on {published.cores} cores, n = {published.n})"
    columns = tuple(f"{p}, n = {n}" if n else p for p, n in sizes.items())
    return Sheet(title, ("method", *columns), tuple(rows))


def _cell(ours: float | None, published: float | None) -> str:
    text = "–" if ours is None else f"{ours:.3g}"
    return text if published is None else f"{text} ({published:g})"
