"""D1: predictions on a swiss roll ([DRF] section 3.1, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized, timed
from ..registry import DRF
from ..results import Results
from . import swiss_roll as roll
from .methods import BARYCENTRE, INCREASING, Forests, Paired, fit_predict, is_forest

# The first four methods are those of the paper. Of leaves it says only that trees are not pruned.
METHODS, NOISE, LEAF = ("5NN", "RF", "kRF", "dRF", BARYCENTRE), 0.5, 5
PREDICTIONS, STEPS = "predictions", "steps"
COLUMNS = {
    "to_roll": "distance to the roll",
    "rmse": "RMSE",
    "to_truth": "RMSE without noise",
    "radius_error": "error of the radius",
    "seconds": "CPU s",
}


class RollSize(NamedTuple):
    """How much a preset does."""

    n_train: int
    n_test: int
    n_trees: int
    noise_variances: tuple[float, ...]
    repetitions: int


@dataclass(frozen=True, kw_only=True)
class SwissRoll(Sized[RollSize]):
    """Predict responses near a swiss roll: how close to it, and what noise does to them."""

    other_leaves: tuple[int, ...]  # to see whether they matter
    forests: Forests

    def runs(self, setting: Setting) -> list[Run]:
        size = self.size(setting)
        forests = [method for method in METHODS if is_forest(method)]
        cells = [
            *product([PREDICTIONS], METHODS, size.noise_variances, [LEAF]),
            *product([PREDICTIONS], forests, [NOISE], self.other_leaves),
            (PREDICTIONS, INCREASING, NOISE, LEAF),
        ]
        repeated = ((seed, cell) for seed in range(size.repetitions) for cell in cells)
        common = {"n_train": size.n_train, "n_test": size.n_test, "n_trees": size.n_trees}
        names = ("part", "method", "noise_variance", "leaf")
        return [
            Run(seed, {**dict(zip(names, cell, strict=True)), **common})
            for seed, cell in ((0, (STEPS, "dRF", NOISE, LEAF)), *repeated)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        given: dict[str, Any] = dict(run.parameters)
        names = ("method", "noise_variance", "n_trees", "leaf")
        method, noise, n_trees, leaf = (given[name] for name in names)
        split = roll.draw_split(given["n_train"], given["n_test"], noise, run.seed)
        if given["part"] == STEPS:
            return roll.follow_steps(split, self.forests, n_trees, leaf, run.seed)
        model = self.forests.model(method, n_trees, leaf, run.seed)
        train = split.X_train, split.Y_train
        predicted, seconds = timed(lambda: fit_predict(model, train, split.X_test))
        metrics = {**roll.roll_metrics(predicted, split), "seconds": seconds}
        if method == "dRF":
            metrics["shortcuts"] = float(roll.count_shortcuts(split, self.forests.n_neighbors))
        is_drawn = (noise, leaf, run.seed) == (NOISE, LEAF, 0)
        arrays = {"predicted": predicted, "truth": split.Y_test} if is_drawn else {}
        return Outcome(metrics, {name: a.astype(np.float32) for name, a in arrays.items()})

    def findings(self, results: Results) -> list[Finding]:
        """Compare with what the paper says of Figure 2; findings without runs are left out."""
        predictions = results.where(part=PREDICTIONS)

        def values(metric: str, *others: str, noise: float = NOISE, leaf: int = LEAF) -> Paired:
            rows = predictions.where(noise_variance=noise, leaf=leaf)
            return Paired.of(rows, metric, [*METHODS[:-1], *others])

        of_paper = predictions.where(noise_variance=NOISE, leaf=LEAF)
        orders = Paired.of(of_paper, "rmse", ["dRF", INCREASING])
        leaves = sorted(set(predictions.distinct("leaf")) - {LEAF})
        levels = sorted(v for v in predictions.distinct("noise_variance") if v > 0)
        clean = values("to_roll", noise=0.0)
        by_leaf = {leaf: values("to_roll", leaf=leaf) for leaf in leaves}
        by_noise = {level: values("to_roll", noise=level) for level in levels}
        return [
            *_algorithm_1(results.where(part=STEPS), orders),
            *_closest_to_roll(values("to_roll"), clean, by_leaf, values("radius_error")),
            *_robust_to_noise(by_noise, predictions.where(method="dRF", leaf=LEAF)),
            *_closest_to_truth(values("to_truth"), values("to_roll", BARYCENTRE)),
        ]

    def sheets(self, results: Results) -> list[Sheet]:
        """All measures at the noise of the paper, and the distance to the roll over the noise."""
        predictions = results.where(part=PREDICTIONS)
        sheets = []
        for leaf, some in predictions.where(noise_variance=NOISE).by("leaf").items():
            rows = tuple(
                (method, *(f"{of_method.mean(name):.3f}" for name in COLUMNS))
                for method, of_method in some.by("method").items()
            )
            title = f"Noise of variance {NOISE}, leaves of at least {leaf} row{'s' * (leaf > 1)}"
            sheets.append(Sheet(title, ("method", *COLUMNS.values()), rows))
        over_noise = []
        for variance, some in sorted(predictions.where(leaf=LEAF).by("noise_variance").items()):
            means = (some.where(method=method).mean("to_roll") for method in METHODS)
            texts = ("" if np.isnan(mean) else f"{mean:.3f}" for mean in means)
            over_noise.append((f"{variance:g}", *texts))
        if over_noise:
            title = "Mean distance of predictions to the roll"
            sheets.append(Sheet(title, ("variance of the noise", *METHODS), tuple(over_noise)))
        return sheets

    def figures(self, results: Results) -> list[Picture]:
        """Draw the steps of the method, the error vectors of Figure 2, and the sweep over noise."""
        predictions = results.where(part=PREDICTIONS, leaf=LEAF)
        return [
            *roll.draw_steps(results.where(part=STEPS)),
            *roll.draw_error_vectors(predictions.where(noise_variance=NOISE), METHODS),
            *roll.draw_noise(predictions, METHODS, NOISE),
        ]


def _algorithm_1(steps: Results, rmse: Paired) -> Iterator[Finding]:
    if len(steps):
        deviation = steps.mean("deviation")
        ours = (
            f"for {steps.mean('queries'):g} test inputs it copies the distances of the "
            f"training response with the largest affinity (largest deviation {deviation:.2g})"
        )
        if len(rmse) == 2:
            before, after = rmse["dRF"].mean(), rmse[INCREASING].mean()
            ours += f"; in increasing order it does not, and the RMSE is {after:.3g} "
            ours += f"in place of {before:.3g}"
        yield Finding(
            "Algorithm 1 estimates each distance of the new response from those before",
            ours,
            "a minimum of maxima over all triplets",
            deviation > 1e-9,
            "All responses before p are farther from the first one, so that the first one is "
            "always the minimum. What dRF predicts is one training response, smoothed.",
        )


def _closest_to_roll(
    found: Paired, clean: Paired, by_leaf: dict[int, Paired], radius: Paired
) -> Iterator[Finding]:
    if "dRF" in found and len(found) > 1:
        claim = "Predictions of dRF are closest to the manifold"
        ours = f"mean distance to the roll: {found}; dRF closest in {found.wins('dRF')}"
        yield Finding(claim, ours, "dRF (Figure 2, by eye)", found.smallest == "dRF")
    by_leaf = {leaf: some for leaf, some in by_leaf.items() if "dRF" in some and len(some) > 1}
    if by_leaf:
        claim = "The same with smaller and larger leaves, as the paper does not state their size"
        parts = (f"leaves of {k}: {some}, {some.wins('dRF')}" for k, some in by_leaf.items())
        agrees = all(some.smallest == "dRF" for some in by_leaf.values())
        yield Finding(claim, "; ".join(parts), "not stated", agrees)
    if "5NN" in found and len(found) > 1:
        farthest = max(found, key=lambda method: float(found[method].mean()))
        ours = f"mean distance to the roll {found['5NN'].mean():.2f}, farthest: {farthest}"
        note = "Four of the six inputs are noise, which distances between inputs do not ignore."
        yield Finding("5NN misses the manifold", ours, "by eye", farthest == "5NN", note)
    if "RF" in radius:
        claim = "RF underestimates the radius, as it averages across the roll"
        ours, agrees = f"mean error of the radius: {radius:+.2f}", bool((radius["RF"] < 0).all())
        yield Finding(claim, ours, "underestimated (by eye)", agrees)
    if {"RF", "kRF"} <= set(found) and "kRF" in clean:
        at_none = float(clean["kRF"].mean())
        yield Finding(
            "kRF keeps the structure better than RF, but suffers from noise",
            f"mean distance to the roll: {found.only('RF', 'kRF'):.3f}; kRF without noise "
            f"{at_none:.3f}",
            "by eye",
            at_none < float(found["kRF"].mean()) < float(found["RF"].mean()),
            "kRF predicts training responses, which have the noise themselves.",
        )


def _robust_to_noise(by_noise: dict[float, Paired], of_drf: Results) -> Iterator[Finding]:
    forests = ("RF", "kRF", "dRF")
    by_noise = {v: x.only(*forests) for v, x in by_noise.items() if set(forests) <= set(x)}
    if not by_noise:
        return
    behind = {
        other: [v for v, x in by_noise.items() if x["dRF"].mean() > x[other].mean()]
        for other in ("kRF", "RF")
    }
    leads = [v for v in by_noise if not any(v in levels for levels in behind.values())]
    parts = [f"dRF is closest to the roll at {_variances(leads)}"]
    parts += [f"behind {m} at {_variances(v)}" for m, v in behind.items() if v]
    numbers = "; ".join(f"{v:g}: {x:.2f}" for v, x in by_noise.items())
    means = {v: of_drf.where(noise_variance=v).mean("shortcuts") for v in by_noise}
    counts = ", ".join(f"{mean:.1f} at {v:g}" for v, mean in means.items() if not np.isnan(mean))
    note = (
        "Neighbours in the graph of Isomap that are half a turn or more apart, where one is "
        f"enough to spoil distances: {counts}."
    )
    yield Finding(
        "dRF is robust to noise in the responses",
        f"{', '.join(parts)}. Mean distance to the roll by variance: {numbers}",
        f"robust (variance {NOISE:g} only)",
        len(leads) == len(by_noise),
        note if counts else "",
    )


def _variances(values: list[float]) -> str:
    """Write levels of noise: ``a variance of 0.1, 0.25``."""
    return f"a variance of {', '.join(f'{v:g}' for v in values)}" if values else "no variance"


def _closest_to_truth(found: Paired, to_roll: Paired) -> Iterator[Finding]:
    if "dRF" in found and len(found) > 1:
        best, note = found.smallest, "Close to the roll is not yet close to the right place on it."
        ours = f"RMSE against responses without noise: {found}; smallest: {best}"
        ours += f", in {found.wins(best)}"
        yield Finding("dRF outperforms the other methods", ours, "dRF", best == "dRF", note)
    if {"dRF", BARYCENTRE} <= set(to_roll):
        claim = "Ours: the weighted mean in the embedding in place of Algorithm 1"
        ours = f"mean distance to the roll: {to_roll.only('dRF', BARYCENTRE)}; barycentre closest"
        yield Finding(claim, f"{ours} of all methods in {to_roll.wins(BARYCENTRE)}", "-", None)


D1 = SwissRoll(
    id="D1",
    title="Swiss roll",
    paper=DRF,
    source="Figures 1 and 2",
    question="Are predictions of dRF closer to the manifold of the responses than those of other "
    "methods, and what does noise do to them?",
    other_leaves=(1, 20),
    # the paper does not print the dimension of the embedding; the roll has two
    forests=Forests(3, n_neighbors=7, embedding_dim=2, sigma_g=100, smoothness=200, sigma=2.5),
    full=RollSize(600, 300, 150, (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0), repetitions=10),
    quick=RollSize(400, 100, 40, (0.0, 0.5, 2.0), repetitions=2),
)
