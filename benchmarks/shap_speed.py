"""How fast Shapley values are, beside shap.TreeExplainer on scikit-learn's forests.

    pip install shap
    python benchmarks/shap_speed.py [--data DIR] [--repeats 3] [--trees 20]

Each line fits a forest of single features (``projection="axis"``) and scikit-learn's random forest
with the same parameters on the same rows, fully grown, and explains the same examples with both, in
one thread. The two take turns. Times are those of the processor, the smallest of all turns; the
ratio is that of the times, each divided by the number of leaves of its forest, as the two programs
grow different trees. The time of `TreeExplainer` begins when the explainer is made; ours has the
making of paths in it, which is most of the time of a row that is explained alone. Below, other
projections, in milliseconds for each example. Images are MNIST's (``mnist.npz`` in DIR) or
scikit-learn's digits, enlarged.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import shap
from numpy.typing import NDArray
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import manifoldforest as mf
from harness.command_line import script_parser
from manifoldforest.projections import Patches, Projection, Rotation, Sporf
from versions.tasks import Examples


class Problem(NamedTuple):
    """Rows to learn from, and rows to explain."""

    X: NDArray[np.generic]
    y: NDArray[Any]
    asked: NDArray[np.generic]


def table(n_rows: int, n_classes: int, n_asked: int) -> Problem:
    """Return a table of 20 features; of numbers if there are no classes."""
    n = n_rows + n_asked
    if n_classes:
        X, y = make_classification(
            n, 20, n_informative=10, n_classes=n_classes, flip_y=0.1, random_state=0
        )
    else:
        X, y = make_regression(n, 20, n_informative=10, noise=30.0, random_state=0)
    X = X.astype(np.float32)
    return Problem(X[:n_rows], y[:n_rows], X[n_rows:])


def images(data: str | None, n_rows: int, n_asked: int) -> Problem:
    """Return flat images of bytes."""
    train, y, test = Examples(data).images
    rows = train[:n_rows]
    return Problem(rows.reshape(len(rows), -1), y[:n_rows], test[:n_asked].reshape(n_asked, -1))


def seconds(explain: Callable[[], object]) -> float:
    """Return the time that the processor spends on one call."""
    start = time.process_time()
    explain()
    return time.process_time() - start


def n_leaves(forest: Any) -> int:
    """Return the number of leaves of a forest of either library."""
    if hasattr(forest, "trees_"):
        return sum(int(tree.is_leaf.sum()) for tree in forest.trees_)
    return sum(int(tree.tree_.n_leaves) for tree in forest.estimators_)


def compare(name: str, problem: Problem, n_trees: int, repeats: int) -> None:
    """Print the times of both libraries."""
    is_labels = problem.y.dtype.kind in "iu"
    common = {"n_estimators": n_trees, "random_state": 0, "n_jobs": 1}
    if is_labels:
        ours = mf.ForestClassifier(projection="axis", **common)
        other = RandomForestClassifier(**common)
    else:
        ours = mf.ForestRegressor(projection="axis", max_features=1 / 3, **common)
        other = RandomForestRegressor(max_features=1 / 3, **common)
    ours.fit(problem.X, problem.y)
    other.fit(problem.X, problem.y)
    explainer = shap.TreeExplainer(other)
    mf.shap_values(ours, problem.asked[:1])  # imports what it needs
    times = np.array(
        [
            (
                seconds(lambda: mf.shap_values(ours, problem.asked)),
                seconds(lambda: explainer.shap_values(problem.asked, check_additivity=False)),
            )
            for _ in range(repeats)
        ]
    ).min(axis=0)
    alone = min(seconds(lambda: mf.shap_values(ours, problem.asked[:1])) for _ in range(repeats))
    leaves = np.array([n_leaves(ours), n_leaves(other)])
    per_row = times / len(problem.asked)
    ratio = (times[1] / leaves[1]) / (times[0] / leaves[0])
    depth = max(int(tree.depth.max()) for tree in ours.trees_)
    print(
        f"{name:32s} {leaves[0] // n_trees:6d} leaves, depth {depth:3d} "
        f"{per_row[0] * 1e3:9.3f} ms a row ({alone * 1e3:8.2f} alone), shap "
        f"{leaves[1] // n_trees:6d} leaves {per_row[1] * 1e3:9.2f} ms, ratio {ratio:6.1f}",
        flush=True,
    )


def alone(name: str, projection: Projection, problem: Problem, n_trees: int, repeats: int) -> None:
    """Print the time of a projection that no other library explains."""
    forest = mf.ForestClassifier(n_trees, projection=projection, random_state=0, n_jobs=1)
    forest.fit(problem.X, problem.y)
    best = min(seconds(lambda: mf.shap_values(forest, problem.asked)) for _ in range(repeats))
    print(f"{name:32s} {best / len(problem.asked) * 1e3:9.3f} ms a row", flush=True)


def main() -> None:
    """Print a line for each problem, then one for each projection."""
    parser = script_parser(__doc__)
    parser.add_argument("--data", help="folder with mnist.npz")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each library")
    parser.add_argument("--trees", type=int, default=20, help="trees of each forest")
    options = parser.parse_args()
    n, turns = options.trees, options.repeats
    compare("table 1000 x 20, 2 classes", table(1000, 2, 64), n, turns)
    compare("table 10 000 x 20, 2 classes", table(10_000, 2, 64), n, turns)
    compare("table 10 000 x 20, 5 classes", table(10_000, 5, 64), n, turns)
    compare("table 10 000 x 20, numbers", table(10_000, 0, 64), n, turns)
    compare("table 100 000 x 20, 2 classes", table(100_000, 2, 32), n, turns)
    compare("images, 1000, 10 classes", images(options.data, 1000, 64), n, turns)
    compare("images, 6000, 10 classes", images(options.data, 6000, 64), n, turns)
    X, y, asked = images(options.data, 6000, 64)
    grid = Problem(X.reshape(-1, 28, 28), y, asked.reshape(-1, 28, 28))
    for name, projection in (
        ("sporf", Sporf()),
        ("patches", Patches(max_size=7)),
        ("patches on edges", Patches(max_size=7, view=mf.views.Gradients())),
        ("rotation of 50", Rotation(max_dims=50)),
    ):
        alone(f"images, 6000, {name}", projection, grid, n, turns)


if __name__ == "__main__":
    main()
