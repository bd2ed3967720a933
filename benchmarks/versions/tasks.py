"""The tasks: each prepares its data and models, and returns the call that is timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

COMMON: dict[str, Any] = {"n_jobs": 1, "random_state": 0}
N_IMAGES, N_NEW = 6000, 10_000
N_CALLS = 20_000  # of predictions of one row


class Examples:
    """Data that several tasks share, made when the first of them asks."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder

    @cached_property
    def images(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
        """Images of 28 x 28 bytes, their digits and further images: MNIST, or enlarged digits."""
        if self._folder is None:
            return _enlarged_digits()
        with np.load(Path(self._folder, "mnist.npz")) as arrays:
            return (
                arrays["X_train"][:N_IMAGES],
                arrays["y_train"][:N_IMAGES].astype(np.int64),
                arrays["X_test"][:N_NEW],
            )

    @cached_property
    def table(self) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
        """A table of 20 000 x 20 floats, its classes and further rows."""
        from sklearn.datasets import make_classification

        X, y = make_classification(
            30_000, 20, n_informative=12, n_classes=4, flip_y=0.05, random_state=0
        )
        return X[:20_000].astype(np.float32), y[:20_000], X[20_000:].astype(np.float32)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """A response for each row of the table."""
        X, _, _ = self.table
        noise = np.random.default_rng(0).normal(size=len(X))
        number: NDArray[np.float64] = X[:, 0] * X[:, 1] + np.sin(X[:, 2]) + 0.3 * noise
        return number


def _enlarged_digits() -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
    """Return scikit-learn's digits, each pixel three times in both directions, with noise."""
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    chosen = np.arange(N_IMAGES + N_NEW) % len(pixels)
    small = (14 * pixels.reshape(-1, 8, 8)).astype(np.uint8)
    large = np.pad(small.repeat(3, axis=1).repeat(3, axis=2), ((0, 0), (2, 2), (2, 2)))[chosen]
    large += rng.integers(0, 25, size=large.shape, dtype=np.uint8) * (large > 0)
    return large[:N_IMAGES], labels[chosen[:N_IMAGES]].astype(np.int64), large[N_IMAGES:]


Call = Callable[[], Any]


@dataclass(frozen=True)
class Task:
    """Something to time."""

    name: str
    prepare: Callable[[Examples], Call]


def classifier(trees: int, projection: str, **options: Any) -> Any:
    """Return a classifier that is not fitted; patches are those of MORF."""
    import manifoldforest as mf

    patches = mf.projections.Patches(min_size=2, max_size=5)
    chosen = patches if projection == "patches" else projection
    return mf.ForestClassifier(trees, projection=chosen, **(COMMON | options))


def regressor(trees: int, projection: str, **options: Any) -> Any:
    """Return a regressor that is not fitted."""
    import manifoldforest as mf

    return mf.ForestRegressor(trees, projection=projection, **(COMMON | options))


def fit_table(examples: Examples, trees: int, projection: str, **options: Any) -> Call:
    """Fit a classifier to the table."""
    X, y, _ = examples.table
    return partial(classifier(trees, projection, **options).fit, X, y)


def fit_images(examples: Examples, trees: int, projection: str) -> Call:
    """Fit a classifier to the images."""
    X, y, _ = examples.images
    return partial(classifier(trees, projection, max_features=28).fit, X, y)


def fit_numbers(
    examples: Examples, trees: int, projection: str, n_rows: int = 20_000, **options: Any
) -> Call:
    """Fit a regressor to the table."""
    forest = regressor(trees, projection, **({"max_features": 6} | options))
    return partial(forest.fit, examples.table[0][:n_rows], examples.numbers[:n_rows])


def fit_points(examples: Examples) -> Call:
    """Fit a forest to directions, which are points."""
    import manifoldforest as mf

    X, angles = examples.table[0][:8000], examples.numbers[:8000]
    forest = mf.MetricForestRegressor(6, space="circle", max_features=6, **COMMON)
    return partial(forest.fit, X, angles)


def fit_distances(examples: Examples) -> Call:
    """Fit a forest to responses of which only distances are known."""
    import manifoldforest as mf

    n_rows = 1000
    t = examples.numbers[:n_rows]
    space = mf.spaces.Precomputed(np.abs(t[:, None] - t[None, :]) ** 0.7)
    forest = mf.MetricForestRegressor(10, space=space, max_features=6, **COMMON)
    return partial(forest.fit, examples.table[0][:n_rows], np.arange(n_rows))


def fit_boundary(examples: Examples) -> Call:
    """Fit a boundary forest to images."""
    import manifoldforest as mf

    X, y, _ = examples.images
    return partial(mf.BoundaryForestClassifier(30, **COMMON).fit, X, y)


def predict_boundary(examples: Examples) -> Call:
    """Ask a boundary forest for classes."""
    import manifoldforest as mf

    X, y, new = examples.images
    forest = mf.BoundaryForestClassifier(20, **COMMON).fit(X, y)
    return partial(forest.predict, new)


def query_boundary(examples: Examples) -> Call:
    """Ask an index for neighbours."""
    import manifoldforest as mf

    X, _, new = examples.images
    index = mf.BoundaryIndex(10, **COMMON)
    index.add(X)
    return partial(index.query, new[:4000], 5)


def predict_images(examples: Examples, projection: str, trees: int) -> Call:
    """Predict many images."""
    X, y, new = examples.images
    forest = classifier(trees, projection, max_features=28).fit(X, y)
    return partial(forest.predict_proba, new)


def predict_numbers(examples: Examples, projection: str, trees: int) -> Call:
    """Predict many rows of the table."""
    X, _, new = examples.table
    forest = regressor(trees, projection, max_features=3).fit(X, examples.numbers)
    return partial(forest.predict, new)


def predict_one(examples: Examples, projection: str) -> Call:
    """Predict many images one by one."""
    X, y, new = examples.images
    forest = classifier(20, projection, max_features=28).fit(X, y)
    rows = [new[i % 500 : i % 500 + 1] for i in range(N_CALLS)]

    def one_by_one() -> None:
        for row in rows:
            forest.predict_proba(row)

    return one_by_one


def _task(name: str, prepare: Callable[..., Call], *arguments: Any, **options: Any) -> Task:
    return Task(name, lambda examples: prepare(examples, *arguments, **options))


TASKS = {
    task.name: task
    for task in (
        _task("fit-rf-table", fit_table, 6, "axis"),
        _task("fit-sporf-table", fit_table, 6, "sporf"),
        _task("fit-entropy-table", fit_table, 5, "axis", criterion="entropy"),
        _task("fit-rf-images", fit_images, 15, "axis"),
        _task("fit-sporf-images", fit_images, 15, "sporf"),
        _task("fit-morf-images", fit_images, 8, "patches"),
        _task("fit-regression-axis", fit_numbers, 3, "axis"),
        _task("fit-regression-sporf", fit_numbers, 3, "sporf"),
        _task("fit-absolute-error", fit_numbers, 4, "axis", 4000, criterion="absolute_error"),
        _task("fit-metric-points", fit_points),
        _task("fit-metric-distances", fit_distances),
        _task("fit-boundary", fit_boundary),
        _task("predict-boundary", predict_boundary),
        _task("query-boundary-index", query_boundary),
        _task("predict-rf", predict_images, "axis", 200),
        _task("predict-sporf", predict_images, "sporf", 150),
        _task("predict-morf", predict_images, "patches", 150),
        _task("predict-regression", predict_numbers, "axis", 80),
        _task("one-row-rf", predict_one, "axis"),
        _task("one-row-morf", predict_one, "patches"),
    )
}
