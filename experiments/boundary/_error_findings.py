"""What the paper says of errors on six data sets, and what was found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._experiment import Finding
from .._results import Results
from ._cells import percent
from ._tables import Table

SAME_DATA = 0.05  # nearest neighbours differ by no more where data are the same, in points


@dataclass(frozen=True)
class ErrorFindings:
    """Finished runs of the table; a statement about runs that are missing is left out."""

    results: Results
    published: Table
    ties: str

    def all(self) -> list[Finding]:
        """Return errors of the forest first, and then its order among the others."""
        return [
            *self._errors_of_forest(),
            *self._order("1-NN", "BF against the nearest neighbour"),
            *self._order("RF", "BF against a random forest"),
            *self._offline(),
            *self._same_data(),
        ]

    @cached_property
    def _errors(self) -> Table:
        """Mean errors in per cent."""
        return {
            name: {method: 100 * of.mean("error") for method, of in rows.by("method").items()}
            for name, rows in self.results.by("data").items()
        }

    def _errors_of_forest(self) -> Iterator[Finding]:
        for name, rows in self.results.by("data").items():
            if len(rows.where(method="BF")):
                yield _error(name, rows.where(method="BF"), self.published.get(name))

    def _order(self, other: str, title: str) -> Iterator[Finding]:
        """Say on which sets the forest errs less than another method, and on which more."""
        both = {name: of for name, of in self._errors.items() if {"BF", other} <= of.keys()}
        if not both:
            return
        known = {name: of for name, of in both.items() if name in self.published}
        differ = [
            name
            for name, of in known.items()
            if _less(of, other) != _less(self.published[name], other)
        ]
        yield Finding(
            f"{title}: where it errs less",
            _sides(both, other),
            _sides({name: self.published[name] for name in known}, other) if known else "-",
            not differ if known else None,
            self._order_note(differ, other),
        )

    def _order_note(self, differ: list[str], other: str) -> str:
        if not differ:
            return ""
        apart = (
            f"{abs(self.published[n]['BF'] - self.published[n][other]):.2g} points on {n}"
            for n in differ
        )
        return (
            f"the other way round on {', '.join(differ)}; published errors differ by "
            f"{', '.join(apart)}"
        )

    def _offline(self) -> Iterator[Finding]:
        """OBF is only marginally better on average (caption of Table 2)."""
        gains, published = _gains(self._errors), _gains(self.published)
        published = {name: published[name] for name in gains if name in published}
        if not gains:
            return
        ours, theirs = _mean(gains), _mean(published) if published else math.nan
        yield Finding(
            "OBF, trained offline, is on average only marginally better than BF",
            f"{ours:+.2f} points ({_listed(gains)})",
            f"{theirs:+.2f} points ({_listed(published)})" if published else "-",
            bool(0 < ours < 1) if published else None,
            "points by which OBF errs less on the same sets; marginal means below one",
        )
        if "mnist" in published:
            errors = self._errors["mnist"]
            yield Finding(
                "OBF errs more than BF on mnist",
                f"OBF {errors['OBF']:.2f} %, BF {errors['BF']:.2f} %",
                "OBF 2.6 %, BF 2.24 %",
                bool(gains["mnist"] < 0),
                "the paper does not say how OBF is trained; ours repeats passes in random order "
                "until a pass adds nothing, and then knows all of its training set",
            )

    def _same_data(self) -> Iterator[Finding]:
        """Tell by the nearest neighbour, which leaves nothing to chance, if data are theirs."""
        theirs = {name: of["1-NN"] for name, of in self.published.items()}
        known = {
            name: of["1-NN"] for name, of in self._errors.items() if name in theirs and "1-NN" in of
        }
        if not known:
            return
        differ = [name for name, error in known.items() if abs(error - theirs[name]) > SAME_DATA]
        note = "nothing is random here: the data and the distance have been the same"
        if differ:
            note = (
                "nothing is random here, so something has been different for "
                f"{' and '.join(differ)}, and we do not know what. {self.ties}"
            )
        yield Finding(
            "error of 1-NN",
            ", ".join(f"{name} {error:.2f} %" for name, error in known.items()),
            ", ".join(f"{name} {theirs[name]:.2f} %" for name in known),
            not differ,
            note,
        )


def _error(name: str, rows: Results, published: Mapping[str, float] | None) -> Finding:
    ours, std = 100 * rows.mean("error"), 100 * rows.std("error")
    claim = f"error of BF on {name}"
    if published is None:
        return Finding(claim, f"{percent(rows)} %", "-", None)
    difference = ours - published["BF"]
    tolerance = 0.05 if math.isnan(std) else max(0.05, 2 * std)
    note = "agreement means within two standard deviations over seeds, or 0.05 points"
    if abs(difference) > tolerance:
        note = f"{'higher' if difference > 0 else 'lower'} by {abs(difference):.2f} points"
    return Finding(
        claim,
        f"{percent(rows)} %",
        f"{published['BF']} %",
        bool(abs(difference) <= tolerance),
        note,
    )


def _less(errors: Mapping[str, float], other: str) -> bool:
    return errors["BF"] < errors[other]


def _sides(errors: Table, other: str) -> str:
    """Write ``less on dna (14.3 : 25.0); more on pendigits (2.62 : 2.26)``."""
    sides = {"less": True, "more": False}
    texts = {
        word: ", ".join(
            f"{name} ({of['BF']:.2f} : {of[other]:.2f})"
            for name, of in errors.items()
            if _less(of, other) == less
        )
        for word, less in sides.items()
    }
    return "; ".join(f"{word} on {text}" for word, text in texts.items() if text)


def _gains(errors: Table) -> dict[str, float]:
    """Return the points by which OBF errs less than BF."""
    return {name: of["BF"] - of["OBF"] for name, of in errors.items() if {"BF", "OBF"} <= of.keys()}


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values())))


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:+.2f}" for name, value in values.items())
