"""Forests as ONNX models: sizes, times and agreement, for each projection.

    python benchmarks/onnx_export.py [--data DIR] [--trees 100] [--only NAME,NAME] [--repeats 3]

Forests are fitted on images of 28 × 28 bytes (MNIST's, ``mnist.npz`` in DIR, or else scikit-learn's
digits, enlarged) and on a table of 20 floats, and exported. Printed is a line for each: nodes, size
of the model and of our own file, seconds of the export and of loading; seconds that 10 000 rows
take, probabilities of our forest and of onnxruntime, on one thread, and milliseconds of one row;
the largest difference of a probability (of a number: relative to the largest number), how many
labels differ, and how many rows differ by more than 1e-5. Dense directions on images have a tenth
of the trees and of the training rows, as each of their splits holds 784 weights.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray

import manifoldforest as mf
from harness.command_line import add_names, script_parser
from manifoldforest.projections import (
    Axis,
    Dictionary,
    ForestRC,
    GraphBalls,
    MeanDifference,
    Mixture,
    Patches,
    PrincipalAxes,
    RerF,
    Rotation,
    Sporf,
)
from manifoldforest.views import Difference, Gradients, Spectrum
from versions.tasks import Examples

SIDE, N_FEATURES = 28, 20
N_TRAINING, N_NEW = 5000, 10_000
DENSE = ("rotation", "principal_axes", "mean_difference", "sum")


def ring(n: int) -> NDArray[np.int64]:
    """Return the neighbours of points on a circle."""
    step = np.roll(np.eye(n, dtype=np.int64), 1, axis=1)
    return step + step.T


def some_atoms(n: int) -> NDArray[np.float64]:
    """Return the columns of a dictionary: sums of a tenth of the features."""
    rng = np.random.default_rng(0)
    chosen = rng.random((n, 200)) < 0.1
    chosen[rng.integers(n, size=200), np.arange(200)] = True  # none is empty
    return np.where(chosen, rng.normal(size=(n, 200)), 0.0)


def of_any_data(n: int) -> dict[str, Any]:
    """Return projections of examples with n features."""
    return {
        "axis": Axis(),
        "sporf": Sporf(),
        "sporf scaled": Sporf(scale="std"),
        "forest_rc": ForestRC(),
        "rerf": RerF(),
        "rotation": Rotation(),
        "principal_axes": PrincipalAxes(4),
        "mean_difference": MeanDifference(),
        "sum": Sporf() + MeanDifference(),
        "dictionary": Dictionary(some_atoms(n)),
        "graph_balls": GraphBalls(ring(n)),
        "mixture": Mixture([("axis", Axis(), 0.5), ("sporf", Sporf(), 0.5)]),
    }


OF_IMAGES: dict[str, Any] = {
    "patches": Patches(max_size=8),
    "patches wrapped": Patches(max_size=8, wrap=True),
    "patches scattered": Patches(max_size=4, contiguous=False),
    "patches in channels": Patches(max_size=8, channel_axis=0),
    "gradients": Patches(min_size=3, max_size=12, view=Gradients()),
    "difference": Patches(max_size=8, view=Difference()),
    "spectrum": Patches(max_size=8, view=Spectrum()),
}

Case = tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any]]  # forest, X, y, new rows


def all_cases(examples: Examples, n_trees: int) -> dict[str, Callable[[], Case]]:
    """Return what is measured, by name: functions that return unfitted forests and their data."""
    cases: dict[str, Callable[[], Case]] = {}

    def add(name: str, forest: Any, data: Callable[[], tuple[Any, Any, Any]]) -> None:
        cases[name] = lambda: (forest.set_params(n_jobs=1, random_state=0), *data())

    def images(n_training: int = N_TRAINING) -> tuple[Any, Any, Any]:
        X, y, new = examples.images
        X, new = (part.reshape(-1, SIDE, SIDE).astype(np.uint8) for part in (X, new))
        return X[:n_training], y[:n_training], np.resize(new, (N_NEW, SIDE, SIDE))

    def few_images() -> tuple[Any, Any, Any]:
        return images(N_TRAINING // 10)

    def table() -> tuple[Any, Any, Any]:
        X, y, new = examples.table
        return X[:N_TRAINING], y[:N_TRAINING], new[:N_NEW]

    def numbers() -> tuple[Any, Any, Any]:
        X, _, new = examples.table
        return X[:N_TRAINING], examples.numbers[:N_TRAINING], new[:N_NEW]

    few = max(1, n_trees // 10)
    for name, projection in (of_any_data(SIDE * SIDE) | OF_IMAGES).items():
        trees, data = (few, few_images) if name in DENSE else (n_trees, images)
        add(f"images: {name}", mf.ForestClassifier(trees, projection=projection), data)
    add("images: refined", mf.ForestClassifier(n_trees, refine=True, min_samples_leaf=5), images)
    add("images: named_forest", mf.named_forest("image", n_estimators=n_trees), images)
    add("images: boosted", mf.BoostedForestClassifier(n_trees), images)
    for name, projection in of_any_data(N_FEATURES).items():
        add(f"table: {name}", mf.ForestClassifier(n_trees, projection=projection), table)
    add("table: votes", mf.ForestClassifier(n_trees, voting="hard"), table)
    add("table: honest", mf.ForestClassifier(n_trees, honest=True), table)
    add("table: boosted", mf.BoostedForestClassifier(n_trees), table)
    for name in ("axis", "sporf"):
        add(f"numbers: {name}", mf.ForestRegressor(n_trees, projection=name), numbers)
    add("numbers: boosted", mf.BoostedForestRegressor(n_trees), numbers)
    return cases


def least_seconds(function: Callable[[], Any], repeats: int) -> float:
    """Return the least time of several calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def measured(case: Case, repeats: int) -> dict[str, float]:
    """Fit, export and compare."""
    forest, X, y, new = case
    forest.fit(X, y)
    ask = forest.predict_proba if hasattr(forest, "classes_") else forest.predict
    start = time.perf_counter()
    model = mf.to_onnx(forest)
    export = time.perf_counter() - start
    onnx.checker.check_model(model)
    content = model.SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(content, options)
    loading = time.perf_counter() - start
    rows = new.reshape(len(new), -1).astype(np.float32)
    name = "probabilities" if hasattr(forest, "classes_") else "prediction"
    expected = ask(new)
    found = session.run([name], {"X": rows})[0]
    largest = 1.0 if hasattr(forest, "classes_") else float(np.abs(expected).max())
    apart = np.abs(found - expected).reshape(len(new), -1).max(axis=1) / largest
    different = 0
    if hasattr(forest, "classes_"):
        different = int((session.run(["label"], {"X": rows})[0] != forest.predict(new)).sum())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "forest.mf")
        forest._model = forest._model.without_samples()  # as a model has nothing of training rows
        forest.save(path)
        own_bytes = path.stat().st_size
    return {
        "trees": len(forest),
        "nodes": forest._model.trees.n_nodes,
        "MB": len(content) / 1e6,
        "own MB": own_bytes / 1e6,
        "export s": export,
        "load s": loading,
        "ours s": least_seconds(lambda: ask(new), repeats),
        "onnx s": least_seconds(lambda: session.run([name], {"X": rows}), repeats),
        "onnx 1 row ms": 1e3 * least_seconds(lambda: session.run([name], {"X": rows[:1]}), 20),
        "largest": float(apart.max()),
        "labels": different,
        "rows": int((apart > 1e-5).sum()),
    }


def main() -> None:
    """Print a line for each forest."""
    parser = script_parser(__doc__)
    parser.add_argument("--data", help="folder with mnist.npz")
    parser.add_argument("--trees", type=int, default=100, help="trees of a forest")
    parser.add_argument("--repeats", type=int, default=3, help="predictions that are timed")
    add_names(parser, "--only", all_cases(Examples(None), 1), "forests")
    options = parser.parse_args()
    cases = all_cases(Examples(options.data), options.trees)
    print(
        "forest | "
        + " | ".join(
            ("trees", "nodes", "MB", "own MB", "export s", "load s", "ours s", "onnx s")
            + ("onnx 1 row ms", "largest difference", "labels", "rows > 1e-5")
        )
    )
    for name, case in cases.items():
        if name in options.only:
            found = measured(case(), options.repeats)
            print(f"{name} | " + " | ".join(f"{value:.3g}" for value in found.values()), flush=True)


if __name__ == "__main__":
    main()
