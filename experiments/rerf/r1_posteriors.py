"""R1: class posteriors on sparse parity, estimated and true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.datasets import make_sparse_parity

from ..drawing import pyplot
from ..experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized
from ..registry import RERF
from ..results import Results, mean_of
from .oob_study import RAW, Sizes, candidate_grid, make_forest, training_set

METHODS = ("RF", "RerF", "RotRF")
P = 20
PARITY_BITS, NOISE_VARIANCE = 3, 1 / 32  # of make_sparse_parity
LOW, HIGH, SIDE = -0.5, 1.5, 50  # both features of the map, and its points in each direction


def map_points() -> NDArray[np.float32]:
    """Return a square of points in the first two features; the others are zero."""
    axis = np.linspace(LOW, HIGH, SIDE)
    points = np.zeros((SIDE * SIDE, P), dtype=np.float32)
    points[:, 0], points[:, 1] = (values.ravel() for values in np.meshgrid(axis, axis))
    return points


def true_posterior(X: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probability of class 1: that the first three bits have an odd sum.

    A bit is one with probability 1 / (1 + exp(-(x - 1/2) / variance)) given its noisy value x, and
    1 - 2 P(odd) of several independent bits is the product of 1 - 2 P(one).
    """
    signed = -np.tanh((X[:, :PARITY_BITS].astype(float) - 0.5) / (2 * NOISE_VARIANCE))
    return np.asarray((1 - signed.prod(axis=1)) / 2)


@dataclass(frozen=True, kw_only=True)
class Posteriors(Sized[Sizes]):
    """Heat maps of the posterior in two features, and their distance from the truth."""

    def runs(self, setting: Setting) -> list[Run]:
        sizes = self.size(setting)
        return [
            Run(seed, {"method": method, "p": P, "n": sizes.n, "trees": sizes.trees})
            for seed in range(sizes.trials)
            for method in METHODS
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        given: dict[str, Any] = dict(run.parameters)
        X, y = training_set(make_sparse_parity, given["n"], P, RAW, run.seed)
        forests = [
            make_forest(given["method"], d, given["trees"], run.seed, oob_score=True).fit(X, y)
            for d in candidate_grid(P)
        ]
        best = max(forests, key=lambda forest: forest.oob_score_)
        posterior = best.predict_proba(map_points())[:, 1]
        metrics = {
            "absolute_error": float(np.abs(posterior - true_posterior(map_points())).mean()),
            "error": 1.0 - best.oob_score_,
            "best_d": best.max_features,
        }
        arrays = {"posterior": posterior.astype(np.float32)} if run.seed == 0 else {}
        return Outcome(metrics, arrays)

    def findings(self, results: Results) -> list[Finding]:
        """Judge which method is closest to the truth."""
        by_method = results.by("method")
        distances = {m: rows.mean("absolute_error") for m, rows in by_method.items()}
        if "RerF" not in distances or len(distances) < 2:
            return []
        guess = np.abs(true_posterior(map_points()) - 0.5).mean()
        errors = ", ".join(f"{m} {rows.mean('error'):.3f}" for m, rows in by_method.items())
        return [
            Finding(
                "RerF produces better estimates of the posteriors than RF or RotRF",
                ", ".join(f"{m} {d:.3f}" for m, d in distances.items()),
                "by eye",
                min(distances, key=lambda m: distances[m]) == "RerF",
                "mean absolute distance from the true posterior on the map, mean of "
                f"{len(results.distinct('seed'))} training sets, {guess:.3f} for 1/2 everywhere; "
                f"out-of-bag errors {errors}",
            )
        ]

    def sheets(self, results: Results) -> list[Sheet]:
        """Return distances from the truth, errors and the chosen d."""
        rows = []
        for method, found in results.by("method").items():
            distance = mean_of(found.values("absolute_error"))
            cells = (str(distance)[1:], f"{found.mean('error'):.3f}", f"{found.mean('best_d'):.1f}")
            rows.append((method, *cells, str(len(found))))
        columns = ("", "distance from the truth", "out-of-bag error", "best d", "training sets")
        return [Sheet("Posteriors and errors", columns, tuple(rows))]

    def figures(self, results: Results) -> list[Picture]:
        """Draw the true posterior and the estimates of the first training set."""
        drawn = [row for row in results if "posterior" in row.arrays]
        if not drawn:
            return []
        reach = max(np.abs(row.arrays["posterior"] - 0.5).max() for row in drawn)
        style = {"figsize": (9.6, 3), "sharey": True, "layout": "compressed"}
        figure, (true, *others) = pyplot().subplots(1, 1 + len(drawn), **style)
        image = _heat_map(true, "truth", true_posterior(map_points()), 0.5)
        figure.colorbar(image, ax=true, orientation="horizontal", label="P(class 1)")
        for ax, row in zip(others, drawn, strict=True):
            title = f"{row.get('method')}: {row.metrics['absolute_error']:.3f} from the truth"
            image = _heat_map(ax, title, row.arrays["posterior"], reach)
        label = "estimated P(class 1), colours stretched"
        figure.colorbar(image, ax=others, orientation="horizontal", label=label, shrink=0.6)
        true.set(ylabel="$x_2$")
        caption = (
            "Posterior of class 1 over the first two of 20 features, the others at zero: the truth "
            "and the estimates from one training set, which are much closer to 1/2 and have "
            "stronger colours for that reason."
        )
        return [Picture(figure, caption)]


def _heat_map(axes: Any, title: str, values: NDArray[Any], reach: float) -> Any:
    axes.set_title(title, fontsize="small")
    axes.set(xlabel="$x_1$")
    image = axes.imshow(values.reshape(SIDE, SIDE), "PuOr", origin="lower", extent=2 * (LOW, HIGH))
    image.set_clim(0.5 - reach, 0.5 + reach)
    return image


R1 = Posteriors(
    id="R1",
    title="Posteriors on sparse parity",
    paper=RERF,
    source="Figure 1",
    question="Which forest's posterior is closest to the true one when 3 of 20 features decide? Of "
    "each method the forest with the lowest out-of-bag error over d is drawn.",
    full=Sizes(1000, 1000, (P,), 10),
    quick=Sizes(1000, 60, (P,), 2),
)
