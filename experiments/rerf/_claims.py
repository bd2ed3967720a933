"""Statements of the paper about which error is lower, and how to judge them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .._experiment import Finding
from .._means import Mean, average
from ._published import Published
from ._trials import Trials

Curve = tuple[str, str]  # method and transformation
MIN_TRIALS = 3  # fewer tell too little about the noise of a difference
UNDECIDED = "not decided: the differences are within their noise, or trials too few"


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
    how: Literal["lower", "higher", "no higher", "same"] = "lower"
    published: Mapping[int, float] | None = None  # differences, where a figure has them
    note: str = ""

    def judge(self, trials: Trials, published: Published) -> Finding | None:
        """Compare the two curves at all sizes that both have."""
        found = {p: trials.difference((*self.curve, p), (*self.other, p)) for p in self.sizes}
        ours = {p: difference for p, difference in found.items() if difference is not None}
        if not ours:
            return None
        enough = all(
            trials.n_common((*self.curve, p), (*self.other, p)) >= MIN_TRIALS for p in ours
        )
        agrees = self._holds(list(ours.values())) if enough else None
        theirs = self._published(published)
        shown = {p: f"{theirs[p]:+.3f}" for p in ours if p in theirs}
        return Finding(
            claim=self.claim,
            ours=by_size({p: str(difference) for p, difference in ours.items()}),
            published=by_size(shown) if shown else "-",
            agrees=agrees,
            note=self._note() if agrees is not None else f"{self._note()}; {UNDECIDED}",
        )

    def _note(self) -> str:
        compared = f"{_name(self.curve)} minus {_name(self.other)}"
        return f"{compared}. {self.note}" if self.note else compared

    def _published(self, published: Published) -> Mapping[int, float]:
        if self.published is not None:
            return self.published
        mine, theirs = published.get(self.curve, {}), published.get(self.other, {})
        return {p: mine[p] - theirs[p] for p in mine.keys() & theirs.keys()}

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


def by_size(shown: Mapping[int, str]) -> str:
    """Write one value for each p."""
    return ", ".join(f"p={p}: {text}" for p, text in shown.items())


def judged(orders: Sequence[Order], trials: Trials, published: Published) -> list[Finding]:
    """Return the findings of those claims for which there are results."""
    findings = (order.judge(trials, published) for order in orders)
    return [finding for finding in findings if finding is not None]


def _name(curve: Curve) -> str:
    method, transformation = curve
    return method if transformation == "raw" else f"{method} {transformation}"
