"""Compare boundary forests with a plain loop and with nearest-neighbour libraries, on one core.

The question: how fast, small and good is a boundary forest next to what one would use otherwise?

    python benchmarks/boundary_peers.py                        every task and library (hours)
    python benchmarks/boundary_peers.py --quick                a look, in less than 3 minutes
    python benchmarks/boundary_peers.py --tasks mnist,mnist-noisy --peers "plain loop,hnswlib"
    python benchmarks/boundary_peers.py --list                 names of tasks and libraries

"plain loop" is the yardstick: the same algorithm without any cleverness, 200 lines of C++ in
benchmarks/boundary/plain_loop.cpp, compiled with g++ at the first run. Libraries that only find
neighbours classify by the nearest one. Every number comes from a fresh process pinned to one core;
the runs of a task are interleaved and ratios are taken within a round: 5.0 means that the peer
takes five times as long, or as much. Libraries get an environment below benchmarks/.environments,
installed at the first run; what cannot be installed is named and left out. The data come from
``manifoldforest.datasets`` (set MANIFOLDFOREST_DATA to their folder); the task mnist-hog needs
scikit-image. Linux only.

"peak" is the most memory while building above the memory just before, with the data loaded;
"model" is what is left of it afterwards; "budget" is 1.3 times the stored points and 16 bytes per
node and tree; "nodes" is the share of the rows that a tree keeps. CPU times well below the others
mean that something else used the core: measure again. Where a peer saw a part of the rows or
queries, times are compared per row.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from boundary.measurement import Job, Measurement
from boundary.peer import Peer
from boundary.processes import exported, measure
from boundary.registry import all_peers, all_tasks
from boundary.report import print_task
from boundary.task import Task
from harness.environments import interpreter
from harness.registry import OURS
from run import QUICK_REPEATS, QUICK_TEST, available, chosen

Size = tuple[int, int]  # rows to learn, queries


def size_of(task: Task, quick: bool) -> Size:
    """Return the size of the task itself or, in a quick run, a small one."""
    return (task.quick, min(task.n_test, QUICK_TEST)) if quick else (task.n_train, task.n_test)


def measure_task(
    task: Task, peers: dict[str, Peer], options: argparse.Namespace
) -> list[Measurement]:
    """All rounds of a task; a library that failed once is not tried again."""
    left = [peer for peer in peers.values() if peer.fits(task)]
    measured: list[Measurement] = []
    with exported(task, *size_of(task, options.quick)) as folder:
        for seed in range(options.repeats):
            for peer in list(left):
                extra = options.ours if peer.name == OURS else {}
                job = Job(task.name, peer.name, folder, seed, options.core, extra)
                result = measure(interpreter(peer), job, options.timeout)
                save_line(options.json, result)
                measured.append(result)
                if result.failed:
                    print(f"  {peer.name} is not available: {result.failed}", flush=True)
                    left.remove(peer)
    return measured


def save_line(path: Path | None, result: Measurement) -> None:
    """Write a measurement to the error stream and to the file, if there is one."""
    line = json.dumps(asdict(result))
    print(line, file=sys.stderr, flush=True)
    if path is not None:
        with path.open("a") as file:
            file.write(line + "\n")


def choose(options: argparse.Namespace) -> tuple[dict[str, Task], dict[str, Peer]]:
    """Return the tasks and libraries that were asked for, our own always."""
    tasks, peers = all_tasks(), all_peers()
    if options.tasks:
        tasks = chosen(options.tasks, tasks)
    if options.quick:
        tasks = {name: task for name, task in tasks.items() if task.quick}
    if options.peers:
        peers = chosen(f"{OURS},{options.peers}", peers)
    elif options.quick:
        peers = {name: peer for name, peer in peers.items() if peer.quick}
    return tasks, peers


def print_names(tasks: dict[str, Task], peers: dict[str, Peer]) -> None:
    """List what there is."""
    for task in tasks.values():
        print(f"{task.name:<18}{task.n_train:>6} x {task.n_features:<6}{task.about}")
    for peer in peers.values():
        print(f"{peer.name:<18}{' '.join(peer.requirements)}")


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="print tasks and libraries, and stop")
    parser.add_argument("--quick", action="store_true", help="small tasks, installed peers only")
    parser.add_argument("--tasks", metavar="NAMES", help="separated by commas (default: all)")
    parser.add_argument("--peers", metavar="NAMES", help="separated by commas (default: all)")
    parser.add_argument("--repeats", type=int, help=f"rounds (default: 3, quick {QUICK_REPEATS})")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--timeout", type=float, default=1800, metavar="S", help="of one run")
    parser.add_argument("--no-install", action="store_true", help="installed peers only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append every run")
    parser.add_argument(
        "--ours",
        type=json.loads,
        default={},
        metavar="JSON",
        help="""parameters of our forests, such as '{"n_estimators": 20}'""",
    )
    options = parser.parse_args()
    options.repeats = options.repeats or (QUICK_REPEATS if options.quick else 3)
    return options


def main() -> None:
    """Measure task by task and print the tables as they come."""
    options = parse_options()
    tasks, peers = choose(options)
    if options.list:
        print_names(tasks, peers)
        return
    versions = available(peers.values(), install=not (options.quick or options.no_install))
    peers = {name: peer for name, peer in peers.items() if name in versions}
    print(", ".join(f"{name} {version}" for name, version in versions.items()), flush=True)
    for task in tasks.values():
        n_train, n_queries = size_of(task, options.quick)
        print(f"\n{task.name}: {n_train} x {task.n_features}, {n_queries} queries, {task.about}")
        try:
            print_task(measure_task(task, peers, options))
        except RuntimeError as error:
            print(f"  left out, no data: {error}")
        sys.stdout.flush()
    print("\n" + "\n".join(f"{peer.name}: {peer.note}" for peer in peers.values() if peer.note))


if __name__ == "__main__":
    main()
