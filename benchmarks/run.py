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

Before the clock starts, one tree is grown on a few rows, as some libraries compile or look for
plugins at their first fit, which takes a fifth of the time of a small forest; and half a gigabyte
of free memory is used once: on a virtual machine its first use may take ten times as long as any
later one, and whose fit that would be is chance.

"memory" is the peak of fit above the memory just before it, with the data loaded; "size" is the
stored model (file or pickle); "cpu s" well below "fit s" means that something else used the core:
measure again; "ns" is the CPU time of fit per row and candidate that a split has looked at, where a
library tells how many there are. Errors of numbers are squared, over their variance. Fit, predict
and size are compared per tree, since some peers get fewer trees.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass

from harness.command_line import (
    add_comparison,
    add_names,
    add_ours,
    choose,
    n_rounds,
    script_parser,
)
from harness.comparison import compare, in_rounds, tell
from harness.environments import interpreter
from harness.measurement import Job, Measurement
from harness.peer import Peer
from harness.processes import exported, measure
from harness.registry import OURS, all_peers, all_tasks
from harness.report import print_task
from harness.task import Forest, Task

CHILD = "harness.child"
KINDS = ("RF", "SPORF", "MORF", "ET", "QRF")
QUICK_TREES, QUICK_TEST = 5, 2000


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


def report(task: Task, peers: dict[str, Peer], options: argparse.Namespace) -> None:
    """Measure a task and print its tables."""
    size = size_of(task, options)
    shape = " x ".join(map(str, (size.n_train, *task.shape)))
    print(f"\n{task.name}: {shape}, {task.about}; {size.trees} trees", flush=True)
    models = {
        f"{forest.label} {peer.name}": (forest, peer)
        for forest in task.forests
        if forest.kind in options.forests
        for peer in peers.values()
        if peer.fits(task, forest)
    }
    with exported(CHILD, task.name, size.n_train, size.n_test) as folder:

        def measure_one(model: tuple[Forest, Peer], seed: int) -> Measurement:
            forest, peer = model
            job = make_job(task, forest, peer, folder, size.trees, seed, options)
            result = measure(interpreter(peer), CHILD, job, options.timeout)
            tell(asdict(result) | {"n_train": size.n_train}, options)
            return result

        measured = in_rounds(models, n_rounds(options), measure_one)
    print_task(measured)


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
    parser = script_parser(__doc__)
    add_comparison(parser, all_tasks(), all_peers())
    add_names(parser, "--forests", KINDS, "kinds of forests")
    parser.add_argument("--trees", type=int, help="instead of each task's own number")
    add_ours(parser, {"splitter": "exact"})
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
