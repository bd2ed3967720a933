"""What the MORF papers say of their learning curves, and how it is judged.

A claim is a function that compares a statement with our errors, of which some or all may be
missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._experiment import Finding
from .errors import NOTHING, Errors, Published, shown
from .methods import METHODS

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
        sizes = [n for n in _common(ours, published) if n <= to_size and len(ours[n]) > 1]
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
        sizes = [n for n in _common(ours, published) if n >= from_size]
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
        sizes = [n for n in _common(own, *rivals) if n >= from_size] if rivals else []
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


def _common(*curves: Mapping[int, Any]) -> list[int]:
    return sorted(set(curves[0]).intersection(*curves[1:]))


def _curve(curve: Mapping[int, float], sizes: Iterable[int]) -> str:
    return "; ".join(f"n = {n}: {shown(curve[n])}" for n in sizes) or NOTHING
