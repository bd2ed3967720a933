"""Write the golden files that are not there yet: models, and what they answer.

``python tests/golden/make.py [name ...]`` fits the named cases, or all that lack a file, with the
version of manifoldforest that is installed. Each model becomes ``format<number>/<name>.mf``, and
its answers to the rows of one kind ``format<number>/<name>.answers``. What is there stays as it is:
golden files say what older versions wrote, and are never written again.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from scipy import sparse

import manifoldforest as mf
from manifoldforest import spaces
from manifoldforest.projections import (
    Axis,
    Dictionary,
    DilatedKernels,
    GraphBalls,
    GraphEdges,
    ImagePatches,
    Intervals,
    MeanDifference,
    Mixture,
    Patches,
    Rotation,
    Sporf,
)
from manifoldforest.tables import TableSchema
from manifoldforest.tables._schema import ImagePixels
from manifoldforest.views import Difference, Gradients, Identity, Spectrum

FOLDER = Path(__file__).parent
ROWS = FOLDER / "rows.safetensors"  # what all models are asked about, by kind
N = 24


def answers(model: Any, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return what a model says about some rows; words as bytes."""
    if isinstance(model, mf.BoundaryIndex | mf.boundary.BruteForceIndex):
        distances, ids = model.query(rows.reshape(len(rows), -1), k=3)
        return {"distances": distances, "ids": ids}
    said: dict[str, np.ndarray] = {"predict": _numbers(model.predict(rows))}
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(rows)
        blocks = proba if isinstance(proba, list) else [proba]
        said |= {f"predict_proba.{k}": block for k, block in enumerate(blocks)}
    if hasattr(model, "feature_importances_"):
        said["apply"] = model.apply(rows).astype(np.int32)
        said["feature_importances_"] = model.feature_importances_
    if hasattr(model, "oob_score_"):
        said["oob_score_"] = np.array(model.oob_score_)
    return {name: np.ascontiguousarray(array) for name, array in said.items()}


def _numbers(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind in "biuf":
        return array
    return np.frombuffer("\n".join(map(str, array.ravel())).encode(), np.uint8)


# ----------------------------------------------------------------------- data


def _rows(n: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    floats = rng.normal(size=(n, 4, 6)).astype(np.float32)
    return {
        "floats": floats,
        "holes": np.where(rng.random(floats.shape) < 0.1, np.float32(np.nan), floats),
        "bytes": rng.integers(0, 256, size=(n, 4, 6), dtype=np.uint8),
        "graphs": rng.normal(size=(n, 5, 5)).astype(np.float32),
    }


TRAINING = _rows(N, seed=0)
X = TRAINING["floats"].reshape(N, -1).astype(np.float64)
CLASSES = np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])
NUMBERS = X[:, 0] * 2 + X[:, 3] ** 2
TWO = np.stack([NUMBERS, X[:, 1]], axis=1)
WEIGHTS = np.random.default_rng(1).random(N) + 0.1
RING = sparse.csc_array(np.roll(np.eye(24), 1, axis=1))
ATOMS = sparse.csc_array(np.eye(24, 30) + 0.3 * (np.arange(720).reshape(24, 30) % 17 == 0))

UNIT = X[:, :3] / np.linalg.norm(X[:, :3], axis=1, keepdims=True)
_COS, _SIN, _ZERO, _ONE = np.cos(X[:, 0]), np.sin(X[:, 0]), np.zeros(N), np.ones(N)
TURNS = np.stack([_COS, -_SIN, _ZERO, _SIN, _COS, _ZERO, _ZERO, _ZERO, _ONE], 1).reshape(N, 3, 3)
ELLIPSES = np.exp(X[:, :1, None]) * np.eye(2) + 0.1

APART = np.abs(np.subtract.outer(NUMBERS, NUMBERS)).round()

# ---------------------------------------------------------------------- cases

Case = tuple[str, Callable[[], Any]]  # kind of rows, and what fits the model


def _forest(kind: Any, y: Any, rows: str = "floats", weight: Any = None, **params: Any) -> Case:
    model = kind(**{"n_estimators": 3, "max_depth": 3, "random_state": 0, **params})
    return rows, lambda: model.fit(TRAINING[rows], y, sample_weight=weight)


def _classifier(projection: Any = "axis", rows: str = "floats", y: Any = CLASSES, **k: Any) -> Case:
    return _forest(mf.ForestClassifier, y, rows, projection=projection, **k)


def _regressor(y: Any = NUMBERS, **params: Any) -> Case:
    return _forest(mf.ForestRegressor, y, **params)


def _boosted(kind: Any, y: Any, rows: str = "floats", **params: Any) -> Case:
    return _forest(kind, y, rows, **{"projection": "axis", "subsample": 0.8, **params})


def _with_schema(case: Case, schema: TableSchema) -> Case:
    """Return a case whose forest knows the table it was fitted on."""
    rows, fit = case

    def fit_and_tell() -> Any:
        model = fit()
        model.table_schema_ = schema
        return model

    return rows, fit_and_tell


def _metric(space: Any, y: Any, **params: Any) -> Case:
    return _forest(mf.MetricForestRegressor, y, space=space, **params)


def _boundary(kind: Any, y: Any, rows: str = "floats", **params: Any) -> Case:
    model = kind(**{"n_estimators": 3, "max_children": 4, "random_state": 0, **params})
    return rows, lambda: model.fit(TRAINING[rows], y)


def _index(rows: str = "floats", remove: Any = (), **params: Any) -> Case:
    def build() -> Any:
        index = mf.BoundaryIndex(n_estimators=3, max_children=4, random_state=0, **params)
        ids = index.add(TRAINING[rows].reshape(N, -1))
        for place in remove:
            index.remove(ids[place])
        return index

    return rows, build


def _brute_force(rows: str = "floats", **params: Any) -> Case:
    def build() -> Any:
        index = mf.boundary.BruteForceIndex(**params)
        index.add(TRAINING["bytes"][: N // 2].reshape(N // 2, -1))
        ids = index.add(TRAINING[rows].reshape(N, -1))
        index.remove(ids[[3, 17]])
        return index

    return rows, build


CASES: Mapping[str, Case] = {
    # projections
    "axis": _classifier("axis"),
    "axis_bytes": _classifier("axis", "bytes"),
    "axis_holes": _classifier("axis", "holes"),
    "forest_rc": _classifier("forest_rc"),
    "rerf": _classifier("rerf"),
    "sporf": _classifier(Sporf(2.0)),
    "sporf_scale": _classifier(Sporf(3.0, scale="std"), "holes"),
    "rotation": _classifier(Rotation(max_dims=6)),
    "rotation_holes": _classifier(Rotation(max_dims=6), "holes"),
    "principal_axes": _classifier("principal_axes", max_depth=2),
    "mean_difference": _classifier("mean_difference", max_depth=2),
    "patches": _classifier(Patches(max_size=(2, 3))),
    "patches_bytes": _classifier(Patches(wrap=True, placement="corner"), "bytes"),
    "patches_channels": _classifier(Patches(contiguous=(False,), channel_axis=-1)),
    "gradients": _classifier(Patches(view=Gradients()), "bytes"),
    "gradients_holes": _classifier(Patches(view=Gradients(4), max_size=2), "holes"),
    "image_patches": _classifier(
        Mixture([("image", ImagePatches(), 1.0), ("axis", Axis(), 1.0)]), "bytes"
    ),
    "intervals": _classifier(Intervals(("std", "position", "quantile"), depth=2), "holes"),
    "random_intervals": _regressor(
        projection=Intervals(("mean", "slope"), intervals="random", n_intervals=3, min_size=2)
    ),
    "kernels": _classifier(DilatedKernels(6, whole=0.3), "bytes"),
    "sum_of_banks": _classifier(
        Intervals(("minimum", "maximum"), views=[Identity(), Spectrum()], depth=1)
        + DilatedKernels(3, pool=("share", "mean"), view=Difference(1, 1)),
        "holes",
    ),
    "difference": _classifier(Patches(view=Difference(2, 3)), "holes"),
    "spectrum": _classifier(Patches(view=Spectrum(), channel_axis=0), "bytes"),
    "sum_of_views": _classifier(
        Patches(view=Gradients()) + Patches(view=Spectrum()) + Patches(view=Identity())
    ),
    "graph_balls": _classifier(GraphBalls(RING)),
    "graph_edges": _classifier(GraphEdges(), "graphs"),
    "dictionary": _classifier(Dictionary(ATOMS)),
    "sum": _classifier(Dictionary(ATOMS) + GraphBalls(RING) + MeanDifference()),
    "mixture": _classifier(Mixture([("p", Patches(), 0.6), ("b", GraphBalls(RING), 0.4)])),
    # classifiers
    "ranks": _classifier(ranks=True),
    "honest": _classifier(honest=True, empty_leaf="ignore"),
    "honest_fraction": _classifier(honest=True, honest_fraction=0.8),
    "entropy": _classifier(criterion="entropy", voting="hard"),
    "log_loss": _classifier(criterion="log_loss", weight=WEIGHTS, bootstrap=False),
    "balanced": _classifier(class_weight="balanced_subsample"),
    "best_first": _classifier(max_leaf_nodes=5),
    "augmented": _classifier(Patches(), "bytes", augment=mf.augmentation.Shifts(1, flip=(0, 1))),
    "refined": _classifier(refine=True, y=np.stack([CLASSES, CLASSES > 0], 1)),
    "pruned": _classifier(ccp_alpha=0.05, max_depth=None),
    "no_samples": _classifier(keep_samples=False),
    "out_of_bag": _classifier(n_estimators=8, oob_score=True),
    "words": _classifier(y=np.array(["left", "mitte", "rechts ä"])[CLASSES]),
    "two_outputs": _classifier(y=np.stack([CLASSES, CLASSES > 0], 1)),
    # regressors
    "squared_error": _regressor(),
    "absolute_error": _regressor(criterion="absolute_error"),
    "poisson": _regressor(np.exp(X[:, 0]), criterion="poisson"),
    "regressor_two_outputs": _regressor(TWO, projection="sporf"),
    "regressor_patches": _regressor(projection=Patches()),
    "regressor_large": _regressor(NUMBERS * 1e305),
    "regressor_small": _regressor(NUMBERS * 1e-310, criterion="absolute_error"),
    "regressor_honest": _regressor(honest=True, empty_leaf="prune"),
    # boosted forests
    "boosted_classes": _boosted(mf.BoostedForestClassifier, CLASSES, "holes"),
    "boosted_odds": _boosted(mf.BoostedForestClassifier, CLASSES > 0, "bytes", projection="auto"),
    "boosted_labels": _boosted(
        mf.BoostedForestClassifier, np.stack([CLASSES, CLASSES > 0], 1), early_stopping=True
    ),
    "boosted_intervals": _boosted(
        mf.BoostedForestRegressor, TWO, projection=Intervals("mean", depth=2)
    ),
    "boosted_numbers": _boosted(mf.BoostedForestRegressor, TWO, projection=Patches()),
    "boosted_medians": _boosted(mf.BoostedForestRegressor, NUMBERS, loss="absolute_error"),
    "boosted_rates": _boosted(mf.BoostedForestRegressor, np.exp(X[:, 0]), loss="poisson"),
    # responses in metric spaces
    "metric_euclidean": _metric("euclidean", TWO),
    "metric_circle": _metric("circle", np.mod(X[:, 0], 2 * np.pi), projection=Patches()),
    "metric_sphere": _metric("sphere", UNIT, projection=GraphBalls(RING)),
    "metric_frobenius": _metric("frobenius", ELLIPSES),
    "metric_spd": _metric("spd", ELLIPSES),
    "metric_rotations": _metric("rotations", TURNS),
    "metric_kendall": _metric("kendall", X[:, :8].reshape(N, 4, 2)),
    "metric_wasserstein": _metric(spaces.Wasserstein1D(5), X[:, :7]),
    "metric_isomap": _metric(spaces.Isomap(8), TWO, prediction="drf", embedding_dim=2, max_rank=3),
    "metric_drf": _metric(
        "euclidean",
        TWO,
        prediction="drf",
        embedding_dim=2,
        bandwidth=np.sqrt(3),
        distance_order="increasing",
    ),
    "metric_precomputed": _metric(spaces.Precomputed(APART), np.arange(N)),
    "kernel": _forest(mf.KernelForestRegressor, TWO, bandwidth=0.5),
    # what the command line stores
    "table_schema": _with_schema(
        _classifier("axis", "bytes", y=np.array(["no", "yes"])[CLASSES % 2]),
        TableSchema(ImagePixels(4, 6, "grey", resize=True), None, "string"),
    ),
    # boundary forests and indexes
    "boundary_classifier": _boundary(mf.BoundaryForestClassifier, CLASSES, "bytes"),
    "boundary_words": _boundary(
        mf.BoundaryForestClassifier, np.array(["no", "yes"])[CLASSES % 2], metric="manhattan"
    ),
    "boundary_regressor": _boundary(mf.BoundaryForestRegressor, TWO),
    "index": _index(remove=(3, 17)),
    "index_bytes": _index("bytes", metric="hamming"),
    "brute_force": _brute_force(metric="chebyshev"),
    "brute_force_bytes": _brute_force("bytes", metric="manhattan"),
}


# Files of formats 3 and 4 differ only in what some parameters mean. These cases have such
# parameters and a file of each format; for the others a file of one of the two is enough.
CHANGED_IN_4 = (
    *("axis", "honest_fraction", "patches", "mixture"),
    *("squared_error", "regressor_honest", "metric_drf", "kernel"),
)

WITH_BANK = ("intervals", "random_intervals", "kernels", "sum_of_banks", "boosted_intervals")


def formats(name: str) -> tuple[int, ...]:
    """Return the formats of which a case must have a file in one at least."""
    if name.startswith(("boundary", "index", "brute_force")):
        return (2,)
    if name in WITH_BANK:
        return (5,)
    if name.startswith("boosted"):
        return (4,)
    return (4,) if name in CHANGED_IN_4 else (3, 4)


def missing() -> list[str]:
    """Return the cases that lack a file."""
    return [
        name
        for name in CASES
        if not any((FOLDER / f"format{n}" / f"{name}.mf").exists() for n in formats(name))
    ]


def write(name: str) -> str:
    """Write one case, if it is not there, and say what was done."""
    kind, fit = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few trees, few rows
        model = fit()
        said = answers(model, stored_rows()[kind])
    with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
        made = Path(scratch) / "model.mf"
        model.save(made)
        with safe_open(made, framework="numpy") as file:
            number = json.loads(file.metadata()["manifoldforest"])["content"]["format_version"]
        path = FOLDER / f"format{number}" / f"{name}.mf"
        if path.exists():
            return f"{path} is there and stays as it is"
        path.parent.mkdir(exist_ok=True)
        save_file(said, path.with_suffix(".answers"), {"rows": kind})
        os.rename(made, path)
    return f"{path}: {os.path.getsize(path)} bytes"


def stored_rows() -> dict[str, np.ndarray]:
    """Return the rows that models are asked about; they are made when there are none yet."""
    if not ROWS.exists():
        save_file(_rows(8, seed=1), ROWS)
    return load_file(ROWS)


if __name__ == "__main__":
    for case in sys.argv[1:] or missing():
        print(write(case))
