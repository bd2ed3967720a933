"""What the paper says of predictions on a swiss roll, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .._experiment import Finding
from .._results import Results
from ._methods import BARYCENTRE, INCREASING, Array, count_wins, listed, paired, smallest


@dataclass(frozen=True)
class RollFindings:
    """Finished runs of the swiss roll; a statement about runs that are missing is left out."""

    predictions: Results
    steps: Results
    methods: list[str]  # of the paper
    noise_variance: float  # of the paper
    leaf: int

    def all(self) -> list[Finding]:
        """Return the statements in the order of the paper."""
        return [
            *self._algorithm_1(),
            *self._closest_to_roll(),
            *self._closest_with_other_leaves(),
            *self._nearest_neighbours(),
            *self._radius(),
            *self._kernel_forest(),
            *self._robust_to_noise(),
            *self._closest_to_truth(),
            *self._barycentre(),
        ]

    def _values(
        self, metric: str, *others: str, noise: float | None = None, leaf: int | None = None
    ) -> dict[str, Array]:
        """Return a metric by method, of the paper and others, over common repetitions."""
        rows = self.predictions.where(
            noise_variance=self.noise_variance if noise is None else noise,
            leaf=self.leaf if leaf is None else leaf,
        )
        return paired(rows, metric, [*self.methods, *others])

    def _algorithm_1(self) -> Iterator[Finding]:
        if not len(self.steps):
            return
        deviation = self.steps.mean("deviation")
        ours = (
            f"for {self.steps.mean('queries'):g} test inputs it copies the distances of the "
            f"training response with the largest affinity (largest deviation {deviation:.2g})"
        )
        rmse = paired(
            self.predictions.where(noise_variance=self.noise_variance, leaf=self.leaf),
            "rmse",
            ["dRF", INCREASING],
        )
        if len(rmse) == 2:
            ours += (
                f"; in increasing order it does not, and the RMSE is {rmse[INCREASING].mean():.3g} "
                f"in place of {rmse['dRF'].mean():.3g}"
            )
        yield Finding(
            "Algorithm 1 estimates each distance of the new response from those before",
            ours,
            "a minimum of maxima over all triplets",
            deviation > 1e-9,
            "All responses before p are farther from the first one, so that the first one is "
            "always the minimum. What dRF predicts is one training response, smoothed.",
        )

    def _closest_to_roll(self) -> Iterator[Finding]:
        values = self._values("to_roll")
        if "dRF" in values and len(values) > 1:
            yield Finding(
                "Predictions of dRF are closest to the manifold",
                f"mean distance to the roll: {listed(values)}; dRF closest in "
                f"{count_wins(values, 'dRF')}",
                "dRF (Figure 2, by eye)",
                smallest(values) == "dRF",
            )

    def _closest_with_other_leaves(self) -> Iterator[Finding]:
        parts, agrees = [], True
        for leaf in sorted(self.predictions.distinct("leaf")):
            values = self._values("to_roll", leaf=leaf)
            if leaf != self.leaf and "dRF" in values and len(values) > 1:
                parts.append(f"leaves of {leaf}: {listed(values)}, {count_wins(values, 'dRF')}")
                agrees &= smallest(values) == "dRF"
        if parts:
            yield Finding(
                "The same with smaller and larger leaves, as the paper does not state their size",
                "; ".join(parts),
                "not stated",
                agrees,
            )

    def _nearest_neighbours(self) -> Iterator[Finding]:
        values = self._values("to_roll")
        if "5NN" in values and len(values) > 1:
            farthest = max(values, key=lambda method: float(values[method].mean()))
            yield Finding(
                "5NN misses the manifold",
                f"mean distance to the roll {values['5NN'].mean():.2f}, farthest: {farthest}",
                "by eye",
                farthest == "5NN",
                "Four of the six inputs are noise, which distances between inputs do not ignore.",
            )

    def _radius(self) -> Iterator[Finding]:
        values = self._values("radius_error")
        if "RF" in values:
            yield Finding(
                "RF underestimates the radius, as it averages across the roll",
                f"mean error of the radius: {listed(values, '+.2f')}",
                "underestimated (by eye)",
                bool((values["RF"] < 0).all()),
            )

    def _kernel_forest(self) -> Iterator[Finding]:
        noisy, clean = self._values("to_roll"), self._values("to_roll", noise=0.0)
        if {"RF", "kRF"} <= set(noisy) and "kRF" in clean:
            at_noise, at_none = (float(values["kRF"].mean()) for values in (noisy, clean))
            yield Finding(
                "kRF keeps the structure better than RF, but suffers from noise",
                f"mean distance to the roll: RF {noisy['RF'].mean():.3f}, kRF {at_noise:.3f}; "
                f"kRF without noise {at_none:.3f}",
                "by eye",
                at_none < at_noise < float(noisy["RF"].mean()),
                "kRF predicts training responses, which have the noise themselves.",
            )

    def _robust_to_noise(self) -> Iterator[Finding]:
        levels = sorted(v for v in self.predictions.distinct("noise_variance") if v > 0)
        by_noise = {v: self._values("to_roll", noise=v) for v in levels}
        by_noise = {v: x for v, x in by_noise.items() if {"RF", "kRF", "dRF"} <= set(x)}
        if not by_noise:
            return
        behind = {
            other: [v for v, x in by_noise.items() if x["dRF"].mean() > x[other].mean()]
            for other in ("kRF", "RF")
        }
        leads = [v for v in by_noise if not any(v in levels for levels in behind.values())]
        parts = [f"dRF is closest to the roll at {_variances(leads)}"]
        parts += [f"behind {m} at {_variances(v)}" for m, v in behind.items() if v]
        numbers = "; ".join(
            f"{v:g}: " + listed({m: x[m] for m in ("RF", "kRF", "dRF")}, ".2f")
            for v, x in by_noise.items()
        )
        yield Finding(
            "dRF is robust to noise in the responses",
            f"{', '.join(parts)}. Mean distance to the roll by variance: {numbers}",
            f"robust (variance {self.noise_variance:g} only)",
            len(leads) == len(by_noise),
            self._shortcuts(by_noise),
        )

    def _shortcuts(self, levels: Iterable[float]) -> str:
        """Tell how many edges of the graph of neighbours leap across the roll."""
        rows = self.predictions.where(method="dRF", leaf=self.leaf)
        counts = [
            f"{some.mean('shortcuts'):.1f} at {level:g}"
            for level, some in ((level, rows.where(noise_variance=level)) for level in levels)
            if len(some.values("shortcuts"))
        ]
        if not counts:
            return ""
        return (
            "Neighbours in the graph of Isomap that are half a turn or more apart, where one is "
            f"enough to spoil distances: {', '.join(counts)}."
        )

    def _closest_to_truth(self) -> Iterator[Finding]:
        values = self._values("to_truth")
        if "dRF" in values and len(values) > 1:
            best = smallest(values)
            yield Finding(
                "dRF outperforms the other methods",
                f"RMSE against responses without noise: {listed(values)}; smallest: {best}, in "
                f"{count_wins(values, best)}",
                "dRF",
                best == "dRF",
                "Close to the roll is not yet close to the right place on it.",
            )

    def _barycentre(self) -> Iterator[Finding]:
        values = self._values("to_roll", BARYCENTRE)
        if {"dRF", BARYCENTRE} <= set(values):
            both = {m: values[m] for m in ("dRF", BARYCENTRE)}
            yield Finding(
                "Ours: the weighted mean in the embedding in place of Algorithm 1",
                f"mean distance to the roll: {listed(both)}; barycentre closest of all methods in "
                f"{count_wins(values, BARYCENTRE)}",
                "-",
                None,
            )


def _variances(values: list[float]) -> str:
    """Write levels of noise: ``a variance of 0.1, 0.25``."""
    return f"a variance of {', '.join(f'{v:g}' for v in values)}" if values else "no variance"
