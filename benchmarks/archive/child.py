"""The process of one method: fits and asks it, and prints a line of JSON for each run.

    python child.py FOLDER METHOD N_JOBS < jobs

Jobs are a list of [set, seed] in JSON. It runs where the method is installed; nothing but NumPy is
imported before.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from archive.methods import METHODS, Method
from archive.sets import read_set, task_of


def as_examples(X: Any, method: Method) -> Any:
    """Return examples as the method takes them."""
    if not method.channel_axis:
        return X
    return (X[:, None] if X.ndim == 2 else X).astype(np.float64)


def warm_up(method: Method, tasks: set[str], n_jobs: int) -> None:
    """Compile what the first fit of a process compiles, outside the clock."""
    rng = np.random.default_rng(0)
    for task in sorted(tasks):
        X = rng.normal(size=(24, 2, 60) if task == "multivariate" else (24, 60))
        y = rng.normal(size=24) if task == "regression" else np.arange(24) % 2
        X = as_examples(X.astype(np.float32), method)
        method.make(task, 0, n_jobs).fit(X, y).predict(X)


def measured(method: Method, folder: Path, name: str, seed: int, n_jobs: int) -> dict[str, Any]:
    """Fit and ask the method once: its score, and seconds of processor and clock."""
    data = read_set(folder, name)
    assert data is not None
    X_train, X_test = as_examples(data.X_train, method), as_examples(data.X_test, method)
    model = method.make(task_of(name), seed, n_jobs)
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(X_train, data.y_train)
    fitted = time.process_time()
    predicted = model.predict(X_test)
    return {
        "score": score(task_of(name), predicted, data.y_test),
        "fit": fitted - cpu,
        "predict": time.process_time() - fitted,
        "wall": time.perf_counter() - wall,
    }


def score(task: str, predicted: Any, truth: Any) -> float:
    """Return the accuracy, or the root mean squared error over the standard deviation."""
    if task != "regression":
        return float((np.asarray(predicted) == truth).mean())
    errors = np.asarray(predicted, dtype=float).ravel() - truth
    return float(np.sqrt(np.mean(errors**2)) / np.std(truth))


def main() -> None:
    """Run all jobs of the standard input."""
    warnings.simplefilter("ignore")
    folder, name, n_jobs = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    method, jobs = METHODS[name], json.load(sys.stdin)
    if method.library.compiles:
        warm_up(method, {task_of(job[0]) for job in jobs}, n_jobs)
    for set_name, seed in jobs:
        try:
            result = measured(method, folder, set_name, seed, n_jobs)
        except Exception as error:  # a method may refuse a set: the table then leaves it out
            result = {"error": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps({"method": name, "set": set_name, "seed": seed, **result}), flush=True)


if __name__ == "__main__":
    main()
