"""M4: seconds of training and testing in the runs of M1 to M3 (Figure 2 of the MORF papers)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._drawing import PUBLISHED, add_legend, light_grid, panels
from .._experiment import Finding, Picture, Reading, Sheet
from .._papers import MORF
from .._results import Results
from .cnn import BATCH_SIZE
from .errors import NOTHING, sheet
from .methods import FORESTS, METHODS, STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROBLEMS = {"circle": "M1", "bars": "M2", "impulse": "M3"}  # and the experiments with their rows
PHASES = {"train_seconds": "training", "test_seconds": "testing"}
ON_PAR = 2.0  # "on par" is read as: at most this many times the slower of SPORF and RF

# The authors' own result files: seconds of the clock to train on many cores.
AUTHORS_N, AUTHORS_TREES, AUTHORS_CORES = 2000, 500, 45
AUTHORS_SECONDS = {
    "circle": {"MORF": 2.04, "SPORF": 0.27, "RF": 0.14, "CNN": 0.68},
    "bars": {"MORF": 0.355, "SPORF": 0.215, "RF": 0.127, "CNN": 5.18},
    "impulse": {"MORF": 1.15, "SPORF": 0.218, "RF": 0.197, "CNN": 0.98},
}

Seconds = Mapping[str, Mapping[str, Mapping[int, float]]]  # by problem, method and training size


@dataclass(frozen=True, kw_only=True)
class Times(Reading):
    """Seconds of training and testing, from rows of other experiments."""

    def findings(self, results: Results) -> list[Finding]:
        """Judge what the paper says of times, and put our seconds beside the authors'."""
        by_phase = {phase: seconds_in(results, phase) for phase in PHASES}
        found = [_on_par(seconds, phase) for phase, seconds in by_phase.items()]
        found += [_below_network(seconds, phase) for phase, seconds in by_phase.items()]
        at_their_size = {
            problem: methods["MORF"][AUTHORS_N]
            for problem, methods in by_phase["train_seconds"].items()
            if AUTHORS_N in methods["MORF"]
        }
        if _comparable(results) and at_their_size:
            found.append(_beside_published(at_their_size))
        return found

    def sheets(self, results: Results) -> list[Sheet]:
        """Return the seconds at the largest size of each problem, and the published ones."""
        published = {"train_seconds": AUTHORS_SECONDS if _comparable(results) else {}}
        return [_sheet(seconds_in(results, p), p, published.get(p, {})) for p in PHASES]

    def figures(self, results: Results) -> list[Picture]:
        """Draw training above testing, one column for each problem."""
        return [_picture(results)]


def seconds_in(results: Results, phase: str) -> Seconds:
    """Return mean seconds; what is shorter than a tick of the clock is left out."""
    return {
        problem: {
            method: _positive_means(results.of(id).where(method=method), phase)
            for method in METHODS
        }
        for problem, id in PROBLEMS.items()
    }


def _positive_means(rows: Results, phase: str) -> dict[int, float]:
    means = {int(n): at_size.mean(phase) for n, at_size in rows.by("n").items()}
    return {n: means[n] for n in sorted(means) if means[n] > 0}


def _comparable(results: Results) -> bool:
    """Tell whether forests have as many trees as in the authors' runs."""
    return bool(results.where(trees=AUTHORS_TREES, n=AUTHORS_N).rows)


def _ratio_to_slower(seconds: Mapping[str, float]) -> float:
    """Return the seconds of MORF over those of the slower of the two other forests."""
    return seconds["MORF"] / max(seconds["SPORF"], seconds["RF"])


def _on_par(seconds: Seconds, phase: str) -> Finding:
    """Compare MORF with the slower of SPORF and RF, at the largest size that all three have."""
    ratios = {}
    for problem, methods in seconds.items():
        sizes = set.intersection(*(set(methods[name]) for name in FORESTS))
        if sizes:
            n = max(sizes)
            ratios[problem, n] = _ratio_to_slower({name: methods[name][n] for name in FORESTS})
    ours = [f"{problem} {ratio:.1f} (n = {n})" for (problem, n), ratio in ratios.items()]
    published = "“on par” in the text"
    if phase == "train_seconds":
        theirs = (f"{p} {_ratio_to_slower(of):.1f}" for p, of in AUTHORS_SECONDS.items())
        published += "; the authors' files: " + ", ".join(theirs)
    return Finding(
        f"MORF's {PHASES[phase]} time is on par with those of SPORF and RF",
        "MORF / slower of SPORF and RF: " + (", ".join(ours) or "not measured"),
        published,
        all(ratio <= ON_PAR for ratio in ratios.values()) if ratios else None,
        f"Read as at most {ON_PAR:g} times the slower of the two in every simulation. MORF draws "
        "50 candidates a node on circle and 30 on impulse, SPORF and RF 10; on bars all draw 28.",
    )


def _below_network(seconds: Seconds, phase: str) -> Finding:
    """Count where MORF takes less time than the network."""
    claim = f"MORF's {PHASES[phase]} time is below that of the CNN in most cases"
    published = "“well below CNN runtime in most examples”"
    if phase == "train_seconds":
        theirs = (f"{p} {of['MORF'] / of['CNN']:.2f}" for p, of in AUTHORS_SECONDS.items())
        published += f"; the authors' files, MORF / CNN at n = {AUTHORS_N}: {', '.join(theirs)}"
    ratios = {
        (problem, n): of_morf / methods["CNN"][n]
        for problem, methods in seconds.items()
        for n, of_morf in methods["MORF"].items()
        if n in methods["CNN"]
    }
    if not ratios:
        return Finding(claim, "no CNN was trained", published, None, "Training it needs torch.")
    below = sum(ratio < 1 for ratio in ratios.values())
    # Sizes come in order: of each problem, the largest stays.
    largest = {p: f"{p} {ratio:.2f} (n = {n})" for (p, n), ratio in ratios.items()}
    return Finding(
        claim,
        f"{below} of {len(ratios)} simulations × sizes; MORF / CNN at the largest size: "
        + ", ".join(largest.values()),
        published,
        below > len(ratios) / 2,
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
        if any(seconds[problem][method] for problem in PROBLEMS):
            rows[method] = {}
            for problem, n in sizes.items():
                ours = seconds[problem][method].get(n)
                theirs = published.get(problem, {}).get(method)
                rows[method][problem] = NOTHING if ours is None else f"{ours:.3g}"
                rows[method][problem] += "" if theirs is None else f" ({theirs:g})"
    title = f"CPU seconds of {PHASES[phase]} on one thread"
    if published:
        title += f" (published: seconds of the clock on {AUTHORS_CORES} cores, n = {AUTHORS_N})"
    columns = {problem: f"{problem}, n = {n}" if n else problem for problem, n in sizes.items()}
    return sheet(title, "method", columns, rows)


def _picture(results: Results) -> Picture:
    size, share = (10, 7.6), {"sharex": "col", "sharey": "row"}
    figure, grid = panels(2, len(PROBLEMS), size, "Seconds over training size", **share)
    drawn: set[str] = set()
    for axes, phase in zip(grid, PHASES, strict=True):
        for ax, (problem, curves) in zip(axes, seconds_in(results, phase).items(), strict=True):
            ax.set(xscale="log", yscale="log")
            light_grid(ax)
            for method in reversed(METHODS):  # forests on top
                if curves[method]:
                    ax.plot(*zip(*curves[method].items(), strict=True), **_line(method))
                    drawn.add(method)
            if phase == "train_seconds" and _comparable(results):
                _draw_published(ax, AUTHORS_SECONDS[problem])
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
        caption += (
            f" Hollow markers beside n = {AUTHORS_N}: published training times, seconds of "
            f"the clock on {AUTHORS_CORES} cores. One core would need up to "
            f"{AUTHORS_CORES} times as long: the dashed lines end there."
        )
    add_legend(figure, styles, n_columns=min(6, len(styles)))
    return Picture(figure, caption)


def _line(method: str) -> dict[str, Any]:
    main = method in FORESTS or method == "CNN"
    width, size, alpha = (2.2, 5.5, 1.0) if main else (1.0, 4.0, 0.75)
    return {**STYLES[method], "linewidth": width, "markersize": size, "alpha": alpha}


def _draw_published(ax: Axes, seconds: Mapping[str, float]) -> None:
    """Draw seconds on all cores, and a line up to the most that they may be on a single one."""
    # A little to the right of our own markers, and beside each other.
    for place, (method, low) in enumerate(seconds.items()):
        n, high = AUTHORS_N * 1.25 * 1.12**place, AUTHORS_CORES * low
        style: dict[str, Any] = {**STYLES[method], "zorder": 4}
        ax.plot([n, n], [low, high], **{**PUBLISHED, **style, "marker": ""})
        ax.plot(n, low, markerfacecolor="white", markersize=6, **style)
        ax.plot(n, high, **{**style, "marker": "_", "markersize": 8})


M4 = Times(
    id="M4",
    title="Circle, bars and impulse: seconds of training and testing",
    paper=MORF,
    source="Figure 2 (and Figure 2 of the thesis)",
    question="Does MORF cost more than SPORF and RF, and less than the network?",
    rows_of=tuple(PROBLEMS.values()),
)
