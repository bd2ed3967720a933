"""What settings cost and save: seconds of fits, of predictions and of single rows, and files."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification

import manifoldforest as mf

from .trials import Array


def cpu_seconds(function: Callable[[], Any], repeats: int = 3) -> float:
    """Return the least CPU time of several calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def table(n: int) -> tuple[Array, Array]:
    """Return a table of 30 float32 columns, a third of which tell the class."""
    X, y = make_classification(
        n, n_features=30, n_informative=10, n_clusters_per_class=4, flip_y=0.02, random_state=0
    )
    return X.astype("float32"), y


def speed_up() -> None:
    """Seconds of fits and of 10 000 predictions, and errors, one setting changed at a time."""
    X, y = table(30_000)
    train, test = slice(0, 20_000), slice(20_000, None)
    changes: dict[str, dict[str, Any]] = {
        'named_forest("table")': {},
        'splitter="exact"': {"splitter": "exact"},
        'splitter="random"': {"splitter": "random"},
        "max_samples=0.3": {"max_samples": 0.3},
        "max_depth=10": {"max_depth": 10},
        "min_samples_leaf=5": {"min_samples_leaf": 5},
        'projection="axis"': {"projection": "axis", "max_features": "sqrt"},
    }
    forests = {
        name: mf.named_forest("table", n_estimators=50, random_state=0, **parameters)
        for name, parameters in changes.items()
    }
    forests["BoostedForestClassifier()"] = mf.BoostedForestClassifier(random_state=0)
    forests["boosted, 100 rounds"] = mf.BoostedForestClassifier(100, random_state=0)
    print("20 000 × 30 floats, 50 trees: CPU seconds to fit, to predict 10 000 rows, error")
    for name, forest in forests.items():
        fit = cpu_seconds(lambda forest=forest: forest.fit(X[train], y[train]))
        predict = cpu_seconds(lambda forest=forest: forest.predict(X[test]))
        print(f"  {name:<28}{fit:7.2f}{predict:8.3f}{1 - forest.score(X[test], y[test]):8.4f}")
    print("the same forest and rows of another type: predict")
    forest = forests['named_forest("table")']
    for name, rows in (("float32", X[test]), ("float64", X[test].astype("float64"))):
        print(f"  {name:<28}{cpu_seconds(lambda rows=rows: forest.predict(rows)):15.3f}")
    digits = load_digits()
    images = np.kron(digits.images, np.ones((3, 3))) * 15
    print("1797 images of 24 × 24, 100 trees on patches: fit, predict")
    for dtype in ("uint8", "float32", "float64"):
        data = images.astype(dtype)
        forest = mf.ForestClassifier(projection="patches", random_state=0)
        fit = cpu_seconds(lambda f=forest, d=data: f.fit(d, digits.target))
        predict = cpu_seconds(lambda f=forest, d=data: f.predict(d))
        print(f"  {dtype:<28}{fit:7.2f}{predict:8.3f}")


def microseconds(function: Callable[[], Any], calls: int = 1000) -> float:
    """Return the median time of one call, after some that are not counted."""
    times = []
    for _ in range(calls + 20):
        start = time.perf_counter_ns()
        function()
        times.append(time.perf_counter_ns() - start)
    return float(np.median(times[20:])) / 1000


def print_start(forest: Any, row: Array) -> None:
    """Print how long it takes to load a forest from a file, and to answer the first two rows."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mf"
        forest.save(path)
        for _ in range(9):
            start = time.perf_counter_ns()
            loaded = mf.load(path)
            middle = time.perf_counter_ns()
            loaded.predict(row)
            end = time.perf_counter_ns()
            loaded.predict(row)
            times.append((middle - start, end - middle, time.perf_counter_ns() - end))
        megabytes = path.stat().st_size / 1e6
    load, first, second = np.median(times, axis=0) / 1000
    print(
        f"file of {megabytes:.1f} MB, µs: load {load:.0f}, first row {first:.0f}, next {second:.0f}"
    )


def serving() -> None:
    """Microseconds of the clock for one row, by kind of forest, input and threads."""
    X, y = table(5000)
    digits = load_digits()
    images = digits.images.astype("uint8")
    cases: list[tuple[str, Any, Any, Any]] = [
        ("axis", mf.ForestClassifier(projection="axis"), X, y),
        ('named_forest("table")', mf.named_forest("table"), X, y),
        ("regressor", mf.named_forest("table", "regression"), X, y.astype(float)),
        ('named_forest("image")', mf.named_forest("image"), images, digits.target),
        ("BoostedForestClassifier()", mf.BoostedForestClassifier(), X, y),
        ("MetricForestRegressor", mf.MetricForestRegressor(space="circle"), X[:2000], y[:2000]),
        ("BoundaryForestClassifier", mf.BoundaryForestClassifier(), X, y),
    ]
    print("one row: predict with n_jobs=1")
    for name, forest, data, target in cases:
        forest.set_params(random_state=0).fit(data, target)
        calls = 50 if "Metric" in name else 1000
        row = data[:1]
        print(f"  {name:<34}{microseconds(lambda f=forest, r=row: f.predict(r), calls):9.0f} µs")
    forest = mf.named_forest("table", random_state=0).fit(X, y)
    row = X[:1]
    print('named_forest("table"), other ways to ask')
    print(f"  {'predict_proba':<34}{microseconds(lambda: forest.predict_proba(row)):9.0f} µs")
    double = row.astype("float64")
    print(f"  {'float64 row':<34}{microseconds(lambda: forest.predict(double)):9.0f} µs")
    listed = row.tolist()
    print(f"  {'list of a list':<34}{microseconds(lambda: forest.predict(listed)):9.0f} µs")
    forest.set_params(n_jobs=2)
    print(f"  {'n_jobs=2':<34}{microseconds(lambda: forest.predict(row)):9.0f} µs")
    print_start(forest, row)


MEASUREMENTS = {f.__name__: f for f in (speed_up, serving)}
