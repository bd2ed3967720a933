"""M6: which pixels tell a 3 from a 5 (Figure 4 of the MORF papers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from manifoldforest.plot import importance_map
from manifoldforest.plot._style import pyplot
from manifoldforest.projections import Patches

from .._datasets import Array, digits, mnist
from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from .._papers import MORF
from .._results import Results
from ._digit_images import MNIST_FILE, STAND_IN
from ._methods import Problem, classifier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("RF", "SPORF", "MORF")  # as the figure of the paper has them
CLASSES = (3, 5)
PER_CLASS = 100
MNIST = Problem("mnist", Patches(min_size=(2, 2), max_size=(2, 5)), max_features=28)
DIGITS = Problem("digits", Patches(min_size=(2, 2), max_size=(2, 3)), max_features=8)
# The paper names no number of trees. Few trees make any map rough, by counts of few splits; many
# more show what is left of it.
TREES = {"quick": (100, 1000), "full": (500, 5000)}
REPETITIONS = {"quick": 3, "full": 10}
STYLE = {"font.size": 10, "axes.titlesize": 11}


def total_variation(importance: Array) -> float:
    """Return the sum of absolute differences between neighbours in a row and in a column.

    The map is divided by its sum first. A flat map has 0; one that is on a single inner pixel
    has 4, the most that is possible.
    """
    share = importance / importance.sum()
    return float(sum(np.abs(np.diff(share, axis=axis)).sum() for axis in range(share.ndim)))


def background_share(importance: Array, images: Array) -> float:
    """Return the share of the importance that is on pixels which are zero in all images."""
    return float(importance[(images == 0).all(axis=0)].sum() / importance.sum())


@dataclass(frozen=True, kw_only=True)
class ImportanceMaps(Experiment):
    """Maps of how often splits use a pixel, and two numbers that say how they look."""

    def runs(self, setting: Setting) -> list[Run]:
        """Return one run for each forest, number of trees and draw of images."""
        full = setting.preset == "full"
        data = "mnist" if full else "digits"
        return [
            Run(
                seed,
                {"data": data, "method": method, "trees": trees, "n": 2 * PER_CLASS},
                MNIST_FILE if full else None,
            )
            for seed in range(REPETITIONS[setting.preset])
            for trees in TREES[setting.preset]
            for method in METHODS
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Grow a forest and map the pixels that its splits use."""
        images, labels = draw_images(run.seed, setting)
        trees = int(run.parameters["trees"] or 0)
        problem = MNIST if setting.preset == "full" else DIGITS
        forest: Any = classifier(str(run.parameters["method"]), problem, trees=trees, seed=run.seed)
        forest.fit(images, labels)
        importance = forest.feature_usage_ / forest.feature_usage_.sum()
        metrics = {
            "total_variation": total_variation(importance),
            "background": background_share(importance, images),
            "background_pixels": float((images == 0).all(axis=0).mean()),
        }
        arrays = {"importance": importance.astype(np.float32)} | {
            f"mean_{digit}": images[labels == digit].mean(axis=0, dtype=np.float32)
            for digit in CLASSES
        }
        return Outcome(metrics, arrays if trees == min(TREES[setting.preset]) else {})

    def findings(self, results: Results) -> list[Finding]:
        """Judge smoothness against RF and background against SPORF, by number of trees."""
        found = []
        for trees, rows in results.by("trees").items():
            found.append(_smoother(rows, trees))
            found.append(_less_background(rows, trees))
        return found

    def sheets(self, results: Results) -> list[Sheet]:
        """Return both numbers for all forests."""
        rows = []
        for trees, some in results.by("trees").items():
            for method in METHODS:
                of_method = some.where(method=method)
                if len(of_method):
                    variation = _mean_and_spread(of_method, "total_variation", 3)
                    background = _mean_and_spread(of_method, "background", 4)
                    rows.append((method, str(trees), variation, background))
        columns = ("method", "trees", "total variation", "share on background pixels")
        share = results.mean("background_pixels")
        title = f"Importance maps (background pixels are {share:.0%} of all); mean ± std over draws"
        return [Sheet(title, columns, tuple(rows))]

    def figures(self, results: Results) -> list[Picture]:
        """Draw class means and their difference above the maps."""
        rows = [row for row in results if "importance" in row.arrays]
        if not rows:
            return []
        seed = min(row.seed for row in rows)
        first = {row.get("method"): row.arrays for row in rows if row.seed == seed}
        trees = rows[0].get("trees")
        caption = (
            f"Above: means of the images of both classes ({PER_CLASS} each) and their difference. "
            f"Below: share of a pixel in all uses of pixels by the splits of {trees} trees, on one "
            "scale; dots mark background, pixels that are zero in all of the images."
        )
        return [Picture(_draw({m: first[m] for m in METHODS if m in first}), caption)]


def draw_images(seed: int, setting: Setting) -> tuple[Array, Array]:
    """Return as many images of each of both classes, drawn without replacement."""
    images, labels = mnist(setting)[:2] if setting.preset == "full" else digits()
    rng = np.random.default_rng(seed)
    chosen = np.concatenate(
        [rng.choice(np.flatnonzero(labels == digit), PER_CLASS, replace=False) for digit in CLASSES]
    )
    return images[chosen], labels[chosen]


# ------------------------------------------------------------------------------------- findings


def _smoother(rows: Results, trees: int) -> Finding:
    values = {method: rows.where(method=method).mean("total_variation") for method in METHODS}
    known = np.isfinite([values["MORF"], values["RF"]]).all()
    return Finding(
        f"MORF's importance is smoother than RF's ({trees} trees)",
        "total variation: " + _listed(values, 3),
        "by eye: “visibly results in a smoother pixel importance”",
        bool(values["MORF"] < values["RF"]) if known else None,
        "Each split of MORF uses a whole patch. Counts of few splits make a map rough, so the "
        "difference shrinks with more trees; SPORF becomes smooth because much of its importance "
        "is spread evenly over all pixels.",
    )


def _less_background(rows: Results, trees: int) -> Finding:
    values = {method: rows.where(method=method).mean("background") for method in METHODS}
    known = np.isfinite([values["MORF"], values["SPORF"]]).all()
    return Finding(
        f"MORF has little importance on background pixels, SPORF has scattered ones ({trees} "
        "trees)",
        "share on pixels that are zero in all images: " + _listed(values, 4),
        "by eye: “little or no importance of these background pixels”",
        bool(values["MORF"] < values["SPORF"] / 2) if known else None,
        "Agrees if MORF has less than half of SPORF's share. RF has none at all: a constant pixel "
        "splits nothing. SPORF adds them to pixels that matter, by chance; patches of MORF "
        "cover some at the edge of the digits.",
    )


def _listed(values: dict[str, float], digits_shown: int) -> str:
    return ", ".join(
        f"{name} {value:.{digits_shown}f}" for name, value in values.items() if np.isfinite(value)
    )


def _mean_and_spread(rows: Results, metric: str, digits_shown: int) -> str:
    text = f"{rows.mean(metric):.{digits_shown}f}"
    return text if len(rows) < 2 else f"{text} ± {rows.std(metric):.{digits_shown}f}"


# --------------------------------------------------------------------------------------- figure


def _draw(maps: dict[str, dict[str, Array]]) -> Figure:
    plt = pyplot()
    any_map = next(iter(maps.values()))
    means = [any_map[f"mean_{digit}"] for digit in CLASSES]
    background = (means[0] == 0) & (means[1] == 0)
    with plt.rc_context(STYLE):
        figure: Figure
        figure, grid = plt.subplots(2, 3, figsize=(9, 6.4), layout="constrained")
        figure.suptitle("Which pixels tell a 3 from a 5", fontsize=13, fontweight="bold")
        _draw_means(figure, grid[0], means)
        for ax in grid[1]:
            ax.set_axis_off()
        # One scale for all. RF's largest values are left out of it, or nothing of SPORF is seen.
        limit = float(np.median([arrays["importance"].max() for arrays in maps.values()]))
        for ax, (method, arrays) in zip(grid[1], maps.items(), strict=False):
            ax.set_axis_on()
            importance_map(arrays["importance"], ax, limit=limit)
            ax.scatter(*np.nonzero(background)[::-1], s=2, color="#0072B2", linewidths=0)
            variation = total_variation(arrays["importance"])
            share = float(arrays["importance"][background].sum())
            ax.set_title(method, fontweight="bold")
            ax.set_xlabel(f"total variation {variation:.2f}\n{share:.1%} on background")
        drawn = list(grid[1][: len(maps)])
        bar = figure.colorbar(drawn[0].images[0], ax=drawn, shrink=0.85, pad=0.01, extend="max")
        bar.set_label("share of all uses")
    return figure


def _draw_means(figure: Figure, axes: Sequence[Any], means: list[Array]) -> None:
    for ax, digit, mean in zip(axes, CLASSES, means, strict=False):
        importance_map(mean, ax)
        ax.set_title(f"mean of the images of {digit}")
    importance_map(means[0] - means[1], axes[2])
    axes[2].set_title(f"difference, {CLASSES[0]} − {CLASSES[1]}")
    bar = figure.colorbar(axes[2].images[0], ax=list(axes), shrink=0.85, pad=0.01)
    bar.set_label("grey value")


M6 = ImportanceMaps(
    id="M6",
    title="Importance of pixels: 3 against 5",
    paper=MORF,
    source="Figure 4 (and Figure 4 of the thesis)",
    question="Forests of 200 images: does MORF look at the same places as RF and SPORF, and how "
    "smooth are the maps?",
    stand_in=STAND_IN,
)
