"""What the paper says of completed digits, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from .._experiment import Finding
from .._results import Results
from ._methods import BARYCENTRE, EQUATION_8, Array, count_wins, listed, paired, smallest

_UNIT = (
    "The column MSE is a mean squared error in no unit. Closest is the root mean squared error of "
    "an image in grey values 0..16, on average over images, which is what is compared."
)


@dataclass(frozen=True)
class DigitsFindings:
    """Finished runs as the paper has them; a statement about runs that are missing is left out."""

    rows: Results
    methods: list[str]  # of the paper
    published: Mapping[str, Mapping[str, float]]
    otherwise: Callable[[str, str], str]  # metric, method -> what it is in other ways

    def all(self) -> list[Finding]:
        """Return the statements in the order of the paper."""
        return [
            *self._errors(),
            *self._smallest_error(),
            *self._class_errors(),
            *self._better_retrieval(),
            *self._fewest_bad(),
            *self._blur(),
            *self._equation_8(),
            *self._barycentre(),
        ]

    def _values(self, metric: str, *others: str) -> dict[str, Array]:
        """Return a metric by method, of the paper and others, over common repetitions."""
        return paired(self.rows, metric, [*self.methods, *others])

    def _errors(self) -> Iterator[Finding]:
        for method, published in self.published["rmse"].items():
            some = self.rows.where(method=method)
            if len(some):
                yield Finding(
                    f"Error of {method} (Table 1), with the deviation over repetitions",
                    _with_deviation(some, "rmse"),
                    f"{published:g}",
                    _within_two_deviations(some, "rmse", published),
                    self.otherwise("rmse", method),
                )

    def _smallest_error(self) -> Iterator[Finding]:
        values = self._values("rmse")
        if "RF" in values and len(values) > 1:
            yield Finding(
                "RF has the smallest error, though its images are the worst",
                f"{listed(values, '.3f')}; RF smallest in {count_wins(values, 'RF')}",
                listed_numbers(self.published["rmse"]),
                smallest(values) == "RF",
                _UNIT,
            )

    def _class_errors(self) -> Iterator[Finding]:
        for method, published in self.published["class_error"].items():
            some = self.rows.where(method=method)
            if len(some.values("class_error")):
                yield Finding(
                    f"Class error of {method} (Table 1): retrieved from another digit",
                    _with_deviation(some, "class_error"),
                    f"{published:g}",
                    _within_two_deviations(some, "class_error", published),
                    "Which images the paper took is not known. "
                    + self.otherwise("class_error", method),
                )

    def _better_retrieval(self) -> Iterator[Finding]:
        values = paired(self.rows, "class_error", ["1NN", "kRF"])
        if len(values) == 2:
            yield Finding(
                "1NN retrieves the right digit more often than kRF",
                f"class error: {listed(values)}; 1NN smaller in {count_wins(values, '1NN')}",
                listed_numbers(self.published["class_error"]),
                smallest(values) == "1NN",
            )

    def _fewest_bad(self) -> Iterator[Finding]:
        wrong, bad = self._values("misread"), self._values("bad")
        if "dRF" in wrong and len(wrong) > 1:
            yield Finding(
                "dRF has the fewest bad completions",
                f"misread by a nearest-neighbour classifier: {listed(wrong)} (fewest: "
                f"{smallest(wrong)}); misread, blurred or not smooth: {listed(bad)} (fewest: "
                f"{smallest(bad)})",
                f"{listed_numbers(self.published['bad'])} (by eye)",
                smallest(wrong) == smallest(bad) == "dRF",
                "Blurred or not smooth means more so than 95 % of the training images.",
            )

    def _blur(self) -> Iterator[Finding]:
        values = self._values("sharpness")
        if {"RF", "dRF"} <= set(values):
            yield Finding(
                "RF is blurred, dRF is much less so",
                f"gradient energy relative to real images: {listed(values, '.2f')}",
                "by eye",
                smallest(values) == "RF" and bool((values["RF"] < values["dRF"]).all()),
            )

    def _equation_8(self) -> Iterator[Finding]:
        values = paired(self.rows, "brightness", ["dRF", EQUATION_8])
        if len(values) == 2:
            brightness = float(values[EQUATION_8].mean())
            yield Finding(
                "Back-scoring as equation (8) prints it, with the ridge n / gamma",
                f"mean grey value relative to the truth {brightness:.2f} (with 1 / gamma "
                f"{values['dRF'].mean():.2f})",
                "digits as real ones (Figure 3)",
                brightness > 0.8,
                "n / gamma does not minimise the printed objective; 1 / gamma does, and is what is "
                "called dRF here.",
            )

    def _barycentre(self) -> Iterator[Finding]:
        some = self.rows.where(method=BARYCENTRE)
        if len(some):
            measures = {"error": "rmse", "misread": "misread", "sharpness": "sharpness"}
            yield Finding(
                "Ours: the weighted mean in the embedding in place of Algorithm 1",
                ", ".join(f"{name} {some.mean(m):.3f}" for name, m in measures.items()),
                "-",
                None,
            )


def listed_numbers(values: Mapping[str, float]) -> str:
    """Write published numbers by method."""
    return ", ".join(f"{method} {value:g}" for method, value in values.items())


def _with_deviation(some: Results, metric: str) -> str:
    spread = f" ± {some.std(metric):.3f}" if len(some.values(metric)) > 1 else ""
    return f"{some.mean(metric):.3f}{spread}"


def _within_two_deviations(some: Results, metric: str, published: float) -> bool | None:
    """Tell whether a published number could be another repetition; None if too few were done."""
    if len(some.values(metric)) < 2:
        return None
    return abs(some.mean(metric) - published) <= 2 * some.std(metric)
