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
``manifoldforest.datasets`` (set MANIFOLDFOREST_DATA to their folder). Linux only.

"peak" is the most memory while building above the memory just before, with the data loaded;
"model" is what is left of it afterwards; "budget" is 1.3 times the stored points and 16 bytes per
node and tree; "nodes" is the share of the rows that a tree keeps. CPU times well below the others
mean that something else used the core: measure again. Where a peer saw a part of the rows or
queries, times are compared per row.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from boundary.measurement import Job, Measurement
from boundary.peer import Peer
from boundary.registry import all_peers, all_tasks
from boundary.report import print_task
from boundary.task import Task
from harness.command_line import add_comparison, add_ours, choose, n_rounds, script_parser
from harness.comparison import compare, in_rounds, tell
from harness.environments import interpreter
from harness.processes import exported, measure
from harness.registry import OURS

CHILD = "boundary.child"
QUICK_TEST = 2000

Size = tuple[int, int]  # rows to learn, queries


def size_of(task: Task, quick: bool) -> Size:
    """Return the size of the task itself or, in a quick run, a small one."""
    if not quick:
        return task.n_train, task.n_test
    return task.quick or task.n_train, min(task.n_test, QUICK_TEST)


def report(task: Task, peers: dict[str, Peer], options: argparse.Namespace) -> None:
    """Measure a task and print its tables."""
    n_train, n_queries = size_of(task, options.quick)
    shape = f"{n_train} x {task.n_features}"
    print(f"\n{task.name}: {shape}, {n_queries} queries, {task.about}", flush=True)
    models = {name: peer for name, peer in peers.items() if peer.fits(task)}
    with exported(CHILD, task.name, n_train, n_queries) as folder:

        def measure_one(peer: Peer, seed: int) -> Measurement:
            extra = options.ours if peer.name == OURS else {}
            job = Job(task.name, peer.name, folder, seed, options.core, extra)
            result = measure(interpreter(peer), CHILD, job, options.timeout)
            tell(asdict(result), options)
            return result

        measured = in_rounds(models, n_rounds(options), measure_one)
    print_task(measured)


def print_names(tasks: dict[str, Task], peers: dict[str, Peer]) -> None:
    """List what there is."""
    for task in tasks.values():
        print(f"{task.name:<18}{task.n_train:>6} x {task.n_features:<6}{task.about}")
    for peer in peers.values():
        print(f"{peer.name:<18}{' '.join(peer.requirements)}")


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = script_parser(__doc__)
    add_comparison(parser, all_tasks(), all_peers())
    add_ours(parser, {"n_estimators": 20})
    return parser.parse_args()


def main() -> None:
    """Measure task by task and print the tables as they come."""
    options = parse_options()
    tasks = choose(options.tasks, all_tasks(), options.quick)
    peers = choose(options.peers, all_peers(), options.quick, always=OURS)
    if options.list:
        print_names(tasks, peers)
    else:
        compare(tasks, peers, options, report)


if __name__ == "__main__":
    main()
