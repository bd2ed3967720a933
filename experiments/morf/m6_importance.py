"""M6: which pixels tell a 3 from a 5 (Figure 4 of the MORF papers)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from manifoldforest.plot import importance_map
from manifoldforest.projections import Patches

from ..datasets import Array, digits, mnist
from ..drawing import panels
from ..experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from ..registry import MORF
from ..results import Results
from .data import NEEDS, STAND_IN
from .methods import Problem

METHODS = ("RF", "SPORF", "MORF")  # as the figure of the paper has them
CLASSES, PER_CLASS = (3, 5), 100
PROBLEMS = {
    "quick": Problem("digits", Patches(min_size=(2, 2), max_size=(2, 3)), max_features=8),
    "full": Problem("mnist", Patches(min_size=(2, 2), max_size=(2, 5)), max_features=28),
}
# The paper names no number of trees. Few trees make any map rough, by counts of few splits; many
# more show what is left of it.
TREES = {"quick": (100, 1000), "full": (500, 5000)}
REPETITIONS = {"quick": 3, "full": 10}


@dataclass(frozen=True, kw_only=True)
class _ImportanceMaps(Experiment):
    """Maps of how often splits use a pixel, and two numbers that say how they look."""

    def runs(self, setting: Setting) -> list[Run]:
        data, needs = PROBLEMS[setting.preset].name, NEEDS[setting.preset]
        return [
            Run(seed, {"data": data, "method": method, "trees": trees, "n": 2 * PER_CLASS}, needs)
            for seed in range(REPETITIONS[setting.preset])
            for trees in TREES[setting.preset]
            for method in METHODS
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        images, labels = draw_images(run.seed, setting)
        method, trees = str(run.parameters["method"]), int(run.parameters["trees"] or 0)
        forest = PROBLEMS[setting.preset].classifier(method, trees=trees, seed=run.seed)
        usage = forest.fit(images, labels).feature_usage_
        importance = usage / usage.sum()
        metrics = {
            "total_variation": total_variation(importance),
            "background": background_share(importance, images),
            "background_pixels": float((images == 0).all(axis=0).mean()),
        }
        if trees > min(TREES[setting.preset]):
            return Outcome(metrics)
        means = {f"mean_{d}": images[labels == d].mean(axis=0, dtype=np.float32) for d in CLASSES}
        return Outcome(metrics, {"importance": importance.astype(np.float32), **means})

    def findings(self, results: Results) -> list[Finding]:
        found = []
        for trees, rows in results.by("trees").items():
            variation, background = (
                {m: of.mean(metric) for m in METHODS if len(of := rows.where(method=m))}
                for metric in ("total_variation", "background")
            )
            smoother = Finding(
                f"MORF's importance is smoother than RF's ({trees} trees)",
                "total variation: " + ", ".join(f"{m} {v:.3f}" for m, v in variation.items()),
                "by eye: “visibly results in a smoother pixel importance”",
                _below(variation, "RF"),
                "Each split of MORF uses a whole patch. Counts of few splits make a map rough, so "
                "the difference shrinks with more trees; SPORF becomes smooth because much of its "
                "importance is spread evenly over all pixels.",
            )
            less_background = Finding(
                "MORF has little importance on background pixels, SPORF has scattered ones "
                f"({trees} trees)",
                "share on pixels that are zero in all images: "
                + ", ".join(f"{m} {v:.4f}" for m, v in background.items()),
                "by eye: “little or no importance of these background pixels”",
                _below(background, "SPORF", 0.5),
                "Agrees if MORF has less than half of SPORF's share. RF has none at all: a "
                "constant pixel splits nothing. SPORF adds them to pixels that matter, by chance; "
                "patches of MORF cover some at the edge of the digits.",
            )
            found += [smoother, less_background]
        return found

    def sheets(self, results: Results) -> list[Sheet]:
        rows = []
        for (trees, some), method in product(results.by("trees").items(), METHODS):
            if len(of := some.where(method=method)):
                variation = _mean_and_spread(of, "total_variation", 3)
                rows.append((method, str(trees), variation, _mean_and_spread(of, "background", 4)))
        columns = ("method", "trees", "total variation", "share on background pixels")
        share = results.mean("background_pixels")
        title = f"Importance maps (background pixels are {share:.0%} of all); mean ± std over draws"
        return [Sheet(title, columns, tuple(rows))]

    def figures(self, results: Results) -> list[Picture]:
        rows = [row for row in results if "importance" in row.arrays]
        seed = min((row.seed for row in rows), default=0)
        first = {row.get("method"): row.arrays for row in rows if row.seed == seed}
        maps = {method: first[method] for method in METHODS if method in first}
        if not maps:
            return []
        figure, (above, below) = panels(2, 3, (9, 6.4), "Which pixels tell a 3 from a 5")
        mean_3, mean_5 = (next(iter(maps.values()))[f"mean_{digit}"] for digit in CLASSES)
        background = (mean_3 == 0) & (mean_5 == 0)
        titles = [*(f"mean of the images of {digit}" for digit in CLASSES), "difference, 3 − 5"]
        for ax, image, title in zip(above, (mean_3, mean_5, mean_3 - mean_5), titles, strict=True):
            importance_map(image, ax)
            ax.set_title(title)
        bar = figure.colorbar(above[2].images[0], ax=list(above), shrink=0.85, pad=0.01)
        bar.set_label("grey value")
        # One scale for all. RF's largest values are left out of it, or nothing of SPORF is seen.
        limit = float(np.median([arrays["importance"].max() for arrays in maps.values()]))
        drawn, empty = list(below[: len(maps)]), below[len(maps) :]
        for ax, (method, arrays) in zip(drawn, maps.items(), strict=True):
            importance = arrays["importance"]
            importance_map(importance, ax, limit=limit)
            ax.scatter(*np.nonzero(background)[::-1], s=2, color="#0072B2", linewidths=0)
            ax.set_title(method, fontweight="bold")
            variation, share = total_variation(importance), importance[background].sum()
            ax.set_xlabel(f"total variation {variation:.2f}\n{share:.1%} on background")
        for ax in empty:
            ax.set_axis_off()
        bar = figure.colorbar(drawn[0].images[0], ax=drawn, shrink=0.85, pad=0.01, extend="max")
        bar.set_label("share of all uses")
        caption = (
            f"Above: means of the images of both classes ({PER_CLASS} each) and their difference. "
            f"Below: share of a pixel in all uses of pixels by the splits of {rows[0].get('trees')}"
            " trees, on one scale; dots mark background, pixels that are zero in all of the images."
        )
        return [Picture(figure, caption)]


def draw_images(seed: int, setting: Setting) -> tuple[Array, Array]:
    """Return as many images of each of both classes, drawn without replacement."""
    images, labels = mnist(setting)[:2] if setting.preset == "full" else digits()
    rng = np.random.default_rng(seed)
    chosen = np.concatenate(
        [rng.choice(np.flatnonzero(labels == digit), PER_CLASS, replace=False) for digit in CLASSES]
    )
    return images[chosen], labels[chosen]


def total_variation(importance: Array) -> float:
    """Return the sum of absolute differences between neighbours in a row and in a column."""
    share = importance / importance.sum()  # so a flat map has 0, a single inner pixel 4, the most
    return float(sum(np.abs(np.diff(share, axis=axis)).sum() for axis in range(share.ndim)))


def background_share(importance: Array, images: Array) -> float:
    """Return the share of the importance that is on pixels which are zero in all images."""
    return float(importance[(images == 0).all(axis=0)].sum() / importance.sum())


def _below(means: Mapping[str, float], other: str, factor: float = 1.0) -> bool | None:
    known = "MORF" in means and other in means
    return means["MORF"] < factor * means[other] if known else None


def _mean_and_spread(rows: Results, metric: str, places: int) -> str:
    text = f"{rows.mean(metric):.{places}f}"
    return text if len(rows) < 2 else f"{text} ± {rows.std(metric):.{places}f}"


M6 = _ImportanceMaps(
    id="M6",
    title="Importance of pixels: 3 against 5",
    paper=MORF,
    source="Figure 4 (and Figure 4 of the thesis)",
    question="Forests of 200 images: does MORF look at the same places as RF and SPORF, and how "
    "smooth are the maps?",
    stand_in=STAND_IN,
)
