"""Tables of boundary forests and indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import manifoldforest as mf
from fingerprint import data
from fingerprint.case import Case, Data, fit

COMMON: dict[str, Any] = {"n_estimators": 5, "random_state": 1, "n_jobs": 1}
METRICS = ("euclidean", "manhattan", "chebyshev", "cosine", "hamming")
N_ROWS = 400

OPTIONS: dict[str, dict[str, Any]] = {
    "max_children=4": {"max_children": 4},
    "power=2": {"power": 2.0},
    "passes=3": {"passes": 3},
    "passes=None": {"passes": None},
    "n_jobs=2": {"n_jobs": 2},
    "one tree": {"n_estimators": 1},
    "embedding": {"embedding": lambda X: np.asarray(X)[:, ::2] / 7.0},
    "function": {"metric": lambda a, b: abs(a - b).sum() ** 0.5, "n_estimators": 2},
}


def in_batches(model: Any, given: Data) -> None:
    """Learn 70 rows at a time."""
    for first in range(0, len(given.X), 70):
        batch = slice(first, first + 70)
        model.partial_fit(given.X[batch], given.y[batch])


def add(model: Any, given: Data) -> None:
    """Add all points at once."""
    model.add(given.X)


def add_in_batches(model: Any, given: Data) -> None:
    """Add points under ids of their own, the last of them one by one."""
    model.add(given.X[:200], ids=range(1000, 1200))
    model.add(given.X[200:390])
    for row in given.X[390:]:
        model.add([row])


def update(model: Any, given: Data) -> None:
    """Move points, among them the oldest."""
    model.add(given.X)
    model.update(range(0, 300, 7), given.X[1:301:7])


def remove(model: Any, given: Data) -> None:
    """Remove points, among them roots, and add some again."""
    model.add(given.X)
    model.remove(range(0, 300, 4))
    model.add(given.X[:50])
    model.remove([1, 399, 401])


CHANGES = (add, add_in_batches, update, remove)


def forests() -> Iterator[Case]:
    """Classifiers and regressors by metric and option."""
    tasks: dict[str, tuple[Callable[..., Any], Callable[..., Data]]] = {
        "boundary classifier": (mf.BoundaryForestClassifier, data.labels_of),
        "boundary regressor": (mf.BoundaryForestRegressor, data.numbers_of),
    }
    table = {metric: {"metric": metric} for metric in METRICS} | OPTIONS
    for (task, (make, given)), (option, params), kind in product(
        tasks.items(), table.items(), ("bytes", "floats")
    ):
        model = partial(make, **(COMMON | params))
        rows = partial(given, kind, N_ROWS)
        yield Case(f"{task} | {option} | {kind} | fit", model, rows, fit)
        yield Case(f"{task} | {option} | {kind} | in batches", model, rows, in_batches)
    yield Case(
        "boundary regressor | several outputs",
        partial(mf.BoundaryForestRegressor, tolerance=0.2, **COMMON),
        partial(data.several_numbers, "floats", N_ROWS),
    )


def indexes() -> Iterator[Case]:
    """Indexes by metric and course of changes."""
    for metric, kind, change in product((*METRICS, "inner_product"), ("bytes", "floats"), CHANGES):
        yield Case(
            f"boundary index | {metric} | {kind} | {change.__name__}",
            partial(mf.BoundaryIndex, metric=metric, **COMMON),
            partial(data.labels_of, kind, N_ROWS),
            change,
        )
    for option in ("max_children=4", "n_jobs=2", "one tree", "embedding", "function"):
        for change in CHANGES:
            yield Case(
                f"boundary index | {option} | floats | {change.__name__}",
                partial(mf.BoundaryIndex, **(COMMON | OPTIONS[option])),
                partial(data.labels_of, "floats", N_ROWS),
                change,
            )
    for metric, kind in product(METRICS, ("bytes", "floats")):  # walks, not exact measurements
        yield Case(
            f"boundary index | {metric} | 5500 rows of {kind}",
            partial(mf.BoundaryIndex, metric=metric, **(COMMON | {"n_estimators": 3})),
            partial(data.many_rows, kind),
            add,
        )


def mnist(folder: str) -> Iterator[Case]:
    """Forests and an index of images."""
    given = partial(data.mnist, folder, 2000, 300)
    common = COMMON | {"n_estimators": 10}
    yield Case("mnist | boundary classifier", partial(mf.BoundaryForestClassifier, **common), given)
    yield Case("mnist | boundary regressor", partial(mf.BoundaryForestRegressor, **common), given)
    yield Case("mnist | boundary index", partial(mf.BoundaryIndex, **common), given, add)


TABLES: tuple[Callable[[], Iterator[Case]], ...] = (forests, indexes)
