"""What workers of Dask bring to a fit, and what they cost.

1. ``fit``: seconds of a fit on 1 and on 2 workers of one thread, with ``rows="replicated"`` and
   ``"partitioned"`` on 4 partitions, the test error of both and of the local estimator, and by how
   much each worker grows above an idle one, in units of its share of the data.
2. ``client``: by how much the process of the client, which holds the scheduler too, grows with data
   that are made on workers.

    python benchmarks/dask_workers.py [--data DIR] [--parts fit,client] [--tasks mnist,floats-2m]

DIR holds ``mnist.npz``; without it MNIST is left out. Each measurement has a cluster and a client
of its own, in a process of its own; workers read their partitions from files. Workers are idle
when they have imported the package. Times are wall-clock times: on a machine that is busy with
other work only their ratios tell something, and not much.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import manifoldforest as mf
from harness.command_line import add_names, script_parser
from harness.memory import forget_peak, peak_bytes, resident_bytes

N_PARTITIONS = 4
# trees, and parameters: the trees of 2 000 000 rows are a hundred times those of MNIST
TASKS: dict[str, tuple[int, dict[str, Any]]] = {
    "mnist": (100, {"projection": "sporf", "keep_samples": False}),
    "floats-2m": (12, {"projection": "sporf", "keep_samples": False, "min_samples_leaf": 20}),
    "floats-2m-grown": (12, {"projection": "sporf", "keep_samples": False}),
    "floats-2m-shallow": (24, {"projection": "sporf", "keep_samples": False, "max_depth": 12}),
}
WAYS = ("replicated", "partitioned")
MEGABYTES = (50, 400)


def arrays(task: str, data: Path | None) -> dict[str, Any]:
    """Return training and test data."""
    if task == "mnist":
        assert data is not None
        with np.load(data / "mnist.npz") as file:
            made = {name: file[name] for name in ("X_train", "y_train", "X_test", "y_test")}
        return {k: v.reshape(len(v), -1) if k.startswith("X") else v for k, v in made.items()}
    from tasks.floats_2m import TASK

    made = TASK.data(TASK.n_train, TASK.n_test)
    return dict(zip(("X_train", "y_train", "X_test", "y_test"), made, strict=True))


def write_partitions(folder: Path, made: dict[str, Any]) -> None:
    """Write each partition of the training data to files of its own."""
    for name in ("X", "y"):
        for i, part in enumerate(np.array_split(made[f"{name}_train"], N_PARTITIONS)):
            np.save(folder / f"{name}{i}.npy", part)


# ------------------------------------------------------------------------ in the client's process


def begin() -> int:
    """Forget the peak of this process and return its size now."""
    import gc

    import manifoldforest.dask  # noqa: F401

    gc.collect()
    forget_peak()
    return resident_bytes()


def from_files(folder: Path, name: str) -> Any:
    """Return an array whose blocks workers read."""
    import dask
    import dask.array as da

    parts = []
    for i in range(N_PARTITIONS):
        path = folder / f"{name}{i}.npy"
        like = np.load(path, mmap_mode="r")
        read = dask.delayed(np.load)(path)
        parts.append(da.from_delayed(read, like.shape, like.dtype))
    return da.concatenate(parts)


def in_cluster(options: dict[str, Any]) -> dict[str, Any]:
    """Fit once on a cluster and return what was measured."""
    from distributed import Client, LocalCluster, wait

    with (
        LocalCluster(
            n_workers=options["n_workers"],
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit=0,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(_warm_up)
        if "megabytes" in options:
            X, y = _random(options["megabytes"])
        else:
            X, y = (from_files(Path(options["folder"]), name) for name in ("X", "y"))
        idle = client.run(begin)
        here = begin()
        X, y = client.persist([X, y])
        wait([X, y], timeout=600)
        held = client.run(_nbytes)
        forest = mf.dask.ForestClassifier(
            options["n_trees"], random_state=0, rows=options["rows"], **options["params"]
        )
        start = time.perf_counter()
        forest.fit(X, y)
        seconds = time.perf_counter() - start
        grown = {worker: size - idle[worker] for worker, size in client.run(peak_bytes).items()}
        result = {
            "seconds": seconds,
            "client": peak_bytes() - here,
            "worker": max(grown.values()),
            "per_share": max(grown[w] / held[w] for w in grown if held[w]),
        }
        if "folder" in options:
            with np.load(Path(options["folder"]) / "test.npz") as test:
                result["error"] = 1 - forest.to_local().score(test["X_test"], test["y_test"])
    return result


def _warm_up() -> None:
    """Fit once, so that all is imported."""
    rows = np.random.default_rng(0).normal(size=(50, 3))
    mf.ForestClassifier(2, random_state=0).fit(rows, rows[:, 0] > 0)


def _nbytes(dask_worker: Any) -> int:
    """Return the size of the data that a worker holds."""
    return sum(v.nbytes for v in dask_worker.data.values() if isinstance(v, np.ndarray))


def _random(megabytes: int) -> tuple[Any, Any]:
    import dask.array as da

    n_rows = megabytes * 2**20 // 80
    rng = da.random.default_rng(0)
    X = rng.standard_normal((n_rows, 20), dtype=np.float32, chunks=(n_rows // 8 + 1, 20))
    return X, (X[:, 0] > 0).astype(np.int64)


# ------------------------------------------------------------------------------------- the parent


def measured(**options: Any) -> dict[str, Any]:
    """Return what `in_cluster` measures, in a new process."""
    text = subprocess.run(
        [sys.executable, __file__, "--child", json.dumps(options)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    result: dict[str, Any] = json.loads(text.splitlines()[-1])
    return result


def compare_fits(task: str, data: Path | None) -> None:
    """Print times, errors and memory of one task."""
    n_trees, params = TASKS[task]
    made = arrays(task, data)
    local = mf.ForestClassifier(n_trees, random_state=0, **params)
    start = time.perf_counter()
    local.fit(made["X_train"], made["y_train"])
    seconds = time.perf_counter() - start
    error = 1 - local.score(made["X_test"], made["y_test"])
    print(f"\n{task}, {n_trees} trees, {N_PARTITIONS} partitions")
    print(f"{'':24}{'seconds':>9}{'error':>9}{'worker MB':>11}{'/ share':>9}{'client MB':>11}")
    print(f"{'local, one thread':24}{seconds:9.1f}{error:9.4f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        write_partitions(Path(folder), made)
        np.savez(Path(folder) / "test.npz", X_test=made["X_test"], y_test=made["y_test"])
        del made
        for rows in WAYS:
            for n_workers in (1, 2):
                got = measured(
                    n_workers=n_workers, folder=folder, n_trees=n_trees, rows=rows, params=params
                )
                print(
                    f"{rows + ', ' + str(n_workers) + ' worker(s)':24}{got['seconds']:9.1f}"
                    f"{got['error']:9.4f}{got['worker'] / 2**20:11.0f}{got['per_share']:9.2f}"
                    f"{got['client'] / 2**20:11.0f}",
                    flush=True,
                )


def compare_clients() -> None:
    """Print the growth of the client and scheduler, for small and large data."""
    print("\nclient and scheduler, data made on 2 workers, 4 trees of depth 6")
    print(f"{'':24}{'data MB':>9}{'client MB':>11}{'worker MB':>11}{'/ share':>9}")
    params = {"max_depth": 6, "keep_samples": False, "projection": "axis"}
    for rows in WAYS:
        for megabytes in MEGABYTES:
            got = measured(n_workers=2, megabytes=megabytes, n_trees=4, rows=rows, params=params)
            print(
                f"{rows:24}{megabytes:9}{got['client'] / 2**20:11.0f}"
                f"{got['worker'] / 2**20:11.0f}{got['per_share']:9.2f}",
                flush=True,
            )


def main() -> None:
    """Measure what the command line asks for."""
    parser = script_parser(__doc__)
    parser.add_argument("--data", type=Path, help="folder with mnist.npz")
    add_names(parser, "--parts", ("fit", "client"), "what is measured")
    add_names(parser, "--tasks", tuple(TASKS), "tasks of the part fit")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(in_cluster(json.loads(options.child))))
        return
    if "client" in options.parts:
        compare_clients()
    if "fit" in options.parts:
        for task in options.tasks:
            if task != "mnist" or options.data is not None:
                compare_fits(task, options.data)


if __name__ == "__main__":
    main()
