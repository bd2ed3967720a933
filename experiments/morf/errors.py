"""Test errors over the training size, ours beside the published ones, and claims about them.

A claim is a function that judges a statement of the papers by our errors, of which some or all
may be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..experiment import Finding, Sheet
from ..results import Mean, Results, mean_of
from .methods import METHODS

NOTHING = "–"  # where there is no number
Published = Mapping[str, Mapping[int, float]]  # errors by method and training size


def by_size(sizes: Sequence[int], errors: Mapping[str, Sequence[float]]) -> Published:
    """Write published errors, one for each size in turn, as a mapping from size to error."""
    return {method: dict(zip(sizes, row, strict=True)) for method, row in errors.items()}


@dataclass(frozen=True)
class Errors:
    """Errors by method and training size; some of ours may be missing, and of the published."""

    ours: Mapping[str, Mapping[int, NDArray[np.float64]]]  # one number for each repetition
    published: Published

    def noise(self, method: str, other: str, size: int) -> float:
        """Return how far our means may differ by chance; a single repetition counts as exact."""
        errors = (self.ours[method][size], self.ours[other][size])
        first, second = (mean_of(v) if len(v) > 1 else Mean(float(v[0]), 0.0) for v in errors)
        return (first - second).noise

    def means(self) -> Published:
        """Return our averages in the form in which the published errors come."""
        return {
            method: {n: float(curve[n].mean()) for n in sorted(curve)}
            for method, curve in self.ours.items()
        }

    def sizes(self) -> list[int]:
        """Return all sizes at which we have an error."""
        return sorted({size for curve in self.ours.values() for size in curve})


def errors_in(results: Results, published: Published, metric: str = "error") -> Errors:
    """Collect the errors of all rows."""
    ours = {
        method: {int(size): at_size.values(metric) for size, at_size in rows.by("n").items()}
        for method, rows in results.by("method").items()
    }
    return Errors(ours, published)


def shown(error: float) -> str:
    """Write an error with three digits, or four if it is small."""
    return f"{error:.4f}" if error < 0.0495 else f"{error:.3f}"


def beside(
    ours: float | None, published: float | None, write: Callable[[float], str] = shown
) -> str:
    """Write ours (published), of which either may be missing."""
    text = NOTHING if ours is None else write(ours)
    return text if published is None else f"{text} ({write(published)})"


def sheet(
    title: str, corner: str, columns: Mapping[Any, str], rows: Mapping[str, Mapping[Any, str]]
) -> Sheet:
    """Return a table of the report from the headings of its columns and the cells of its rows."""
    cells = tuple(
        (name, *(row.get(column, NOTHING) for column in columns)) for name, row in rows.items()
    )
    return Sheet(title, (corner, *columns.values()), cells)


IN_PAPERS = tuple(method for method in METHODS if method != "XGB")
BUT_CNN = tuple(method for method in IN_PAPERS if method != "CNN")
ANY_SIZE = 10**9
BEYOND_NOISE = (
    "Of ours, those count as lower that are so by more than chance, as Student's test tells."
)

Claim = Callable[[Errors], Finding]
Noise = Callable[[str, str, int], float]  # of the difference of two methods at a size


def same_as_published(method: str, note: str = "", *, to_size: int = ANY_SIZE) -> Claim:
    """Claim: the published error is within two standard deviations over our training sets."""

    def judge(errors: Errors) -> Finding:
        ours, published = errors.ours.get(method, {}), errors.published.get(method, {})
        sizes = [n for n in sorted(ours) if n in published and n <= to_size and len(ours[n]) > 1]
        outside: dict[str, list[str]] = {"lower": [], "higher": []}
        for n in sizes:
            mean, deviation = float(ours[n].mean()), float(ours[n].std(ddof=1))
            if abs(published[n] - mean) > 2 * deviation:
                text = f"n = {n}: {shown(mean)} ± {shown(deviation)} against {shown(published[n])}"
                outside["lower" if mean < published[n] else "higher"].append(text)
        n_outside = sum(map(len, outside.values()))
        parts = [f"within at {len(sizes) - n_outside} of {len(sizes)} sizes"]
        parts += [f"ours is {side} at {'; '.join(at)}" for side, at in outside.items() if at]
        limit = f" ≤ {to_size}" if to_size < ANY_SIZE else ""
        return Finding(
            f"The published error of {method} lies within two standard deviations over "
            f"training sets of ours at every n{limit}",
            "; ".join(parts) if sizes else NOTHING,
            _curve(published, sizes),
            not n_outside if sizes else None,
            note if n_outside else "",
        )

    return judge


def not_above(method: str, *, from_size: int, margin: float) -> Claim:
    """Claim: with many examples, a method is at least as good as published, up to a margin."""

    def judge(errors: Errors) -> Finding:
        ours, published = errors.means().get(method, {}), errors.published.get(method, {})
        sizes = [n for n in ours if n in published and n >= from_size]
        above = [str(n) for n in sizes if ours[n] > published[n] + margin + 1e-12]
        return Finding(
            f"{method} is at most {margin:g} above the published error for n ≥ {from_size}",
            _curve(ours, sizes),
            _curve(published, sizes),
            not above if sizes else None,
            f"Not at n = {', '.join(above)}." if above else "",
        )

    return judge


def lowest(
    method: str,
    claim: str,
    others: tuple[str, ...] = IN_PAPERS,
    *,
    from_size: int = 0,
    to_size: int = ANY_SIZE,
    note: str = "",
) -> Claim:
    """Claim: no other method has a lower error than this one, between two sizes."""

    def compare(curves: Published, noise: Noise) -> tuple[str, bool | None]:
        own = curves.get(method, {})
        rivals = {m: curves[m] for m in others if m in curves and m != method}
        known = {n for curve in rivals.values() for n in curve if from_size <= n <= to_size}
        sizes = [n for n in sorted(own) if n in known]
        beyond, within = [], []  # noise
        for n in sizes:
            lower = {m: c[n] for m, c in rivals.items() if n in c and c[n] < own[n]}
            clear = {m: e for m, e in lower.items() if own[n] - e > noise(method, m, n)}
            unclear = [m for m in lower if m not in clear]
            if clear:
                listed = ", ".join(f"{m} {shown(error)}" for m, error in clear.items())
                beyond.append(f"n = {n}: {listed} against {shown(own[n])}")
            if unclear:
                within.append(f"n = {n}: {', '.join(unclear)}")
        text = f"no other is lower at {len(sizes) - len(beyond)} of {len(sizes)} sizes"
        text += f"; lower at {'; '.join(beyond)}" if beyond else ""
        text += f" (lower within noise at {'; '.join(within)})" if within else ""
        return (text, not beyond) if sizes else (NOTHING, None)

    return _claim(claim, compare, f"{BEYOND_NOISE} {note}".strip())


def far_below(
    method: str, others: tuple[str, ...], claim: str, *, from_size: int, fraction: float
) -> Claim:
    """Claim: a method's error is at most a fraction of the lowest of others."""

    def compare(curves: Published, noise: Noise) -> tuple[str, bool | None]:
        own, rivals = curves.get(method, {}), [curves[m] for m in others if m in curves]
        known = set(own).intersection(*rivals) if rivals else set()
        sizes = [n for n in sorted(known) if n >= from_size]
        best = {n: min(rival[n] for rival in rivals) for n in sizes}
        text = "; ".join(f"n = {n}: {shown(own[n])} against {shown(best[n])}" for n in sizes)
        holds = all(own[n] <= fraction * best[n] for n in sizes)
        return (text, holds) if sizes else (NOTHING, None)

    note = f"Judged by at most {fraction:g} times the error for n ≥ {from_size}."
    return _claim(claim, compare, note)


def near_zero(claim: str, *, from_size: int, bound: float, besides: tuple[str, ...]) -> Claim:
    """Claim: from some size on, all methods but a few make hardly an error."""

    def compare(curves: Published, noise: Noise) -> tuple[str, bool | None]:
        methods = [m for m in METHODS if m in curves and m not in besides]
        found = [(e, m, n) for m in methods for n, e in curves[m].items() if n >= from_size]
        if not found:
            return NOTHING, None
        error, method, n = max(found)
        return f"at most {shown(error)} ({method}, n = {n})", error <= bound

    return _claim(claim, compare, "")


def _claim(
    claim: str, compare: Callable[[Published, Noise], tuple[str, bool | None]], note: str
) -> Claim:
    """Compare our curves, which decide, and the published ones, whose noise is not known."""

    def judge(errors: Errors) -> Finding:
        ours, agrees = compare(errors.means(), errors.noise)
        published, _ = compare(errors.published, lambda *methods_and_size: 0.0)
        return Finding(claim, ours, published, agrees, note)

    return judge


def _curve(curve: Mapping[int, float], sizes: Iterable[int]) -> str:
    return "; ".join(f"n = {n}: {shown(curve[n])}" for n in sizes) or NOTHING
