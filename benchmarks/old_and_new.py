"""Whether a version of the package is slower than another, task by task.

    python benchmarks/old_and_new.py OLD_PYTHON NEW_PYTHON [--data DIR] [--pairs 9] [--only NAMES]

The versions are given by the Python interpreters that have them installed. Each lives in one
process for all tasks, both on one core with one thread; they take turns (old new, new old, ...),
so that what else the machine does meets both alike. The ratio of a task, new to old, is the median
over the pairs. CPU time decides unless ``--clock wall`` is given, which is for machines without
other work; both ratios are printed. Status 1 means that the geometric mean of all ratios exceeds
``--mean``, or one of them ``--worst``.

Images are those of ``mnist.npz`` in the folder of ``--data``, or else scikit-learn's digits,
enlarged. The tasks are in ``versions/tasks.py``. 9 pairs of all of them take about two minutes.
While other programs use the caches, a version can be 5 % slower than itself in some task: measure
that one again by ``--only`` with more pairs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.command_line import add_core, add_names, script_parser
from harness.processes import ONE_THREAD
from harness.registry import FOLDER
from versions.tasks import TASKS

CLOCKS = ("cpu", "wall")

Times = dict[str, float]  # seconds by clock
Pair = tuple[Times, Times]  # of the old and of the new version


@dataclass(frozen=True)
class Worker:
    """A process of one version."""

    python: str
    process: subprocess.Popen[str]

    def time(self, task: str) -> Times:
        """Let the process do a task and return its seconds."""
        try:
            print(json.dumps(task), file=self.process.stdin, flush=True)
            assert self.process.stdout is not None
            times: Times = json.loads(self.process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError) as error:
            raise RuntimeError(f"the process of {self.python} ended during {task}") from error
        return times


@contextmanager
def started(python: str, options: argparse.Namespace) -> Iterator[Worker]:
    """Start the process of a version, which ends when there is nothing more to read."""
    data = None if options.data is None else str(options.data.resolve())
    settings = json.dumps({"core": options.core, "data": data})
    with subprocess.Popen(
        [python, "-m", "versions.worker", settings],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=FOLDER,
        env=os.environ | ONE_THREAD,
    ) as process:
        yield Worker(python, process)


def measure(old: Worker, new: Worker, task: str, repeats: int) -> list[Pair]:
    """Let both do a task in turns; the first of a pair is the second of the next."""
    for worker in (old, new):
        worker.time(task)  # prepares it
    pairs = []
    for i in range(repeats):
        if i % 2 == 0:
            first = old.time(task)
            pairs.append((first, new.time(task)))
        else:
            first = new.time(task)
            pairs.append((old.time(task), first))
    return pairs


def ratio(pairs: list[Pair], clock: str) -> float:
    """Return the median over the pairs of new to old."""
    return statistics.median(new[clock] / old[clock] for old, new in pairs)


def print_task(task: str, pairs: list[Pair], clock: str) -> None:
    """Print the line of a task."""
    old, new = (1000 * statistics.median(pair[side][clock] for pair in pairs) for side in (0, 1))
    ratios = "".join(f"{ratio(pairs, each):>13.3f}" for each in CLOCKS)
    print(f"{task:<24}{old:>10.1f}{new:>10.1f}{ratios}", flush=True)


def interpreter(name: str) -> str:
    """Return the full path of a Python; links are kept, as they make a virtual environment."""
    found = shutil.which(name)
    if found is None:
        raise argparse.ArgumentTypeError(f"a Python interpreter is expected, got {name!r}")
    return os.path.abspath(found)


def n_pairs(text: str) -> int:
    """Return a number of pairs."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"an integer >= 1 is expected, got {text!r}")
    return int(text)


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    parser.add_argument("old", type=interpreter, metavar="OLD_PYTHON")
    parser.add_argument("new", type=interpreter, metavar="NEW_PYTHON")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with mnist.npz")
    parser.add_argument("--pairs", type=n_pairs, default=9, help="of runs for each task")
    add_names(parser, "--only", TASKS, "tasks")
    parser.add_argument("--clock", choices=CLOCKS, default=CLOCKS[0], help="time that decides")
    parser.add_argument("--mean", type=float, default=1.02, help="largest mean of ratios")
    parser.add_argument("--worst", type=float, default=1.05, help="largest single ratio")
    add_core(parser)
    return parser.parse_args()


def main() -> None:
    """Print a line for each task and the verdict."""
    options = parse_options()
    ratios = {}
    print(
        f"{'task':<24}{'old ms':>10}{'new ms':>10}" + "".join(f"{f'{c} ratio':>13}" for c in CLOCKS)
    )
    with started(options.old, options) as old, started(options.new, options) as new:
        for task in options.only:
            pairs = measure(old, new, task, options.pairs)
            print_task(task, pairs, options.clock)
            ratios[task] = ratio(pairs, options.clock)
    mean = statistics.geometric_mean(ratios.values())
    slower = [task for task, value in ratios.items() if value > options.worst]
    print(f"geometric mean {mean:.3f} (at most {options.mean})")
    print(f"above {options.worst}: {', '.join(slower) or 'none'}")
    sys.exit(1 if slower or mean > options.mean else 0)


if __name__ == "__main__":
    main()
