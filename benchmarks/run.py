"""Compare the forests of this package with those of other libraries, on one core.

The question: how much faster, smaller and better is a forest here than the same forest elsewhere?

    python benchmarks/run.py                         every task, every library (hours)
    python benchmarks/run.py --quick                 a look, in less than 3 minutes
    python benchmarks/run.py --tasks mnist-uint8 --forests RF --peers scikit-learn
    python benchmarks/run.py --list                  names of tasks and libraries

Every number comes from a fresh process pinned to one core. The runs of all forests on a task are
interleaved, so that a machine that slows down slows all of them, and ratios are taken within a
round: 5.0 means that the peer takes five times as long, or as much. Libraries that cannot share an
environment get their own below benchmarks/.environments, installed at the first run; what cannot
be installed is named and left out. MNIST comes from ``manifoldforest.datasets.load_mnist`` (set
MANIFOLDFOREST_DATA to the folder that holds mnist.npz). Linux only.

"memory" is the peak of fit above the memory just before it, with the data loaded; "size" is the
stored model (file or pickle); "cpu s" well below "fit s" means that something else used the core:
measure again. Fit, predict and size are compared per tree, since some peers get fewer trees.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from harness.environments import Unavailable, interpreter, prepare
from harness.library import Library
from harness.measurement import Job, Measurement
from harness.peer import Peer
from harness.processes import exported, measure
from harness.registry import OURS, all_peers, all_tasks
from harness.report import print_task
from harness.task import Forest, Task

KINDS = ("RF", "SPORF", "MORF", "ET")
QUICK_TREES, QUICK_TEST, QUICK_REPEATS = 5, 2000, 2
T = TypeVar("T")


@dataclass(frozen=True)
class Size:
    """How much is asked of a task."""

    n_train: int
    n_test: int
    trees: int


def size_of(task: Task, options: argparse.Namespace) -> Size:
    """Return the size of the task itself or, in a quick run, a small one."""
    if not options.quick:
        return Size(task.n_train, task.n_test, options.trees or task.trees)
    n_test = min(task.n_test, QUICK_TEST)
    return Size(task.quick or task.n_train, n_test, options.trees or QUICK_TREES)


def available(peers: Iterable[Library], install: bool) -> dict[str, str]:
    """Return the versions of the libraries that work, and say which do not."""
    versions = {}
    for peer in peers:
        try:
            versions[peer.name] = prepare(peer, install)
        except Unavailable as error:
            print(f"{peer.name} is left out: {error}", flush=True)
    return versions


def measure_task(
    task: Task, peers: dict[str, Peer], options: argparse.Namespace
) -> list[Measurement]:
    """All rounds of a task; a forest that failed once is not tried again."""
    size = size_of(task, options)
    pairs = [
        (forest, peer)
        for forest in task.forests
        if forest.kind in options.forests
        for peer in peers.values()
        if peer.fits(task, forest)
    ]
    measured: list[Measurement] = []
    with exported(task, size.n_train, size.n_test) as folder:
        for seed in range(options.repeats):
            for forest, peer in list(pairs):
                job = make_job(task, forest, peer, folder, size.trees, seed, options)
                result = measure(interpreter(peer), job, options.timeout)
                save_line(options.json, result, size)
                measured.append(result)
                if result.failed:
                    print(f"  {forest.label} {peer.name} is not available: {result.failed}")
                    pairs.remove((forest, peer))
    return measured


def make_job(
    task: Task,
    forest: Forest,
    peer: Peer,
    folder: str,
    trees: int,
    seed: int,
    options: argparse.Namespace,
) -> Job:
    """Say what the child has to do."""
    trees = min(trees, peer.tree_limit(task, forest) or trees)
    extra = options.ours if peer.name == OURS else {}
    return Job(task.name, forest.label, peer.name, folder, trees, seed, options.core, extra)


def save_line(path: Path | None, result: Measurement, size: Size) -> None:
    """Write a measurement to the error stream and to the file, if there is one."""
    line = json.dumps(asdict(result) | {"n_train": size.n_train})
    print(line, file=sys.stderr, flush=True)
    if path is not None:
        with path.open("a") as file:
            file.write(line + "\n")


def chosen(names: str, known: dict[str, T]) -> dict[str, T]:
    """Pick the entries that a comma-separated list names."""
    wanted = names.split(",")
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; choose from {', '.join(known)}")
    return {name: value for name, value in known.items() if name in wanted}


def print_names(tasks: dict[str, Task], peers: dict[str, Peer]) -> None:
    """List what there is."""
    for task in tasks.values():
        forests = ", ".join(forest.label for forest in task.forests)
        shape = " x ".join(map(str, (task.n_train, *task.shape)))
        print(f"{task.name:<16}{shape:<22}{task.trees:>4} trees  {forests}")
    for peer in peers.values():
        requirements = " ".join(peer.requirements)
        print(f"{peer.name:<16}{', '.join(peer.forests):<22}{requirements}")


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print tasks and libraries, and stop")
    parser.add_argument("--quick", action="store_true", help="small tasks, installed peers only")
    parser.add_argument("--tasks", metavar="NAMES", help="separated by commas (default: all)")
    parser.add_argument("--peers", metavar="NAMES", help="separated by commas (default: all)")
    parser.add_argument("--forests", metavar="KINDS", default=",".join(KINDS))
    parser.add_argument("--repeats", type=int, help=f"rounds (default: 3, quick {QUICK_REPEATS})")
    parser.add_argument("--trees", type=int, help="instead of each task's own number")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--timeout", type=float, default=1800, metavar="S", help="of one run")
    parser.add_argument("--no-install", action="store_true", help="installed peers only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append every run")
    parser.add_argument(
        "--ours",
        type=json.loads,
        default={},
        metavar="JSON",
        help="""parameters of our forests, such as '{"splitter": "exact"}'""",
    )
    options = parser.parse_args()
    options.repeats = options.repeats or (QUICK_REPEATS if options.quick else 3)
    options.forests = chosen(options.forests, dict.fromkeys(KINDS))
    return options


def choose(options: argparse.Namespace) -> tuple[dict[str, Task], dict[str, Peer]]:
    """Return the tasks and libraries that were asked for, our own always."""
    tasks, peers = all_tasks(), all_peers()
    if options.quick and not options.tasks:
        tasks = {name: task for name, task in tasks.items() if task.quick}
    elif options.tasks:
        tasks = chosen(options.tasks, tasks)
    if options.quick and not options.peers:
        peers = {name: peer for name, peer in peers.items() if peer.quick}
    elif options.peers:
        peers = chosen(f"{OURS},{options.peers}", peers)
    return tasks, peers


def header(task: Task, size: Size) -> str:
    """Name a task with its size."""
    shape = " x ".join(map(str, (size.n_train, *task.shape)))
    return f"{task.name}: {shape}, {task.about}; {size.trees} trees"


def main() -> None:
    """Measure task by task and print the tables as they come."""
    options = parse_options()
    tasks, peers = choose(options)
    if options.list:
        print_names(tasks, peers)
        return
    versions = available(peers.values(), install=not (options.quick or options.no_install))
    peers = {name: peer for name, peer in peers.items() if name in versions}
    notes: dict[str, Any] = {peer.name: peer.note for peer in peers.values() if peer.note}
    print(", ".join(f"{name} {version}" for name, version in versions.items()), flush=True)
    for task in tasks.values():
        print(f"\n{header(task, size_of(task, options))}", flush=True)
        try:
            print_task(measure_task(task, peers, options))
        except RuntimeError as error:
            print(f"  left out, no data: {error}")
        sys.stdout.flush()
    print("\n" + "\n".join(f"{name}: {note}" for name, note in notes.items()))


if __name__ == "__main__":
    main()
