"""Sets of series in a folder of npz files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_KEYS = ("X_train", "y_train", "X_test", "y_test")
_TASKS = {"mv_": "multivariate", "reg_": "regression"}  # by the beginning of the file's name


class SeriesSet(NamedTuple):
    """Examples (n, times) or (n, channels, times), and their labels or numbers."""

    X_train: NDArray[Any]
    y_train: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]

    @property
    def size(self) -> int:
        """Number of all values."""
        return int(self.X_train.size + self.X_test.size)

    @property
    def has_missing(self) -> bool:
        """Whether values are missing, such as those behind the end of a shorter series."""
        return bool(np.isnan(self.X_train).any() or np.isnan(self.X_test).any())


def task_of(name: str) -> str:
    """Return the task of a set by its name."""
    return next(
        (task for start, task in _TASKS.items() if name.startswith(start)), "classification"
    )


def read_set(folder: Path, name: str) -> SeriesSet | None:
    """Return a set, or None if its file has no part for training."""
    with np.load(folder / f"{name}.npz", allow_pickle=False) as file:
        if any(key not in file.files or not len(file[key]) for key in _KEYS):
            return None
        X_train, y_train, X_test, y_test = (file[key] for key in _KEYS)
    return SeriesSet(X_train.astype(np.float32), y_train, X_test.astype(np.float32), y_test)


def usable_sets(folder: Path, tasks: list[str]) -> dict[str, str]:
    """Return the tasks of the sets by name, small ones first.

    Those without a part for training are left out, and those for classification of which values
    are missing, which peers do not take.
    """
    sizes: dict[str, int] = {}
    for path in sorted(folder.glob("*.npz")):
        data = read_set(folder, path.stem) if task_of(path.stem) in tasks else None
        if data is None or (task_of(path.stem) == "classification" and data.has_missing):
            continue
        sizes[path.stem] = data.size
    return {name: task_of(name) for name in sorted(sizes, key=lambda name: sizes[name])}
