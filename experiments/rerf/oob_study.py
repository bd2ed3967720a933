"""Out-of-bag errors of forests over the number of features p, on simulated problems.

The protocol of sections 4.1, 4.3 and 4.5: a forest is grown for each number d of candidates in a
grid, and the lowest out-of-bag error is reported. Since d is chosen by the error that is reported,
it is a little lower than that of a forest with a d chosen beforehand, for all methods alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf
from manifoldforest.datasets import add_outliers

from ..experiment import Outcome, Run, Setting, Sized, timed

Array = NDArray[Any]
Examples = tuple[Array, Array]
Generator = Callable[..., Examples]  # make_sparse_parity or make_trunk

TREES_PER_TIMED = 500  # of so many trees of a slow forest one is timed

RAW = "raw"
LINEAR: Mapping[str, Any] = {"rotated": "rotate", "scaled": "scale", "affine": "affine"}
# "outliers" are those of the text of section 4.3, "far outliers" those of the authors' program
OUTLIERS = {
    "outliers": {"fraction": 0.2, "covariance_factor": 4.0},
    "far outliers": {"fraction": 0.05, "covariance_factor": 16.0},
}
# The program of the paper makes up for the columns of RerF's matrix that come out empty.
VARIANT = {
    "RerF": {"projection__variant": "2016"},
    "RerF(d)": {"projection__rerf__variant": "2016"},
    "RerF(d+r)": {"projection__rerf__variant": "2016"},
}


def candidate_grid(p: int) -> list[int]:
    """Return the values of d that are tried, section 4.1."""
    if p <= 5:
        return list(range(1, p + 1))
    # rounded: a power that is a whole number must not come out a little larger
    return sorted({math.ceil(round(p**power, 9)) for power in (0, 1 / 4, 1 / 2, 3 / 4, 1)})


def make_forest(method: str, d: int, trees: int, seed: int, **params: Any) -> mf.ForestClassifier:
    """Return a forest of the paper that is not grown yet."""
    params |= {"n_estimators": trees, "max_features": d, "n_jobs": 1, "random_state": seed}
    params |= {"criterion": "gini", "min_samples_split": 10}  # section 4.1
    forest: mf.ForestClassifier = mf.named_forest(method, "classification", **params)
    return forest.set_params(**VARIANT.get(method, {}))


def apply_linear(X: Array, name: str, seed: int) -> Array:
    """Rotate or scale the features, or both; "raw" leaves them as they are."""
    return X if name == RAW else mf.datasets.apply_random_map(X, LINEAR[name], random_state=seed)


def training_set(make: Generator, n: int, p: int, transformation: str, seed: int) -> Examples:
    """Draw a training set; transformations of the same p and seed begin with the same rows."""
    stream = 10_000 * seed + p
    X, y = make(n, n_features=p, covariance_factor=1.0, random_state=stream)
    if transformation in OUTLIERS:
        return add_outliers(X, y, make, random_state=stream, **OUTLIERS[transformation])
    return apply_linear(X, transformation, stream), y


@dataclass(frozen=True)
class Sizes:
    """How large an experiment is."""

    n: int
    trees: int
    p: tuple[int, ...]
    trials: int
    # trials where all would take too long, by method and p; 0 where the paper has none, too
    fewer: Mapping[tuple[str, int], int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class OobStudy(Sized[Sizes]):
    """Out-of-bag errors of several methods over p, on transformed training sets."""

    make: Generator
    methods: tuple[str, ...]
    transformations: tuple[str, ...]
    prices: tuple[float, ...] = ()  # of a leaf in rows, if forests are also pruned

    def runs(self, setting: Setting) -> list[Run]:
        sizes = self.size(setting)
        common = {"n": sizes.n, "trees": sizes.trees}
        return [
            Run(seed, {"method": method, "p": p, "transformation": transformation, **common})
            for seed in range(sizes.trials)
            for p in sizes.p
            for transformation in self.transformations
            for method in self.methods
            if seed < sizes.fewer.get((method, p), sizes.trials)
        ]

    def measure(self, run: Run, setting: Setting) -> Outcome:
        parameters: dict[str, Any] = dict(run.parameters)
        method, p, n, trees = (parameters[name] for name in ("method", "p", "n", "trees"))
        X, y = training_set(self.make, n, p, parameters["transformation"], run.seed)
        if method == "RotRF" and len(X) < p:
            return Outcome(_wide_metrics(X, y, trees, run.seed))
        return Outcome(grid_metrics(method, X, y, trees, run.seed, self.prices))


def grid_metrics(
    method: str, X: Array, y: Array, trees: int, seed: int, prices: tuple[float, ...] = ()
) -> dict[str, float]:
    """Grow a forest for each d: lowest error, its d, mean time and all errors; also if pruned."""
    errors, seconds, pruned = {}, [], []
    for d in candidate_grid(X.shape[1]):
        forest = make_forest(method, d, trees, seed, oob_score=True)
        seconds.append(timed(partial(forest.fit, X, y))[1])
        errors[d] = 1.0 - forest.oob_score_
        pruned += pruned_oob_errors(forest, y, prices) if prices else []
    metrics = _metrics(errors, seconds)
    if pruned:
        error, left, price = min(pruned)
        metrics |= {"error_pruned": error, "best_price": price, "leaves_left": left}
        for price in prices:  # the lowest error over d
            metrics[f"error_pruned_{price:g}"] = min(e for e, _, other in pruned if other == price)
    return metrics


def _metrics(errors: Mapping[int, float], seconds: Sequence[float] | Array) -> dict[str, float]:
    best = min(errors, key=lambda d: errors[d])
    common = {"error": errors[best], "best_d": best, "train_seconds": float(np.mean(seconds))}
    return common | {f"error_d{d}": error for d, error in errors.items()}


# ---------------------------------------------------- RotRF on fewer rows than features
#
# The n rows of X span at most n dimensions, X = L B with orthonormal rows of B (n × p). A uniform
# rotation Q takes them to X Q = L (B Q), and B Q is again n orthonormal rows, uniform over all such
# matrices. It can be drawn by itself in n² p operations, where a tree of RotRF takes p³ (section
# 4.2 of the paper): on 100 rows with 500 features, about a hundredth of the time. The trees have
# the same distribution, but only for their training rows, which is all that out-of-bag errors need.


def _wide_metrics(X: Array, y: Array, trees: int, seed: int) -> dict[str, float]:
    """Return the metrics of RotRF; the time is that of a few trees, times the ratio of trees."""
    grid = candidate_grid(X.shape[1])
    few = max(trees // TREES_PER_TIMED, 1)
    forests = [make_forest("RotRF", d, few, seed) for d in grid]
    seconds = [timed(partial(forest.fit, X, y))[1] for forest in forests]
    return _metrics(wide_oob_errors(X, y, grid, trees, seed), np.array(seconds) * (trees / few))


def rotated_copies(X: Array, rng: np.random.Generator) -> Iterator[NDArray[np.float32]]:
    """Yield the rows of X after one uniform rotation, after another one, and so on."""
    rows, features = X.shape
    lower = np.linalg.qr(X.T.astype(np.float64))[1].T
    while True:
        frame, upper = np.linalg.qr(rng.standard_normal((features, rows)))
        frame *= np.where(np.diag(upper) < 0, -1.0, 1.0)  # else not uniform: LAPACK has its signs
        yield (lower @ frame.T).astype(np.float32)


def wide_oob_errors(
    X: Array, y: Array, grid: Sequence[int], n_trees: int, seed: int
) -> dict[int, float]:
    """Return out-of-bag errors of RotRF by d; all d share their rotations."""
    copies = islice(rotated_copies(X, np.random.default_rng(seed)), n_trees)
    shares = np.zeros((len(grid), len(X), int(y.max()) + 1))
    for number, turned in enumerate(copies):
        for total, d in zip(shares, grid, strict=True):
            (tree,) = make_forest("RF", d, 1, seed * n_trees + number).fit(turned, y).trees_
            outside = tree.arrays["inbag"] == 0
            total[outside] += tree.value[tree.arrays["leaf_of_row"][outside]]
    seen = shares.sum(axis=2) > 0
    wrong = shares.argmax(axis=2) != y
    return {d: float(w[s].mean()) for d, w, s in zip(grid, wrong, seen, strict=True)}


# ---------------------------------------------------------------------------------- pruning
#
# By cost and complexity, as Breiman et al. (1984): a subtree costs the rows in the bag that it
# classifies wrongly plus a price for every leaf, and the cheapest one is kept, the smallest of
# equally cheap ones. (The library's own `ccp_alpha` prices the impurity of leaves, not wrong rows.)


def pruned_leaves(trees: Sequence[Any], prices: Sequence[float]) -> Iterator[Array]:
    """Yield the leaf of the pruned tree above each node, itself if still there, for each price.

    `trees` are `trees_` of a classifier whose training rows all have weight one. Nodes are counted
    through all of them.
    """
    roots = np.cumsum([0, *(tree.n_nodes for tree in trees[:-1])])
    # the right child of a node comes next after the left one, and leaves have 0
    left = np.concatenate(
        [np.where(t.is_leaf, 0, root + t.left) for root, t in zip(roots, trees, strict=True)]
    )
    # shares are rounded numbers, and ties between whole numbers of rows must remain ties
    wrong = np.concatenate([np.rint(t.weight * (1.0 - t.value.max(axis=1))) for t in trees])
    levels, nodes = [], roots
    while len(nodes := nodes[left[nodes] > 0]):
        levels.append(nodes)
        nodes = np.concatenate([left[nodes], left[nodes] + 1])
    for price in prices:
        cost = wrong + price
        is_leaf = np.asarray(left == 0)
        for nodes in reversed(levels):
            below = cost[left[nodes]] + cost[left[nodes] + 1]
            is_leaf[nodes] = cost[nodes] <= below
            cost[nodes] = np.minimum(cost[nodes], below)
        above = np.arange(len(left))
        for nodes in levels:
            ends = is_leaf[nodes] | (above[nodes] != nodes)
            for child in (left[nodes], left[nodes] + 1):
                above[child] = np.where(ends, above[nodes], child)
        yield above


def pruned_oob_errors(
    forest: mf.ForestClassifier, y: Array, prices: Sequence[float]
) -> list[tuple[float, float, float]]:
    """Return out-of-bag error, share of leaves that are left, and price, for each price in rows."""
    trees, found = forest.trees_, []
    is_leaf = np.concatenate([tree.is_leaf for tree in trees])
    for price, above in zip(prices, pruned_leaves(trees, prices), strict=True):
        votes, root = np.zeros((len(y), len(forest.classes_))), 0
        for tree in trees:
            outside = tree.arrays["inbag"] == 0
            leaves = above[root + tree.arrays["leaf_of_row"][outside]] - root
            votes[outside] += tree.value[leaves]
            root += tree.n_nodes
        seen = votes.any(axis=1)
        error = np.mean(forest.classes_[votes[seen].argmax(axis=1)] != y[seen])
        left = len(np.unique(above[is_leaf])) / np.count_nonzero(is_leaf)
        found.append((float(error), float(left), price))
    return found
