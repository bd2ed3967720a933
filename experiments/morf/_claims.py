"""What the MORF papers say of their learning curves, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from .._experiment import Finding
from ._errors import NOTHING, Errors, Published, shown
from ._methods import METHODS

IN_PAPERS = tuple(method for method in METHODS if method != "XGB")
BUT_CNN = tuple(method for method in IN_PAPERS if method != "CNN")
BEYOND_NOISE = (
    "Of ours, those count as lower that are so by more than chance, as Student's test tells."
)


class Claim(Protocol):
    """A statement of a paper."""

    def judge(self, errors: Errors) -> Finding:
        """Compare it with our errors, of which some or all may be missing."""
        ...


@dataclass(frozen=True)
class SameAsPublished:
    """The error of a method is the published one, as far as training sets differ."""

    method: str
    note: str = ""
    to_size: int = 10**9

    def judge(self, errors: Errors) -> Finding:
        """Look for published errors beyond two standard deviations over our training sets."""
        published = errors.published.get(self.method, {})
        sizes = [
            size
            for size in errors.sizes_of(self.method)
            if size in published
            and size <= self.to_size
            and len(errors.ours[self.method][size]) > 1
        ]
        lower: list[str] = []
        higher: list[str] = []
        for size in sizes:
            values = errors.ours[self.method][size]
            mean, deviation = float(values.mean()), float(values.std(ddof=1))
            if abs(published[size] - mean) > 2 * deviation:
                text = (
                    f"n = {size}: {shown(mean)} ± {shown(deviation)} against "
                    f"{shown(published[size])}"
                )
                (lower if mean < published[size] else higher).append(text)
        limit = f" ≤ {self.to_size}" if self.to_size < 10**9 else ""
        n_within = len(sizes) - len(lower) - len(higher)
        parts = [f"within at {n_within} of {len(sizes)} sizes"]
        parts += [f"ours is lower at {'; '.join(lower)}"] if lower else []
        parts += [f"ours is higher at {'; '.join(higher)}"] if higher else []
        return Finding(
            claim=f"The published error of {self.method} lies within two standard deviations over "
            f"training sets of ours at every n{limit}",
            ours="; ".join(parts) if sizes else NOTHING,
            published=_curve(published, sizes),
            agrees=not (lower or higher) if sizes else None,
            note=self.note if lower or higher else "",
        )


@dataclass(frozen=True)
class NotAbove:
    """With many examples, a method is at least as good as published, up to a margin."""

    method: str
    from_size: int
    margin: float

    def judge(self, errors: Errors) -> Finding:
        """Compare our mean with the published error at every size from the first on."""
        published = errors.published.get(self.method, {})
        sizes = [
            size
            for size in errors.sizes_of(self.method)
            if size in published and size >= self.from_size
        ]
        above = [
            n for n in sizes if errors.mean(self.method, n) > published[n] + self.margin + 1e-12
        ]
        return Finding(
            claim=f"{self.method} is at most {self.margin:g} above the published error for "
            f"n ≥ {self.from_size}",
            ours=_curve(errors.means().get(self.method, {}), sizes),
            published=_curve(published, sizes),
            agrees=not above if sizes else None,
            note=f"Not at n = {_listed(above)}." if above else "",
        )


@dataclass(frozen=True)
class Lowest:
    """No other method has a lower error than this one, between two sizes."""

    method: str
    claim: str
    others: tuple[str, ...] = IN_PAPERS
    from_size: int = 0
    to_size: int = 10**9
    note: str = ""

    def judge(self, errors: Errors) -> Finding:
        """Look for methods whose mean is lower by more than chance."""
        ours, agrees = self._compare(errors.means(), errors.noise)
        published, _ = self._compare(errors.published, lambda *methods_and_size: 0.0)
        return Finding(
            claim=self.claim,
            ours=ours,
            published=published,
            agrees=agrees,
            note=f"{BEYOND_NOISE} {self.note}".strip(),
        )

    def _compare(
        self, curves: Published, noise: Callable[[str, str, int], float]
    ) -> tuple[str, bool | None]:
        """Say where another method is lower."""
        own = curves.get(self.method, {})
        rivals = [m for m in self.others if m in curves and m != self.method]
        sizes = [
            n
            for n in sorted(own)
            if self.from_size <= n <= self.to_size and any(n in curves[m] for m in rivals)
        ]
        if not sizes:
            return NOTHING, None
        beyond, within = [], []  # noise
        for n in sizes:
            lower = [m for m in rivals if n in curves[m] and curves[m][n] < own[n]]
            clear = [m for m in lower if own[n] - curves[m][n] > noise(self.method, m, n)]
            unclear = [m for m in lower if m not in clear]
            if clear:
                listed = ", ".join(f"{m} {shown(curves[m][n])}" for m in clear)
                beyond.append(f"n = {n}: {listed} against {shown(own[n])}")
            if unclear:
                within.append(f"n = {n}: {', '.join(unclear)}")
        text = f"no other is lower at {len(sizes) - len(beyond)} of {len(sizes)} sizes"
        text += f"; lower at {'; '.join(beyond)}" if beyond else ""
        text += f" (lower within noise at {'; '.join(within)})" if within else ""
        return text, not beyond


@dataclass(frozen=True)
class FarBelow:
    """A method's error is a fraction of that of others."""

    method: str
    others: tuple[str, ...]
    claim: str
    from_size: int
    fraction: float

    def judge(self, errors: Errors) -> Finding:
        """Compare with the lowest of the others at every size from the first on."""
        ours, holds = self._compare(errors.means())
        published, _ = self._compare(errors.published)
        return Finding(
            claim=self.claim,
            ours=ours,
            published=published,
            agrees=holds,
            note=f"Judged by at most {self.fraction:g} times the error for n ≥ {self.from_size}.",
        )

    def _compare(self, curves: Published) -> tuple[str, bool | None]:
        own = curves.get(self.method, {})
        others = [curves[m] for m in self.others if m in curves]
        sizes = [
            n for n in sorted(own) if n >= self.from_size and others and all(n in o for o in others)
        ]
        if not sizes:
            return NOTHING, None
        pairs = {n: (own[n], min(other[n] for other in others)) for n in sizes}
        text = "; ".join(f"n = {n}: {shown(a)} against {shown(b)}" for n, (a, b) in pairs.items())
        return text, all(a <= self.fraction * b for a, b in pairs.values())


@dataclass(frozen=True)
class NearZero:
    """From some size on, all methods but a few make hardly an error."""

    claim: str
    from_size: int
    bound: float
    besides: tuple[str, ...]
    note: str = ""

    def judge(self, errors: Errors) -> Finding:
        """Look for the highest mean from the first size on."""
        ours, highest = self._highest(errors.means())
        published, _ = self._highest(errors.published)
        return Finding(
            claim=self.claim,
            ours=ours,
            published=published,
            agrees=None if highest is None else highest <= self.bound,
            note=self.note,
        )

    def _highest(self, curves: Published) -> tuple[str, float | None]:
        found = [
            (error, method, n)
            for method in METHODS
            if method in curves and method not in self.besides
            for n, error in curves[method].items()
            if n >= self.from_size
        ]
        if not found:
            return NOTHING, None
        error, method, n = max(found)
        return f"at most {shown(error)} ({method}, n = {n})", error


def _curve(curve: Mapping[int, float], sizes: list[int]) -> str:
    """Write the errors at some sizes in a line."""
    return "; ".join(f"n = {n}: {shown(curve[n])}" for n in sizes) if sizes else NOTHING


def _listed(sizes: list[int]) -> str:
    return ", ".join(map(str, sizes))
