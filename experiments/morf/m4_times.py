"""M4: seconds of training and testing in the runs of M1 to M3 (Figure 2 of the MORF papers)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..drawing import PUBLISHED, add_legend, light_grid, panels
from ..experiment import Finding, Picture, Reading, Sheet
from ..registry import MORF
from ..results import Results
from .cnn import BATCH_SIZE
from .errors import beside, sheet
from .methods import FORESTS, METHODS, STYLES

PROBLEMS = {"circle": "M1", "bars": "M2", "impulse": "M3"}  # and the experiments with their rows
PHASES = {"train_seconds": "training", "test_seconds": "testing"}
ON_PAR = 2.0  # "on par" is read as: at most this many times the slower of SPORF and RF

Seconds = Mapping[str, Mapping[str, Mapping[int, float]]]  # by problem, method and training size

# The authors' own result files: seconds of the clock to train on many cores.
AUTHORS_N, AUTHORS_TREES, AUTHORS_CORES = 2000, 500, 45
AUTHORS_SECONDS = {
    "circle": {"MORF": 2.04, "SPORF": 0.27, "RF": 0.14, "CNN": 0.68},
    "bars": {"MORF": 0.355, "SPORF": 0.215, "RF": 0.127, "CNN": 5.18},
    "impulse": {"MORF": 1.15, "SPORF": 0.218, "RF": 0.197, "CNN": 0.98},
}
AUTHORS: Seconds = {
    p: {m: {AUTHORS_N: s} for m, s in of.items()} for p, of in AUTHORS_SECONDS.items()
}


@dataclass(frozen=True, kw_only=True)
class _Times(Reading):
    """Seconds of training and testing, from rows of other experiments."""

    def findings(self, results: Results) -> list[Finding]:
        train, test = (seconds_in(results, phase) for phase in PHASES)
        found = [_on_par(train, "train_seconds"), _on_par(test, "test_seconds")]
        found += [_below_network(train, "train_seconds"), _below_network(test, "test_seconds")]
        ours = {p: of["MORF"][AUTHORS_N] for p, of in train.items() if AUTHORS_N in of["MORF"]}
        return [*found, _beside_published(ours)] if _comparable(results) and ours else found

    def sheets(self, results: Results) -> list[Sheet]:
        published = AUTHORS_SECONDS if _comparable(results) else {}
        train, test = (seconds_in(results, phase) for phase in PHASES)
        return [_sheet(train, "train_seconds", published), _sheet(test, "test_seconds", {})]

    def figures(self, results: Results) -> list[Picture]:
        size, share = (10, 7.6), {"sharex": "col", "sharey": "row"}
        figure, grid = panels(2, len(PROBLEMS), size, "Seconds over training size", **share)
        drawn = set()
        for axes, phase in zip(grid, PHASES, strict=True):
            for ax, curves in zip(axes, seconds_in(results, phase).values(), strict=True):
                ax.set(xscale="log", yscale="log")
                light_grid(ax)
                for method in reversed(METHODS):  # forests on top
                    if curves[method]:
                        ax.plot(*zip(*curves[method].items(), strict=True), **_line(method))
                        drawn.add(method)
            axes[0].set_ylabel(f"{PHASES[phase]}, CPU seconds")
        for top, bottom, problem in zip(*grid, PROBLEMS, strict=True):
            top.set_title(problem)
            bottom.set_xlabel("training examples n")
        styles = {method: _line(method) for method in METHODS if method in drawn}
        caption = (
            "CPU seconds on one thread over the number of training examples, means over "
            "training sets; testing is for the whole test set."
        )
        if _comparable(results):
            hollow = {**PUBLISHED, "color": "0.3", "marker": "o", "markerfacecolor": "white"}
            styles[f"published, {AUTHORS_CORES} cores"] = hollow
            for ax, seconds in zip(grid[0], AUTHORS_SECONDS.values(), strict=True):
                # A little to the right of our own markers, and beside each other: seconds on all
                # cores, and a line up to the most that they may be on a single one.
                for place, (method, low) in enumerate(seconds.items()):
                    n, high = AUTHORS_N * 1.25 * 1.12**place, AUTHORS_CORES * low
                    style = {**STYLES[method], "zorder": 4}
                    ax.plot([n, n], [low, high], **{**PUBLISHED, **style, "marker": ""})
                    ax.plot(n, low, markerfacecolor="white", markersize=6, **style)
                    ax.plot(n, high, **{**style, "marker": "_", "markersize": 8})
            caption += (
                f" Hollow markers beside n = {AUTHORS_N}: published training times, seconds of "
                f"the clock on {AUTHORS_CORES} cores. One core would need up to "
                f"{AUTHORS_CORES} times as long: the dashed lines end there."
            )
        add_legend(figure, styles, n_columns=min(6, len(styles)))
        return [Picture(figure, caption)]


def seconds_in(results: Results, phase: str) -> Seconds:
    """Return mean seconds; what is shorter than a tick of the clock is left out."""
    seconds = {}
    for problem, id in PROBLEMS.items():
        by_method = {method: results.of(id).where(method=method).by("n") for method in METHODS}
        seconds[problem] = {
            method: {int(n): s for n in sorted(sizes) if (s := sizes[n].mean(phase)) > 0}
            for method, sizes in by_method.items()
        }
    return seconds


def _comparable(results: Results) -> bool:
    """Tell whether forests have as many trees as in the authors' runs."""
    return bool(results.where(trees=AUTHORS_TREES, n=AUTHORS_N).rows)


def _ratios(seconds: Seconds, others: tuple[str, ...]) -> dict[str, dict[int, float]]:
    """Return the seconds of MORF over those of the slowest of others, by problem and size."""
    return {
        problem: {
            n: of["MORF"][n] / max(of[other][n] for other in others)
            for n in of["MORF"]
            if all(n in of[other] for other in others)
        }
        for problem, of in seconds.items()
    }


def _on_par(seconds: Seconds, phase: str) -> Finding:
    """Compare MORF with the slower of SPORF and RF, at the largest size that all three have."""
    ratios = {p: of for p, of in _ratios(seconds, ("SPORF", "RF")).items() if of}
    ours = [f"{p} {of[max(of)]:.1f} (n = {max(of)})" for p, of in ratios.items()]
    published = "“on par” in the text"
    if phase == "train_seconds":
        theirs = _ratios(AUTHORS, ("SPORF", "RF")).items()
        published += "; the authors' files: "
        published += ", ".join(f"{p} {of[AUTHORS_N]:.1f}" for p, of in theirs)
    return Finding(
        f"MORF's {PHASES[phase]} time is on par with those of SPORF and RF",
        "MORF / slower of SPORF and RF: " + (", ".join(ours) or "not measured"),
        published,
        all(of[max(of)] <= ON_PAR for of in ratios.values()) if ratios else None,
        f"Read as at most {ON_PAR:g} times the slower of the two in every simulation. MORF draws "
        "50 candidates a node on circle and 30 on impulse, SPORF and RF 10; on bars all draw 28.",
    )


def _below_network(seconds: Seconds, phase: str) -> Finding:
    """Count where MORF takes less time than the network."""
    claim = f"MORF's {PHASES[phase]} time is below that of the CNN in most cases"
    published = "“well below CNN runtime in most examples”"
    if phase == "train_seconds":
        theirs = _ratios(AUTHORS, ("CNN",)).items()
        published += f"; the authors' files, MORF / CNN at n = {AUTHORS_N}: "
        published += ", ".join(f"{p} {of[AUTHORS_N]:.2f}" for p, of in theirs)
    ratios = {p: of for p, of in _ratios(seconds, ("CNN",)).items() if of}
    if not ratios:
        return Finding(claim, "no CNN was trained", published, None, "Training it needs torch.")
    below = [ratio < 1 for of in ratios.values() for ratio in of.values()]
    return Finding(
        claim,
        f"{sum(below)} of {len(below)} simulations × sizes; MORF / CNN at the largest size: "
        + ", ".join(f"{p} {of[max(of)]:.2f} (n = {max(of)})" for p, of in ratios.items()),
        published,
        sum(below) > len(below) / 2,
        "Both on one thread of a processor. How long the network learns depends on the size of "
        f"its batches, here {BATCH_SIZE} examples, and on the rule by which it stops.",
    )


def _beside_published(ours: Mapping[str, float]) -> Finding:
    theirs = {problem: AUTHORS_SECONDS[problem]["MORF"] for problem in ours}
    factors = (f"{theirs[problem] * AUTHORS_CORES / ours[problem]:.0f}" for problem in ours)
    return Finding(
        f"Seconds to train MORF at n = {AUTHORS_N}, {AUTHORS_TREES} trees",
        ", ".join(f"{problem} {s:.2f}" for problem, s in ours.items()) + " on one core",
        ", ".join(f"{p} {s:.2f}" for p, s in theirs.items()) + f" on {AUTHORS_CORES} cores",
        None,
        f"If all {AUTHORS_CORES} cores were busy, theirs are {', '.join(factors)} times our core "
        "seconds; how busy they were is not known.",
    )


def _sheet(seconds: Seconds, phase: str, published: Mapping[str, Mapping[str, float]]) -> Sheet:
    """Return one row for each method; cells are of the largest size that a problem has."""
    sizes = {p: max((n for c in of.values() for n in c), default=0) for p, of in seconds.items()}
    rows: dict[str, dict[str, str]] = {}
    for method in METHODS:
        if any(of[method] for of in seconds.values()):
            rows[method] = {}
            for problem, n in sizes.items():
                theirs = published.get(problem, {}).get(method)
                ours = seconds[problem][method].get(n)
                rows[method][problem] = beside(ours, theirs, "{:.3g}".format)
    title = f"CPU seconds of {PHASES[phase]} on one thread"
    if published:
        title += f" (published: seconds of the clock on {AUTHORS_CORES} cores, n = {AUTHORS_N})"
    columns = {problem: f"{problem}, n = {n}" if n else problem for problem, n in sizes.items()}
    return sheet(title, "method", columns, rows)


def _line(method: str) -> dict[str, Any]:
    main = method in FORESTS or method == "CNN"
    width, size, alpha = (2.2, 5.5, 1.0) if main else (1.0, 4.0, 0.75)
    return {**STYLES[method], "linewidth": width, "markersize": size, "alpha": alpha}


M4 = _Times(
    id="M4",
    title="Circle, bars and impulse: seconds of training and testing",
    paper=MORF,
    source="Figure 2 (and Figure 2 of the thesis)",
    question="Does MORF cost more than SPORF and RF, and less than the network?",
    rows_of=tuple(PROBLEMS.values()),
)
