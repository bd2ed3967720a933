"""The fresh process: fit one model, or write the data of a task, and print one JSON line."""

from __future__ import annotations

import ctypes
import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from boundary.measurement import Job, Measurement
from boundary.peer import Peer, Retriever
from boundary.registry import all_peers, all_tasks
from boundary.task import Task
from harness.child import load, save, seconds_of_calls, serve
from harness.memory import forget_peak, peak_bytes, resident_bytes

EXACT = "exact.npy"
BATCH = 10_000
WARM_UP = 1000  # rows
SPARE = 1000  # rows that can be learned one by one
FEW = 1000  # queries; fewer tell nothing about an error


def export(name: str, folder: str, n_train: int, n_test: int) -> dict[str, Any]:
    """Write the arrays of a task and, for retrieval, the exact distances."""
    import numpy as np

    task = all_tasks()[name]
    arrays = task.data(n_train, n_test)
    if task.retrieval:
        np.save(Path(folder, EXACT), exact_distances(arrays[0], arrays[2], task.n_neighbors))
    return save(arrays, folder)


def exact_distances(X: Any, queries: Any, k: int) -> Any:
    """Return the k smallest distances of every query, in order."""
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(algorithm="brute").fit(X)
    return distances(X, queries, index.kneighbors(queries, k, return_distance=False))


def distances(X: Any, queries: Any, places: Any) -> Any:
    """Return the Euclidean distances of the queries to the rows at ``places``."""
    import numpy as np

    columns = [X[places[:, i]].astype(np.float32) - queries for i in range(places.shape[1])]
    return np.stack([np.linalg.norm(column, axis=1) for column in columns], axis=1)


def recall(found: Any, exact: Any, k: int) -> float:
    """Return the share of the first k places that are as near as the exact k-th; ties count."""
    reach = exact[:, k - 1 : k] * (1 + 1e-6)
    return float((found[:, :k] <= reach).mean())


def measure(job: Job) -> Measurement:
    """Fit and ask once."""
    task, peer = all_tasks()[job.task], all_peers()[job.peer]
    X_train, y_train, X_test, y_test = load(job.data, flat=True)
    limit = peer.train_limit(task) or len(X_train)
    X, y = X_train[:limit], y_train[:limit]
    queries = X_test[: peer.query_limit(task) or BATCH]
    peer.options = job.options
    model = peer.build(task, len(X) + SPARE, job.seed)  # imports the library
    if peer.compiles:
        warm_up(task, peer, X[:WARM_UP], y[:WARM_UP])

    give_back_memory()
    forget_peak()
    memory_before = resident_bytes()
    start, cpu_start = time.perf_counter(), time.process_time()
    model = peer.fit(model, X, y)
    fit, fit_cpu = time.perf_counter() - start, time.process_time() - cpu_start
    peak = peak_bytes() - memory_before
    give_back_memory()
    resident = resident_bytes() - memory_before

    ask = question(task, peer, model)
    answers = ask(queries)
    cpu_start = time.process_time()
    seconds = seconds_of_calls(lambda _: ask(queries), 3, 5)
    query_cpu = (time.process_time() - cpu_start) / len(seconds)
    rows = [X_test[i : i + 1] for i in range(min(SPARE, len(X_test)))]
    one_query = statistics.median(seconds_of_calls(lambda i: ask(rows[i % len(rows)]), 20, 1000))
    contents = peer.contents(model)
    curve = recall_over_time(task, peer, model, X, queries, job.data)  # before it learns more rows
    one_learn = None
    if peer.learns_rows:
        one_learn = statistics.median(
            seconds_of_calls(
                lambda i: peer.learn_one(model, rows[i], y_test[i : i + 1]), 20, len(rows)
            )
        )
    return Measurement(
        task=job.task,
        peer=job.peer,
        seed=job.seed,
        n_train=len(X),
        n_queries=len(queries),
        fit=fit,
        fit_cpu=fit_cpu,
        query=min(seconds),
        query_cpu=query_cpu,
        one_query=one_query,
        one_learn=one_learn,
        peak=peak,
        resident=resident,
        **(asdict(contents) if contents else {}),
        **quality(task, X, queries, y_test, answers, job.data),
        curve=curve,
    )


def recall_over_time(
    task: Task, peer: Peer, model: Any, X: Any, queries: Any, folder: str
) -> tuple[tuple[float, float, float], ...]:
    """Return effort, CPU seconds of all queries and recall of the first 10, for each effort."""
    import numpy as np

    if not task.retrieval or not isinstance(peer, Retriever):
        return ()
    exact = np.load(Path(folder, EXACT))[: len(queries)]
    curve = []
    for effort in peer.efforts:
        peer.set_effort(model, effort)
        ask = question(task, peer, model)
        seconds = []
        for _ in range(3):
            cpu_start = time.process_time()
            answers = ask(queries)
            seconds.append(time.process_time() - cpu_start)
        found = recall(distances(X, queries, answers), exact, 10)
        curve.append((float(effort), min(seconds), found))
    return tuple(curve)


def quality(
    task: Task, X: Any, queries: Any, y_test: Any, answers: Any, folder: str
) -> dict[str, Any]:
    """Return the error, or both recalls, unless there were too few queries to tell."""
    import numpy as np

    if len(queries) < min(FEW, len(y_test)):
        return {}
    if not task.retrieval:
        return {"error": float((answers != y_test[: len(queries)]).mean())}
    exact = np.load(Path(folder, EXACT))[: len(queries)]
    found = distances(X, queries, answers)
    return {"recall_1": recall(found, exact, 1), "recall_10": recall(found, exact, 10)}


def warm_up(task: Task, peer: Peer, X: Any, y: Any) -> None:
    """Use a small model once for all that will be timed."""
    model = peer.fit(peer.build(task, len(X), 0), X, y)
    ask = question(task, peer, model)
    for rows in (X, X[:1]):
        ask(rows)


def question(task: Task, peer: Peer, model: Any) -> Callable[[Any], Any]:
    """Return the call that is timed: for the neighbours of rows or for their classes."""
    if not task.retrieval:
        return partial(peer.predict, model)
    assert isinstance(peer, Retriever)  # no other fits the task
    return partial(peer.neighbours, model, k=task.n_neighbors)


def give_back_memory() -> None:
    """Return freed memory to the system, so that what is left belongs to the model."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    serve(export, Job, measure)
