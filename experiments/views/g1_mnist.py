"""G1: digits through gradient orientations, by forests and boosting, beside networks and peers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..drawing import light_grid, log_ticks, panels
from ..experiment import Finding, Outcome, Picture, Run, Setting, Sheet, Sized
from ..morf.data import MNIST_FILE, STAND_IN, Draw, digits_subset, mnist_subset
from ..morf.errors import sheet, shown
from ..morf.learning_curve import draw_curve, size_axis
from ..morf.methods import fit_predict
from ..registry import BEYOND
from ..results import Results, mean_of
from .methods import PACKAGES, PEERS, STYLES, classifier

OTHERS = ("CNN", *PEERS)
METHODS = ("boosted + shifts", "boosted", "image", "MORF", *OTHERS)
# What a boosted forest must and should reach, and published levels of others.
REQUIRED = {1000: 0.031, 10_000: 0.0132, 60_000: 0.0090}
GOAL = {
    "boosted": {1000: 0.027, 10_000: 0.0120, 60_000: 0.0075},
    "boosted + shifts": {1000: 0.022, 10_000: 0.0100, 60_000: 0.0060},
}
NETWORK = {1000: 0.059, 10_000: 0.020, 60_000: 0.0117}  # the CNN of the thesis, its Figure 3
ANCHORS = "products of boosted stumps on Haar features 0.0087, gcForest 0.0074, LightGBM 0.0158"


@dataclass(frozen=True)
class Sizes:
    """What a preset runs: sizes, training sets of each, and seconds that peers may train."""

    draw: Draw
    repetitions: Mapping[int, int]  # of our forests
    of_others: Mapping[int, int]  # of networks and peers, which take longer
    budget: Mapping[int, float]
    rounds: int | None = None  # of boosted forests; None is their default
    trees: int = 200
    methods: tuple[str, ...] = METHODS
    needs: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Digits(Sized[Sizes]):
    def runs(self, setting: Setting) -> list[Run]:
        size = self.size(setting)
        return [
            Run(seed, {"method": method, "n": n}, size.needs, PACKAGES.get(method))
            for n, repetitions in size.repetitions.items()
            for method in size.methods
            for seed in range(size.of_others[n] if method in OTHERS else repetitions)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        size, n = self.size(setting), int(run.parameters["n"] or 0)
        method = str(run.parameters["method"])
        X, y, X_test, y_test = size.draw(n, run.seed, setting)
        params = {}
        if size.rounds is not None and method.startswith("boosted"):
            params = {"n_estimators": size.rounds}
        if method in ("image", "MORF"):
            params = {"n_estimators": size.trees}
        model = classifier(method, run.seed, budget=size.budget[n], **params)
        predicted, seconds = fit_predict(model, X, y, X_test)
        return Outcome({"error": float(np.mean(predicted != y_test)), **seconds})

    def findings(self, results: Results) -> list[Finding]:
        boosted = _means(results, "boosted")
        findings = [
            _at_most("A boosted forest reaches", boosted, REQUIRED),
            _at_most("A boosted forest is below the network of the thesis:", boosted, NETWORK),
        ]
        for method, goal in GOAL.items():
            findings.append(_at_most(f"Goal of “{method}”:", _means(results, method), goal))
        image = _means(results, "image")
        findings.append(_at_most("The recipe for images reaches", image, {1000: 0.034}))
        return findings

    def sheets(self, results: Results) -> list[Sheet]:
        sizes = {int(n): f"n = {n}" for n in sorted(results.distinct("n"))}
        errors: dict[str, dict[int, str]] = {}
        seconds: dict[str, dict[int, str]] = {}
        for method, rows in results.by("method").items():
            by_n = rows.by("n")
            errors[method] = {n: _with_spread(at.values("error")) for n, at in by_n.items()}
            seconds[method] = {
                n: f"{at.mean('train_seconds'):.1f} + {at.mean('test_seconds'):.2f}"
                for n, at in by_n.items()
            }
        of_seconds = "CPU seconds on one thread: training + all test images"
        return [
            sheet("Test error, mean ± standard deviation", "method", sizes, errors),
            sheet(of_seconds, "method", sizes, seconds),
        ]

    def figures(self, results: Results) -> list[Picture]:
        figure, axes = panels(1, 2, (10, 4.6), self.title)
        left, right = axes[0]
        for method, rows in results.by("method").items():
            style = {"label": method, "linewidth": 1.6, **STYLES[method]}
            errors = {int(n): at.values("error") for n, at in rows.by("n").items()}
            draw_curve(left, errors, **style)
            points = sorted(
                (at.mean("train_seconds"), at.mean("error")) for at in rows.by("n").values()
            )
            right.plot(*zip(*points, strict=True), markersize=5, **style)
        sizes = sorted(int(n) for n in results.distinct("n"))
        known = [n for n in sizes if n in NETWORK]
        if results.preset == "full" and known:
            left.plot(known, [NETWORK[n] for n in known], "k:", zorder=1)
            right.plot([], [], "k:", label="CNN, published")  # for the legend
        size_axis(left, sizes)
        right.set(xscale="log", xlabel="CPU seconds of training, one thread")
        for ax in (left, right):
            log_ticks(ax, "y", [0.005, 0.01, 0.02, 0.05, 0.1, 0.2])
            light_grid(ax)
        left.set_ylabel("test error")
        right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        caption = (
            "Test error over the number of training images (left; bands from the lowest to the "
            "highest training set) and over the time of training (right)."
        )
        return [Picture(figure, caption)]


def _means(results: Results, method: str) -> dict[int, float]:
    return {int(n): at.mean("error") for n, at in results.where(method=method).by("n").items()}


def _at_most(claim: str, ours: Mapping[int, float], bounds: Mapping[int, float]) -> Finding:
    sizes = [n for n in bounds if n in ours]
    write = lambda curve: "; ".join(f"n = {n}: {shown(curve[n])}" for n in sizes) or "–"
    holds = all(ours[n] <= bounds[n] for n in sizes) if sizes else None
    limits = "; ".join(f"n = {n}: {shown(bound)}" for n, bound in bounds.items())
    return Finding(f"{claim} {limits}", write(ours), write(bounds), holds)


def _with_spread(errors: np.ndarray) -> str:
    mean = mean_of(errors)
    spread = f" ± {errors.std(ddof=1):.4f}" if len(errors) > 1 else ""
    return f"{mean.value:.4f}{spread}"


G1 = _Digits(
    id="G1",
    title="MNIST through gradient orientations",
    paper=BEYOND,
    source=f"beside the numbers of the thesis, and of others at 60 000: {ANCHORS}",
    question="Do patches on views of the image, in forests and boosted, close the gap to the "
    "networks that the MORF papers leave open, and in which time?",
    stand_in=STAND_IN,
    quick=Sizes(
        digits_subset,
        {200: 1, 1000: 1},
        {200: 1, 1000: 1},
        {200: 0.5, 1000: 1.0},
        rounds=40,
        trees=30,
        methods=("boosted + shifts", "boosted", "image", "MORF", "HistGB"),
    ),
    full=Sizes(
        mnist_subset,
        {1000: 6, 10_000: 3, 60_000: 2},
        {1000: 2, 10_000: 1, 60_000: 1},
        {1000: 2.5, 10_000: 10.0, 60_000: 50.0},
        needs=MNIST_FILE,
    ),
)
