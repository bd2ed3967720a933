"""Draw the figures of docs/results.md: experiments at full size with few repetitions, and table G1.

Finished runs are kept in --out, so that the command can be stopped and goes on where it was. All of
it takes some eight minutes of one core.

    python tools/results_figures.py --data DIR [--out DIR] [ID ...]
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from importlib.metadata import version
from pathlib import Path

import matplotlib

matplotlib.use("agg")

from matplotlib.figure import Figure  # noqa: E402
from PIL import Image  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from experiments.drawing import drawing, light_grid, log_ticks, panels  # noqa: E402
from experiments.experiment import Setting  # noqa: E402
from experiments.morf.learning_curve import size_axis  # noqa: E402
from experiments.registry import get_experiments  # noqa: E402
from experiments.results import RowFile  # noqa: E402
from experiments.runner import Plan, do_runs  # noqa: E402
from experiments.views.methods import STYLES  # noqa: E402

PAGE = ROOT / "docs" / "results.md"
IMAGES = ROOT / "docs" / "images" / "results"
# Repetitions of the full preset that are run.
SEEDS = {"M1": 1, "M3": 1, "M6": 1, "R1": 1, "D1": 1, "B1": 2, "B8": 2}
# Dots per inch and number of colours of the figures that are kept: shades need more colours.
KEPT = {
    "M1-1": (110, 64),
    "M3-1": (110, 64),
    "M6-1": (95, 256),
    "R1-1": (110, 256),
    "D1-2": (84, 64),
    "D1-3": (100, 64),
    "B1-1": (110, 64),
    "B1-2": (110, 64),
    "B8-1": (110, 64),
    "G1": (100, 64),
}
# The lines of the table G1 on the page, in its order: name in the figure, and in STYLES.
G1_ROWS = (
    ("patches on pixels (MORF)", "MORF"),
    ("recipe for images", "image"),
    ("boosted", "boosted"),
    ("boosted, shifted copies", "boosted + shifts"),
    ("network, published", "CNN"),
    ("network, trained here", "CNN"),
    ("LightGBM on pixels", "LightGBM"),
)


def run(ids: list[str], data: Path | None, out: Path) -> None:
    """Run what is left of the first repetitions, and save the figures of each experiment."""
    plan = Plan(get_experiments(ids), Setting("full", data), version("manifoldforest"))
    file = RowFile(out)
    with file.append() as writer:
        to_do = plan.to_do(plan.finished(file.read()))
        tasks = [task for task in to_do if task.run.seed < SEEDS[task.experiment.id]]
        for i, (task, row) in enumerate(do_runs(tasks, 1, plan.version, writer)):
            print(f"{i + 1}/{len(tasks)} {task}{': ' + row if isinstance(row, str) else ''}")
    finished = plan.finished(file.read())
    with drawing():
        for experiment in plan.experiments:
            pictures = experiment.figures(plan.results(experiment, finished))
            for number, picture in enumerate(pictures, start=1):
                if f"{experiment.id}-{number}" in KEPT:
                    save(picture.figure, f"{experiment.id}-{number}")


def table_of_page(marker: str) -> tuple[list[int], list[list[tuple[float, float | None]]]]:
    """Return the sizes of a table after a marker, and for each line its errors and seconds."""
    text = PAGE.read_text(encoding="utf-8").partition(f"<!-- {marker} -->")[2]
    lines = [line for line in text.split("\n\n")[1].splitlines() if line.startswith("|")]
    sizes = [int(re.sub(r"\D", "", cell)) for cell in lines[0].strip("|").split("|")[1:]]
    rows = []
    for line in lines[2:]:
        cells = re.findall(r"(\.\d+)(?: \(([\d.]+) s\))?", line.strip("|").split("|", 1)[1])
        rows.append([(float(error), float(s) if s else None) for error, s in cells])
    return sizes, rows


def draw_g1() -> None:
    """Draw the table G1 of the page: errors over training size, and over seconds."""
    sizes, rows = table_of_page("G1")
    with drawing():
        figure, axes = panels(1, 2, (10, 4.2), sharey=True)
        left, right = axes[0]
        for (name, key), row in zip(G1_ROWS, rows, strict=True):
            style = {"label": name, "linewidth": 1.6, "markersize": 6, **STYLES[key]}
            if "published" in name:
                style |= {"linestyle": ":", "markerfacecolor": "none"}
            left.plot(sizes, [error for error, _ in row], **style)
            timed = [(seconds, error) for error, seconds in row if seconds is not None]
            if timed:
                right.plot(*zip(*timed, strict=True), **style)
        size_axis(left, sizes)
        right.set(xscale="log", xlabel="CPU seconds of training, one thread")
        for ax in (left, right):
            log_ticks(ax, "y", [0.005, 0.01, 0.02, 0.05, 0.1])
            light_grid(ax)
        left.set_ylabel("test error")
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)
        save(figure, "G1")


def save(figure: Figure, name: str) -> None:
    """Save a figure in few colours, which takes a fraction of the room."""
    dots_per_inch, n_colours = KEPT[name]
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dots_per_inch, facecolor="white", bbox_inches="tight")
    path = IMAGES / f"{name}.png"
    few_colours = Image.open(drawn).convert("RGB").quantize(n_colours, dither=Image.Dither.NONE)
    few_colours.save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


def main() -> int:
    """Draw all figures, or those of some experiments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help=f"of {', '.join([*SEEDS, 'G1'])}")
    parser.add_argument("--data", type=Path, help="folder of the data sets")
    parser.add_argument("--out", type=Path, default=Path("reproduction"), help="folder of runs")
    given = parser.parse_args()
    IMAGES.mkdir(parents=True, exist_ok=True)
    ids = given.ids or [*SEEDS, "G1"]
    if unknown := set(ids).difference(SEEDS, ["G1"]):
        parser.error(f"ID must be of {', '.join([*SEEDS, 'G1'])}, got {', '.join(unknown)}")
    if "G1" in ids:
        draw_g1()
    if others := [id for id in ids if id != "G1"]:
        run(others, given.data, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
