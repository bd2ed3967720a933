"""M4: seconds of training and testing in the runs of M1 to M3 (Figure 2 of the MORF papers)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...plot._style import pyplot
from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from .._papers import MORF
from .._results import Results
from ._cnn import BATCH_SIZE
from ._methods import COLORS, FORESTS, MARKERS, METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PROBLEMS = {"M1": "circle", "M2": "bars", "M3": "impulse"}
PHASES = {"train_seconds": "training", "test_seconds": "testing"}

# The authors' own result files: seconds of training at n = 2000, 500 trees, on 45 cores.
PUBLISHED_SIZE, PUBLISHED_TREES, PUBLISHED_CORES = 2000, 500, 45
PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "circle": {"MORF": 2.04, "SPORF": 0.27, "RF": 0.14, "CNN": 0.68},
    "bars": {"MORF": 0.355, "SPORF": 0.215, "RF": 0.127, "CNN": 5.18},
    "impulse": {"MORF": 1.15, "SPORF": 0.218, "RF": 0.197, "CNN": 0.98},
}
ON_PAR = 2.0  # "on par" is read as: at most this many times the slower of SPORF and RF
STYLE = {"font.size": 10, "axes.titlesize": 11, "legend.fontsize": 9.5}

Seconds = Mapping[int, float]  # by the number of training examples


def seconds_of(results: Results, problem: str, method: str, phase: str) -> Seconds:
    """Return the mean seconds of a method on a problem, by the number of training examples."""
    source = next(id for id, name in PROBLEMS.items() if name == problem)
    rows = results.of(source).where(method=method)
    means = {int(n): at_size.mean(phase) for n, at_size in rows.by("n").items()}
    return {n: means[n] for n in sorted(means) if means[n] > 0}  # clocks tick: 0 is not measured


def ratio_to_slower(
    times: Mapping[str, Seconds], size: int, others: tuple[str, ...] = ("SPORF", "RF")
) -> float:
    """Return the seconds of MORF over those of the slower of two other forests."""
    return times["MORF"][size] / max(times[other][size] for other in others)


@dataclass(frozen=True, kw_only=True)
class Times(Experiment):
    """Seconds of training and testing, from rows of other experiments."""

    def runs(self, setting: Setting) -> list[Run]:
        """Return nothing: the rows are those of M1, M2 and M3."""
        return []

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Refuse, for there are no runs."""
        raise NotImplementedError("M4 has no runs of its own")

    def findings(self, results: Results) -> list[Finding]:
        """Judge what the paper says of times, and put our seconds beside the authors'."""
        found = [
            _on_par(results, "train_seconds"),
            _on_par(results, "test_seconds"),
            _below_network(results, "train_seconds"),
            _below_network(results, "test_seconds"),
        ]
        return found + _beside_published(results)

    def sheets(self, results: Results) -> list[Sheet]:
        """Return the seconds at the largest size of each problem, and the published ones."""
        return [_sheet(results, phase) for phase in PHASES]

    def figures(self, results: Results) -> list[Picture]:
        """Draw training above testing, one column for each problem."""
        caption = (
            "CPU seconds on one thread over the number of training examples, means over "
            "training sets; testing is for the whole test set."
        )
        if _comparable(results):
            caption += (
                f" Hollow markers beside n = {PUBLISHED_SIZE}: published training times, seconds "
                f"of the clock on {PUBLISHED_CORES} cores. One core would need up to "
                f"{PUBLISHED_CORES} times as long: the dashed lines end there."
            )
        return [Picture(_draw(results), caption)]


# ------------------------------------------------------------------------------------- findings


def _comparable(results: Results) -> bool:
    """Tell whether forests have as many trees as in the published runs."""
    return bool(results.where(trees=PUBLISHED_TREES, n=PUBLISHED_SIZE).rows)


def _forest_ratios(results: Results, phase: str) -> dict[str, tuple[int, float]]:
    """Return for each problem the largest size that all forests have, and the ratio there."""
    ratios = {}
    for problem in PROBLEMS.values():
        times = {name: seconds_of(results, problem, name, phase) for name in FORESTS}
        sizes = set.intersection(*(set(curve) for curve in times.values()))
        if sizes:
            ratios[problem] = (max(sizes), ratio_to_slower(times, max(sizes)))
    return ratios


def _on_par(results: Results, phase: str) -> Finding:
    ratios = _forest_ratios(results, phase)
    ours = [f"{problem} {ratio:.1f} (n = {n})" for problem, (n, ratio) in ratios.items()]
    published = "“on par” in the text"
    if phase == "train_seconds":
        theirs = {
            problem: ratio_to_slower(
                {name: {PUBLISHED_SIZE: value} for name, value in times.items()}, PUBLISHED_SIZE
            )
            for problem, times in PUBLISHED.items()
        }
        published += "; the authors' files: " + ", ".join(f"{p} {r:.1f}" for p, r in theirs.items())
    return Finding(
        f"MORF's {PHASES[phase]} time is on par with those of SPORF and RF",
        "MORF / slower of SPORF and RF: " + (", ".join(ours) or "not measured"),
        published,
        all(ratio <= ON_PAR for _, ratio in ratios.values()) if ratios else None,
        f"Read as at most {ON_PAR:g} times the slower of the two in every simulation. MORF draws "
        "50 candidates a node on circle and 30 on impulse, SPORF and RF 10; on bars all draw 28.",
    )


def _cells(results: Results, phase: str) -> Iterator[tuple[str, int, float]]:
    """Yield seconds of MORF over those of the network, for all problems and sizes."""
    for problem in PROBLEMS.values():
        forest = seconds_of(results, problem, "MORF", phase)
        network = seconds_of(results, problem, "CNN", phase)
        yield from ((problem, n, forest[n] / network[n]) for n in forest if n in network)


def _below_network(results: Results, phase: str) -> Finding:
    claim = f"MORF's {PHASES[phase]} time is below that of the CNN in most cases"
    published = "“well below CNN runtime in most examples”"
    if phase == "train_seconds":
        theirs = (f"{p} {times['MORF'] / times['CNN']:.2f}" for p, times in PUBLISHED.items())
        published += f"; the authors' files, MORF / CNN at n = {PUBLISHED_SIZE}: "
        published += ", ".join(theirs)
    cells = list(_cells(results, phase))
    if not cells:
        return Finding(claim, "no CNN was trained", published, None, "Training it needs torch.")
    below = sum(ratio < 1 for *_, ratio in cells)
    last = {problem: (n, ratio) for problem, n, ratio in cells}  # sizes come in order
    ours = ", ".join(f"{problem} {ratio:.2f} (n = {n})" for problem, (n, ratio) in last.items())
    return Finding(
        claim,
        f"{below} of {len(cells)} simulations × sizes; MORF / CNN at the largest size: {ours}",
        published,
        below > len(cells) / 2,
        "Both on one thread of a processor. How long the network learns depends on the size of "
        f"its batches, here {BATCH_SIZE} examples, and on the rule by which it stops.",
    )


def _beside_published(results: Results) -> list[Finding]:
    if not _comparable(results):
        return []
    pairs = [
        (problem, ours[PUBLISHED_SIZE], PUBLISHED[problem]["MORF"])
        for problem in PROBLEMS.values()
        if PUBLISHED_SIZE in (ours := seconds_of(results, problem, "MORF", "train_seconds"))
    ]
    if not pairs:
        return []
    return [
        Finding(
            f"Seconds to train MORF at n = {PUBLISHED_SIZE}, {PUBLISHED_TREES} trees",
            ", ".join(f"{problem} {ours:.2f}" for problem, ours, _ in pairs) + " on one core",
            ", ".join(f"{problem} {theirs:.2f}" for problem, _, theirs in pairs)
            + f" on {PUBLISHED_CORES} cores",
            None,
            f"If all {PUBLISHED_CORES} cores were busy, theirs are "
            + ", ".join(f"{theirs * PUBLISHED_CORES / ours:.0f}" for _, ours, theirs in pairs)
            + " times our core seconds; how busy they were is not known.",
        )
    ]


# --------------------------------------------------------------------------------------- tables


def _sheet(results: Results, phase: str) -> Sheet:
    """Return one row for each method; cells are of the largest size that a problem has."""
    curves = {
        problem: {method: seconds_of(results, problem, method, phase) for method in METHODS}
        for problem in PROBLEMS.values()
    }
    sizes = {
        problem: max((n for curve in methods.values() for n in curve), default=0)
        for problem, methods in curves.items()
    }
    with_published = phase == "train_seconds" and _comparable(results)
    rows = []
    for method in METHODS:
        if any(curves[problem][method] for problem in curves):
            cells = [
                _cell(
                    curves[problem][method].get(sizes[problem]),
                    PUBLISHED[problem].get(method) if with_published else None,
                )
                for problem in curves
            ]
            rows.append((method, *cells))
    title = f"CPU seconds of {PHASES[phase]} on one thread"
    if with_published:
        title += f" (published: seconds of the clock on {PUBLISHED_CORES} cores, n = 2000)"
    columns = tuple(f"{p}, n = {n}" if n else p for p, n in sizes.items())
    return Sheet(title, ("method", *columns), tuple(rows))


def _cell(ours: float | None, published: float | None) -> str:
    text = "–" if ours is None else f"{ours:.3g}"
    return text if published is None else f"{text} ({published:g})"


# --------------------------------------------------------------------------------------- figure


def _draw(results: Results) -> Figure:
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure: Figure
        figure, grid = plt.subplots(
            2, len(PROBLEMS), figsize=(10, 7.6), sharex="col", sharey="row", layout="constrained"
        )
        figure.suptitle("Seconds over training size", fontsize=13, fontweight="bold")
        for axes, phase in zip(grid, PHASES, strict=True):
            for ax, problem in zip(axes, PROBLEMS.values(), strict=True):
                _draw_panel(ax, results, problem, phase)
            axes[0].set_ylabel(f"{PHASES[phase]}, CPU seconds")
        for ax, problem in zip(grid[0], PROBLEMS.values(), strict=True):
            ax.set_title(problem)
        for ax in grid[-1]:
            ax.set_xlabel("training examples n")
        _legend(figure, grid)
    return figure


def _draw_panel(ax: Axes, results: Results, problem: str, phase: str) -> None:
    ax.set(xscale="log", yscale="log")
    ax.grid(color="0.9", linewidth=0.8)
    ax.spines[["top", "right"]].set_visible(False)
    for method in reversed(METHODS):  # forests on top
        curve = seconds_of(results, problem, method, phase)
        if not curve:
            continue
        main = method in FORESTS or method == "CNN"
        ax.plot(
            list(curve),
            list(curve.values()),
            color=COLORS[method],
            marker=MARKERS[method],
            linewidth=2.2 if main else 1.0,
            markersize=5.5 if main else 4,
            alpha=1 if main else 0.75,
            label=method,
        )
    if phase == "train_seconds" and _comparable(results):
        _draw_published(ax, PUBLISHED[problem])


def _draw_published(ax: Axes, published: Mapping[str, float]) -> None:
    """Draw seconds on all cores, and a line up to the most that they may be on a single one."""
    # A little to the right of our own markers, and beside each other.
    for place, (method, seconds) in enumerate(published.items()):
        n = PUBLISHED_SIZE * 1.25 * 1.12**place
        style: dict[str, Any] = {"color": COLORS[method], "linewidth": 1.0, "zorder": 4}
        ax.plot([n, n], [seconds, PUBLISHED_CORES * seconds], linestyle=(0, (4, 2.5)), **style)
        ax.plot(n, seconds, marker=MARKERS[method], markerfacecolor="white", markersize=6, **style)
        ax.plot(n, PUBLISHED_CORES * seconds, marker="_", markersize=8, **style)
    dashed: dict[str, Any] = {"color": "0.3", "linewidth": 1.0, "linestyle": (0, (4, 2.5))}
    label = f"published, {PUBLISHED_CORES} cores"
    ax.plot([], [], marker="o", markerfacecolor="white", label=label, **dashed)


def _legend(figure: Figure, grid: Any) -> None:
    handles: dict[str, Any] = {}
    for ax in grid.flat:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles[label] = handle
    published = [label for label in handles if label not in METHODS]
    order = [*(method for method in METHODS if method in handles), *published]
    figure.legend(
        [handles[label] for label in order],
        order,
        loc="outside lower center",
        ncols=min(6, max(1, len(order))),
        frameon=False,
    )


M4 = Times(
    id="M4",
    title="Circle, bars and impulse: seconds of training and testing",
    paper=MORF,
    source="Figure 2 (and Figure 2 of the thesis)",
    question="Does MORF cost more than SPORF and RF, and less than the network?",
    rows_of=tuple(PROBLEMS),
)
