"""How much faster two threads are than one: forests on floats, boosting, boundary forests, indexes.

    python benchmarks/threads.py                            every row (a quarter of an hour)
    python benchmarks/threads.py --rows "boosting,ET floats-200k" --repeats 9
    python benchmarks/threads.py --list                     names of rows

Tasks are those of run.py and boundary_peers.py at their full size. Seconds by the clock, so nothing
else should run; calls of one and of two threads take turns, and the least of each counts. Free
memory is used once before each call, as in run.py. "cpu" is the CPU time of two threads over that
of one, both the least: what is above 1.0 is work done twice and waiting for memory that cores
share. "programs" is what two programs of one thread each reach, at the same time and by turns with
the others: twice the time of one alone over the time of both. Cores of a virtual machine may be
halves of one core, or shared with others, and no threads can do better than programs that share
nothing. "ns" are the nanoseconds that a cache line takes from one core to the other and back, the
least and the most of before the calls: about 100 if they share their last cache. Where a virtual
machine is moved so that they do not, it is 350 and more, and two threads that share data lose up to
a tenth of their speed to the way between them. The models are the same ones. Digits come from
``manifoldforest.datasets.load_mnist`` (set MANIFOLDFOREST_DATA to the folder that holds mnist.npz).
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any

import manifoldforest as mf
from boosting import float_rows
from boundary.registry import all_peers as boundary_peers
from boundary.registry import all_tasks as boundary_tasks
from harness.command_line import add_names, script_parser
from harness.memory import touch_free_memory
from harness.registry import OURS, all_peers, all_tasks
from harness.round_trip import round_trip
from harness.task import Forest, Task

Call = Callable[[int], Any]  # of a number of threads

TABLES = (
    "floats-200k",
    "regression-20k",
    "regression-200k",
    "regression-wide",
    "regression-10",
    "diabetes",
)
STREAMS = ("mnist", "mnist-hog", "mnist-retrieval")
BOOSTED_ROWS, BOOSTED_ROUNDS = 500_000, 40
ROTATED_ROWS, ROTATED_FEATURES, ROTATED_TREES = 1000, 500, 20


def fit_table(task: Task, forest: Forest) -> Call:
    """Return the fit of a forest on a float table."""
    X, y = task.data(task.n_train, task.n_test)[:2]

    def fit(n_jobs: int) -> Any:
        peer = all_peers()[OURS]
        peer.options = {"n_jobs": n_jobs}
        return peer.build(task, forest, task.trees, 0).fit(X, y)

    return fit


def fit_boosting() -> Call:
    """Return the fit of boosted trees of depth 6, with all features as candidates."""
    X, y = float_rows(BOOSTED_ROWS, 2)
    return lambda n_jobs: mf.BoostedForestClassifier(
        BOOSTED_ROUNDS,
        projection="axis",
        max_features=None,
        max_depth=6,
        subsample=1.0,
        early_stopping=False,
        n_jobs=n_jobs,
        random_state=0,
    ).fit(X, y)


def fit_rotated() -> Call:
    """Return the fit of trees on rotated features."""
    X, y = float_rows(ROTATED_ROWS, 2, ROTATED_FEATURES)
    return lambda n_jobs: mf.ForestClassifier(
        ROTATED_TREES, projection="rotation", n_jobs=n_jobs, random_state=0
    ).fit(X, y)


def learn(name: str) -> Call:
    """Return what learns all rows of a task of boundary forests, in their order."""
    task = boundary_tasks()[name]
    X, y = task.data(task.n_train, task.n_test)[:2]

    def fit(n_jobs: int) -> Any:
        peer = boundary_peers()[OURS]
        peer.options = {"n_jobs": n_jobs}
        return peer.fit(peer.build(task, len(X), 0), X, y)

    return fit


def ask(name: str) -> Call:
    """Return what asks a boundary forest, or an index, for all test rows of a task."""
    task = boundary_tasks()[name]
    X, y, queries, _ = task.data(task.n_train, task.n_test)
    peer = boundary_peers()[OURS]
    peer.options = {"n_jobs": 2}
    model = peer.fit(peer.build(task, len(X), 0), X, y)

    def answer(n_jobs: int) -> Any:
        model.n_jobs = n_jobs
        return model.query(queries, task.n_neighbors) if task.retrieval else model.predict(queries)

    return answer


def all_rows() -> dict[str, Callable[[], Call]]:
    """Return by name what prepares the call of a row."""
    rows: dict[str, Callable[[], Call]] = {}
    for name in TABLES:
        task = all_tasks()[name]
        for forest in task.forests:
            rows[f"{forest.kind} {name}"] = partial(fit_table, task, forest)
    rows["boosting"] = fit_boosting
    rows["rotation"] = fit_rotated
    for name in STREAMS:
        rows[f"learn {name}"] = partial(learn, name)
        rows[f"ask {name}"] = partial(ask, name)
    return rows


def seconds(call: Call, n_jobs: int) -> tuple[float, float]:
    """Return what a call takes by the clock, and its CPU time."""
    touch_free_memory()
    start, cpu_start = time.perf_counter(), time.process_time()
    call(n_jobs)
    return time.perf_counter() - start, time.process_time() - cpu_start


def obey(call: Call, both: Barrier, orders: Connection) -> None:
    """Make the call whenever an order comes, until one says no."""
    while orders.recv():
        orders.send(together(call, both))


def together(call: Call, both: Barrier) -> float:
    """Return what a call of one thread takes that begins when another program is ready, too."""
    touch_free_memory()
    both.wait()
    start = time.perf_counter()
    call(1)
    return time.perf_counter() - start


@contextmanager
def second_program(call: Call) -> Iterator[Callable[[], float]]:
    """Start a program that makes the same call, with a function that times both at once."""
    context = multiprocessing.get_context("fork")  # which has the data
    both = context.Barrier(2)
    orders, end = context.Pipe()
    program = context.Process(target=obey, args=(call, both, end), daemon=True)
    program.start()

    def mean_seconds() -> float:
        orders.send(True)
        ours = together(call, both)
        theirs: float = orders.recv()
        return (ours + theirs) / 2

    yield mean_seconds
    orders.send(False)
    program.join()


def measure(call: Call, repeats: int) -> str:
    """Return the cells of a row."""
    call(2)  # imports, and plugins that are looked for once
    one, two, both, trips = [], [], [], []
    with second_program(call) as seconds_of_both:
        for _ in range(repeats):
            trips.append(round_trip())
            one.append(seconds(call, 1))
            two.append(seconds(call, 2))
            both.append(seconds_of_both())
    (clock_1, cpu_1), (clock_2, cpu_2) = (
        map(min, zip(*times, strict=True)) for times in (one, two)
    )
    return (
        f"{clock_1:8.3f} s{clock_2:8.3f} s{clock_1 / clock_2:8.2f}{cpu_2 / cpu_1:8.2f}"
        f"{2 * clock_1 / min(both):10.2f}{min(trips):8.0f} to {max(trips):.0f}"
    )


def main() -> None:
    """Measure and print row by row."""
    rows = all_rows()
    parser = script_parser(__doc__)
    add_names(parser, "--rows", rows, "rows")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--list", action="store_true", help="names of rows")
    options = parser.parse_args()
    if options.list:
        print("\n".join(rows))
        return
    print(f"{'':24}{'one':>10}{'two':>10}   times     cpu  programs      ns")
    for name in options.rows:
        print(f"{name:24}{measure(rows[name](), options.repeats)}", flush=True)


if __name__ == "__main__":
    main()
