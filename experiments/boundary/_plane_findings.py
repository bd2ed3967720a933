"""What the slides say of the growth of boundary trees in the plane, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from .._experiment import Finding
from .._results import Results
from ._borders import Border
from ._growth import spread

ENOUGH = 5  # samples to tell how much they differ


@dataclass(frozen=True)
class PlaneFindings:
    """Finished runs in the plane; a statement about runs that are missing is left out."""

    results: Results
    borders: Mapping[str, Border]
    shown: int
    published: Mapping[int, int]
    published_exponent: float
    reference: Mapping[int, Mapping[int, int]]

    def all(self) -> list[Finding]:
        """Return what is said of one tree, and then of forests."""
        found = []
        for picture, rows in self.results.by("picture").items():
            one = rows.where(trees=1, max_children=50)
            if len(one):
                found += [self._exponent(picture, one), self._constant(self.borders[picture], one)]
        for children, expected in self.reference.items():
            rows = self.results.where(picture="wave", trees=1, max_children=children)
            found += _other_program(rows, children, expected)
        for picture, rows in self.results.where(max_children=50).by("picture").items():
            found += self._forests(picture, rows)
        return found

    def _exponent(self, picture: str, rows: Results) -> Finding:
        ours = rows.mean("exponent")
        return Finding(
            f"nodes of one tree grow like the square root of the examples ({picture})",
            f"exponent {spread(rows, 'exponent', 2)}",
            f"exponent {self.published_exponent} "
            "(680 nodes after 10 000 examples, 2220 after 100 000)",
            bool(abs(ours - self.published_exponent) <= 0.05),
            "over the last factor of ten; agreement means within 0.05",
        )

    def _constant(self, border: Border, rows: Results) -> Finding:
        sizes = [n for n in self.published if len(rows.values(f"nodes_{n}"))]
        nodes = {n: rows.mean(f"nodes_{n}") for n in sizes}
        per_length = [nodes[n] / (border.length * np.sqrt(n)) for n in sizes]
        needed = [
            self.published[n] / (c * np.sqrt(n)) for n, c in zip(sizes, per_length, strict=True)
        ]
        return Finding(
            f"nodes of one tree ({border.name})",
            ", ".join(f"{nodes[n]:.0f} after {n}" for n in sizes),
            ", ".join(f"{self.published[n]} after {n}" for n in sizes),
            None,
            f"the picture of the slides is not given. Ours has a border {border.length:.1f} sides "
            "of the square long; nodes / (length √examples) = "
            + ", ".join(f"{c:.2f}" for c in per_length)
            + "; the published numbers belong to a border of about "
            + " or ".join(f"{length:.1f}" for length in needed)
            + f" sides{border.note}",
        )

    def _forests(self, picture: str, rows: Results) -> Iterator[Finding]:
        """Compare numbers of trees: the slides say that a forest generalises better."""
        errors = {trees: sub.mean(f"error_{self.shown}") for trees, sub in rows.by("trees").items()}
        if len(errors) < 2:
            return
        ordered = [errors[trees] for trees in sorted(errors)]
        yield Finding(
            f"forests of trees with different seeds generalise better ({picture})",
            f"error after {self.shown} examples: "
            + ", ".join(f"{100 * errors[t]:.2f} % with {t}" for t in sorted(errors)),
            "better, by a picture",
            bool(np.all(np.diff(ordered) < 0)),
            "numbers of trees of the slides are not given",
        )


def _other_program(rows: Results, children: int, expected: Mapping[int, int]) -> Iterator[Finding]:
    sizes = [n for n in expected if len(rows.values(f"nodes_{n}"))]
    if not sizes:
        return
    close = [
        abs(rows.mean(f"nodes_{n}") - expected[n]) <= 3 * rows.std(f"nodes_{n}") for n in sizes
    ]
    yield Finding(
        "nodes after "
        + ", ".join(map(str, sizes))
        + f" examples as counted by another program (wave, at most {children} children)",
        ", ".join(spread(rows, f"nodes_{n}") for n in sizes),
        ", ".join(str(expected[n]) for n in sizes),
        all(close) if len(rows) >= ENOUGH else None,
        "a check of ours, not of the slides; the other program counted one or two samples, so "
        "agreement means within three standard deviations of a sample",
    )
