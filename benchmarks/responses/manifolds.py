"""Real responses on known manifolds, from the folder ``manifold`` of the data sets."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manifoldforest.spaces import SPD, Circle, KendallShape, Rotations, Space

Array = NDArray[Any]

FOLDER_VARIABLE = "MANIFOLDFOREST_DATA"


@dataclass(frozen=True)
class Problem:
    """A set with its space.

    ``groups`` has the name of each example's group where examples depend on each other, so that
    folds can keep groups together; None where they do not. ``max_features`` is that of all forests.
    """

    X: Array
    Y: Array
    space: Space
    groups: Array | None = None
    max_features: float = 1.0


def arrays(name: str) -> dict[str, Array]:
    """Read the arrays of one file."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder is None:
        raise SystemExit(f"set {FOLDER_VARIABLE} to the folder of the data sets")
    with np.load(Path(folder, "manifold", f"{name}.npz"), allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


def coded(*columns: Array) -> Array:
    """Return numbers as they are and texts as one indicator for each but the first value."""
    features = []
    for column in columns:
        if column.dtype.kind == "U":
            features += [column == value for value in np.unique(column)[1:]]
        else:
            features.append(column)
    return np.column_stack(features).astype(np.float64)


def wind(n: int = 4000) -> Problem:
    """Wind direction at three airports by weather, season and hour; groups are weeks.

    Neighbouring hours and airports have much the same wind, so random folds test little more than
    memory.
    """
    data = arrays("nyc_wind")
    rows = np.sort(np.random.default_rng(0).choice(len(data["X"]), n, replace=False))
    X, theta = data["X"][rows].astype(np.float64), data["theta"][rows].astype(np.float64)
    names = list(data["feature"])
    days_before = np.cumsum([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30])
    month = X[:, names.index("month")].astype(int)
    day_of_year = days_before[month - 1] + X[:, names.index("day")]
    return Problem(X, theta, Circle(), day_of_year // 7, max_features=0.34)


def tensors(metric: str) -> Problem:
    """Diffusion tensors of a brain by place; groups are cubes of 4 x 4 x 4 voxels."""
    data = arrays("dti_small_64D")
    X = data["X"].astype(np.float64)
    cube = (X // 4).astype(int) @ [100, 10, 1]
    return Problem(X, data["y"].astype(np.float64), SPD(metric=metric), cube)


def camera() -> Problem:
    """Rotation of a hand-held camera by time and place; groups are spells of about 3 seconds."""
    data = arrays("tum_fr2desk_pose")
    X = np.column_stack([data["t"], data["p"]]).astype(np.float64)
    q = data["q_xyzw"].astype(np.float64)
    matrices = rotation_matrices(q / np.linalg.norm(q, axis=1, keepdims=True))
    spell = np.arange(len(X)) * 40 // len(X)
    return Problem(X, matrices, Rotations(), spell)


def rotation_matrices(q: Array) -> Array:
    """Return the matrices of unit quaternions, scalar last."""
    x, y, z, w = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def shapes(name: str, *covariates: str, group: str | None = None) -> Problem:
    """Return landmarks of one of the sets of shapes by covariates."""
    data = arrays("kendall_shapes")
    X = coded(*(data[f"{name}_{covariate}"] for covariate in covariates))
    groups = None if group is None else data[f"{name}_{group}"]
    return Problem(X, data[f"{name}_x"].astype(np.float64), KendallShape(), groups)


def apes() -> Problem:
    """Skulls by species and sex."""
    data = arrays("kendall_shapes")
    species = np.array([group[:3] for group in data["apes_group"]])
    sex = np.array([group[3:] for group in data["apes_group"]])
    return Problem(coded(species, sex), data["apes_x"].astype(np.float64), KendallShape())


def hands() -> Problem:
    """Skeletons of hands by gesture."""
    data = arrays("hands")
    return Problem(coded(data["y"]), data["X"].astype(np.float64), KendallShape())


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "wind": wind,
    "tensors_log": lambda: tensors("log-euclidean"),
    "tensors_affine": lambda: tensors("affine-invariant"),
    "camera": camera,
    "rats": lambda: shapes("rats", "time", group="no"),
    "apes": apes,
    "brains": lambda: shapes("brains", "age", "sex", "handed", "grp"),
    "cortical": lambda: shapes("cortical", "age", "group", "sex"),
    "hands": hands,
}
