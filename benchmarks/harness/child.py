"""The fresh process: fit one forest, or write the data of a task, and print one JSON line."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from harness.measurement import AnyJob, Job, Measurement
from harness.memory import forget_peak, peak_bytes, resident_bytes, touch_free_memory
from harness.registry import all_peers, all_tasks
from harness.task import QUANTILES, Arrays, Forest, Task

ARRAYS = ("X_train", "y_train", "X_test", "y_test")
BATCH = 10_000
WARM_UP = 100  # rows

Asked = TypeVar("Asked", bound=AnyJob[Any])


def export(name: str, folder: str, n_train: int, n_test: int) -> dict[str, Any]:
    """Write the arrays of a task."""
    return save(all_tasks()[name].data(n_train, n_test), folder)


def save(arrays: Arrays, folder: str) -> dict[str, Any]:
    """Write arrays as plain .npy files, which every library reads in the same way."""
    import numpy as np

    for file, array in zip(ARRAYS, arrays, strict=True):
        np.save(Path(folder, file), array)
    return {"dtype": str(arrays[0].dtype)}


def load(folder: str, flat: bool) -> Arrays:
    """Read what :func:`save` wrote."""
    import numpy as np

    X_train, y_train, X_test, y_test = (np.load(Path(folder, file + ".npy")) for file in ARRAYS)
    if flat:
        X_train, X_test = (X.reshape(len(X), -1) for X in (X_train, X_test))
    return X_train, y_train, X_test, y_test


def measure(job: Job) -> Measurement:
    """Fit and predict once."""
    task, peer = all_tasks()[job.task], all_peers()[job.peer]
    forest = next(forest for forest in task.forests if forest.label == job.forest)
    X_train, y_train, X_test, y_test = load(job.data, flat=not peer.takes_shape)
    peer.options = job.options
    estimator = peer.build(task, forest, job.trees, job.seed)  # imports the library
    peer.fit(peer.build(task, forest, 1, job.seed), X_train[:WARM_UP], y_train[:WARM_UP])

    touch_free_memory()
    forget_peak()
    memory_before = resident_bytes()
    start, cpu_start = time.perf_counter(), time.process_time()
    model = peer.fit(estimator, X_train, y_train)
    fit, fit_cpu = time.perf_counter() - start, time.process_time() - cpu_start
    memory = peak_bytes() - memory_before

    answer = peer.predict_quantiles if forest.kind == "QRF" else peer.predict
    answer_one = answer if task.is_regression else peer.predict_proba
    predicted = answer(model, X_test)
    batch = X_test[:BATCH]
    predict = min(seconds_of_calls(lambda _: answer(model, batch), 3, 5))
    rows = [X_test[i : i + 1] for i in range(min(100, len(X_test)))]
    one_row = statistics.median(
        seconds_of_calls(lambda i: answer_one(model, rows[i % len(rows)]), 20, 1000)
    )
    visited = peer.visited_rows(model)
    return Measurement(
        task=job.task,
        forest=job.forest,
        peer=job.peer,
        trees=job.trees,
        seed=job.seed,
        fit=fit,
        fit_cpu=fit_cpu,
        predict=predict,
        n_predicted=len(batch),
        one_row=one_row,
        memory=memory,
        size=peer.model_bytes(model),
        error=error_of(predicted, y_test, task, forest),
        visited=None if visited is None else visited * forest.d,
    )


def error_of(predicted: Any, y: Any, task: Task, forest: Forest) -> float:
    """Return the error of predictions, as :class:`Measurement` says."""
    import numpy as np

    if not task.is_regression:
        return float((predicted != y).mean())
    if forest.kind == "QRF":
        q, above = np.array(QUANTILES), y[:, None] - predicted
        return float(np.maximum(q * above, (q - 1) * above).mean() / y.std())
    return float(((predicted - y) ** 2).mean() / y.var(axis=0).mean())


def seconds_of_calls(call: Callable[[int], Any], least: int, most: int) -> list[float]:
    """Time ``least`` to ``most`` calls, for a second or, if they are slow, at most ten."""
    seconds: list[float] = []
    while len(seconds) < most and sum(seconds) < (10.0 if len(seconds) < least else 1.0):
        start = time.perf_counter()
        call(len(seconds))
        seconds.append(time.perf_counter() - start)
    return seconds


def serve(
    export: Callable[..., Any],
    make_job: Callable[..., Asked],
    measure: Callable[[Asked], Any],
) -> None:
    """Do the one thing this process was started for, and answer with one line."""
    verb, argument = sys.argv[1:]
    arguments = json.loads(argument)
    stream = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries that print do not disturb the answer
    if verb == "export":
        answer = export(**arguments)
    else:
        answer = asdict(measure_or_explain(make_job(**arguments), measure))
    print(json.dumps(answer), file=stream, flush=True)


def measure_or_explain(job: Asked, measure: Callable[[Asked], Any]) -> Any:
    """Stay on one core and measure; turn an exception of the library into a line that says so."""
    os.sched_setaffinity(0, {job.core})  # before any library counts the cores
    try:
        return measure(job)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        return job.measured(failed=reason)


if __name__ == "__main__":
    serve(export, Job, measure)
