"""B7: a boundary tree in a learned representation, beside trees in that of pixels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

import manifoldforest as mf

from ..datasets import Array, Split
from ..drawing import panels
from ..experiment import (
    Finding,
    Outcome,
    Picture,
    Run,
    Setting,
    Sheet,
    Sized,
    one_torch_thread,
    timed,
)
from ..registry import DIFFERENTIABLE
from ..results import Results, Row, beside
from .classification import DIGITS_STAND_IN, MNIST, flat_digits
from .tables import listed, percent, spread

LEARNED, NETWORK = "differentiable tree", "network"
TREE, FOREST, NEAREST = "boundary tree", "boundary forest", "1-NN"
WITH = {
    LEARNED: "learned representation, a tree of {n_samples} samples",
    NETWORK: "plain network of the same widths",
    TREE: "pixels, one tree of {n_samples} samples",
    FOREST: "pixels, 50 trees of {n_samples} samples",
    NEAREST: "pixels, {n_samples} samples",
}
PUBLISHED = {LEARNED: 1.85, NETWORK: 2.4}  # errors in per cent
SLIDES = 0.02  # "less than 2% error on the test set"
NEEDS_TORCH = "needs torch: pip install '.[torch]'"
# representations of test images that are shown in the plane
SHOWN = {NEAREST: "pixels", NETWORK: "outputs of a network", LEARNED: "learned for the tree"}
N_OTHER_TREES = 10
N_DRAWN = 40  # nodes whose images are kept


@dataclass(frozen=True)
class LearnedSize:
    """What the presets differ in."""

    tree: mf.DifferentiableBoundaryTree  # not fitted
    n_train: int
    network_batch: int
    n_seeds: int
    n_shown: int  # test images in the plane


class LearnedTree(Sized[LearnedSize]):
    """The differentiable tree beside what can be done without learning a representation."""

    def runs(self, setting: Setting) -> list[Run]:
        size, found = self.size(setting), []
        for method in WITH:
            parameters: dict[str, str | int] = {"method": method, "n_train": size.n_train}
            if method in (LEARNED, NETWORK):
                parameters["n_epochs"] = size.tree.n_epochs or 0
            if method != NETWORK:
                parameters["n_samples"] = size.tree.n_tree_samples
            n_seeds = 1 if method == NETWORK else size.n_seeds  # known well, and slow
            needs = MNIST[setting.preset], "torch" if method == LEARNED else None
            found += [Run(seed, parameters, *needs) for seed in range(n_seeds)]
        return found

    def measure(self, run: Run, setting: Setting) -> Outcome:
        size, method = self.size(setting), str(run.parameters["method"])
        data = flat_digits(setting, size.n_train)
        X, y, X_test, y_test = data
        if method == NETWORK:
            scale = np.float32(X.max())
            X, X_test = X / scale, X_test / scale
        elif method != LEARNED:
            order = np.random.default_rng(run.seed).permutation(len(X))
            X, y = X[order[: size.tree.n_tree_samples]], y[order[: size.tree.n_tree_samples]]
        model = _model(method, size, run.seed)
        one_thread = one_torch_thread() if method == LEARNED else nullcontext()
        with one_thread, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # after as many epochs as told
            _, seconds = timed(lambda: model.fit(X, y))
        error = float(np.mean(model.predict(X_test) != y_test))
        metrics = {"error": error, "train_seconds": seconds}
        arrays: dict[str, Array] = {}
        if hasattr(model, "trees_"):
            metrics |= {"nodes": float(model.n_nodes_.mean()), "depth": float(model.depth_.mean())}
        if method == LEARNED:
            metrics["other_trees_error"] = other_trees_error(model, data)
        if method == LEARNED or (method == TREE and run.seed == 0):
            (tree,) = model.trees_
            arrays |= nodes_near_root(X[tree.example], tree.parent, tree.label)
        if method in SHOWN and run.seed == 0:
            shown = np.random.default_rng(0).permutation(len(X_test))[: size.n_shown]
            points = X_test
            if method == LEARNED:
                points = model.transform(X_test)
            elif method == NETWORK:
                points = np.log(np.maximum(model.predict_proba(X_test), 1e-12))
            places = TSNE(random_state=0, n_jobs=1).fit_transform(points[shown].astype(np.float32))
            # 1 if classes are far apart for their size, and 0 if they overlap
            metrics["silhouette"] = float(silhouette_score(places, y_test[shown]))
            arrays |= {"tsne": places.astype(np.float32), "digit": y_test[shown].astype(np.uint8)}
        return Outcome(metrics, arrays)

    def findings(self, results: Results) -> list[Finding]:
        """Compare errors with the published ones, and what the representation is like."""
        return [*_errors(results), *_shape(results)]

    def sheets(self, results: Results) -> list[Sheet]:
        """Errors and sizes of all methods."""
        published = PUBLISHED if results.preset == "full" else {}
        lines = []
        if not len(results.where(method=LEARNED)):
            missing = beside("-", published.get(LEARNED))
            lines.append((LEARNED, f"not measured; {NEEDS_TORCH}", missing, "-", "-", "-", "-"))
        for method, rows in results.by("method").items():
            what = WITH[method].format(n_samples=rows.rows[0].get("n_samples"))
            error = beside(percent(rows), published.get(method))
            trees = (percent(rows, "other_trees_error"), spread(rows, "nodes"))
            plane, seconds = spread(rows, "silhouette", 2), f"{rows.mean('train_seconds'):.1f}"
            lines.append((method, what, error, *trees, plane, seconds))
        columns = ("method", "with", "test error, %", "other trees, %", "nodes of a tree")
        rest = ("silhouette of the t-SNE", "CPU s to train")
        return [Sheet("Errors, ours (published)", (*columns, *rest), tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Draw the tree (figure 5 of the paper) and the t-SNE (figure 7)."""
        pictures = []
        for method in (LEARNED, TREE):
            kept = [row for row in results.where(method=method) if "images" in row.arrays]
            pictures += [_draw_tree(row) for row in kept[:1]]
        shown = [row for row in results if "tsne" in row.arrays]
        return [*pictures, _draw_tsne(shown)] if shown else pictures


def _model(method: str, size: LearnedSize, seed: int) -> Any:
    if method == LEARNED:
        return clone(size.tree).set_params(random_state=seed)
    if method == NETWORK:
        widths = (*size.tree.hidden, size.tree.n_components)
        given: dict[str, Any] = {"batch_size": size.network_batch, "max_iter": size.tree.n_epochs}
        return MLPClassifier(widths, random_state=seed, **given)
    if method == NEAREST:
        return KNeighborsClassifier(1, n_jobs=1)
    return mf.BoundaryForestClassifier(1 if method == TREE else 50, n_jobs=1, random_state=seed)


def other_trees_error(fitted: mf.DifferentiableBoundaryTree, data: Split) -> float:
    """Return the mean error of trees from other samples in the same representation."""
    X, y, X_test, y_test = data
    points, test_points = fitted.transform(X), fitted.transform(X_test)
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(N_OTHER_TREES):
        drawn = rng.permutation(len(points))[: fitted.n_tree_samples]
        forest = mf.BoundaryForestClassifier(1, max_children=len(drawn), n_jobs=1)
        (tree,) = forest.fit(points[drawn], y[drawn]).trees_
        kept = drawn[tree.example]
        ends = random_walk_ends(tree, cdist(test_points, points[kept]) / fitted.sigma)
        errors.append(np.mean((ends @ np.eye(10)[y[kept]]).argmax(axis=1) != y_test))
    return float(np.mean(errors))


def random_walk_ends(tree: mf.boundary.BoundaryTree, distances: Array) -> Array:
    """Return the probabilities of nodes to be the end of a random walk, one row for each query.

    A walk goes on from a node to one of its children, or stays, with probabilities that fall
    exponentially with the distances of these nodes from the query.
    """
    reached = np.ones(distances.shape)
    for node in range(len(tree)):  # parents before children
        options = np.append(np.flatnonzero(tree.parent == node), node)
        near = distances[:, options]
        weights = np.exp(near.min(axis=1, keepdims=True) - near)
        reached[:, options] = reached[:, [node]] * weights / weights.sum(axis=1, keepdims=True)
    return reached


def nodes_near_root(images: Array, parent: Array, labels: Array) -> dict[str, Array]:
    """Return the nodes next to the root, level by level, in their old order."""
    depth = np.zeros(len(parent), dtype=np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    kept = np.sort(np.argsort(depth, kind="stable")[:N_DRAWN])
    place = np.searchsorted(kept, parent[kept])
    side = round(images.shape[1] ** 0.5)
    return {
        "images": images[kept].reshape(-1, side, side),
        "parent": np.where(parent[kept] < 0, -1, place),
        "label": labels[kept],
    }


def _errors(results: Results) -> Iterator[Finding]:
    learned, network = results.where(method=LEARNED), results.where(method=NETWORK)
    full = results.preset == "full"  # else data are a stand-in: published errors mean nothing
    claim = "a tree of 1000 samples makes less than 2 % errors on MNIST"
    published = f"{PUBLISHED[LEARNED]} % (slides: less than {100 * SLIDES:.0f} %)"
    ours = f"{percent(learned)} %; other trees {percent(learned, 'other_trees_error')} %"
    note = (
        "noise and epochs were chosen by the test error of one seed. Other trees: built from other "
        "samples in the same representation; they are worse, as the last steps of the training "
        "were taken with the tree that is kept"
    )
    if not len(learned):
        yield Finding(claim, "not measured", published, None, NEEDS_TORCH)
    elif full:
        yield Finding(claim, ours, published, bool(learned.mean("error") < SLIDES), note)
    else:
        yield Finding("test error of the learned tree, on digits", ours, "-", None)
    ours, published = f"network {percent(network)} %", f"network {PUBLISHED[NETWORK]} %"
    if len(learned) and len(network):
        yield Finding(
            "the tree is better than a plain network of the same widths",
            f"tree {percent(learned)} %, {ours}",
            f"tree {PUBLISHED[LEARNED]} %, {published}" if full else "-",
            bool(learned.mean("error") < network.mean("error")) if full else None,
            "ours learns as many epochs as the tree, without its noise",
        )
    elif len(network):
        yield Finding("error of a plain network", ours, published if full else "-", None)


def _shape(results: Results) -> Iterator[Finding]:
    """Say how small the learned tree is, and how far apart classes are in its representation."""
    learned, pixels = results.where(method=LEARNED), results.where(method=TREE)
    if len(learned) and len(pixels):
        nodes, of_pixels = learned.mean("nodes"), pixels.mean("nodes")
        yield Finding(
            "the learned tree is small and simple",
            f"{nodes:.0f} nodes, of pixels {of_pixels:.0f} (error {percent(pixels)} %)",
            "a few dozen nodes",
            bool(nodes < 60 and nodes < of_pixels),
            "both from the same number of samples",
        )
    names = {NEAREST: "pixels", NETWORK: "network", LEARNED: "tree"}
    means = {method: rows.mean("silhouette") for method, rows in results.by("method").items()}
    apart = {names[method]: mean for method, mean in means.items() if not np.isnan(mean)}
    if {"network", "tree"} <= apart.keys():
        yield Finding(
            "classes are apart in the t-SNE, more cleanly than for a plain network",
            f"silhouette {listed(apart)}",
            "by a picture",
            bool(apart["tree"] > apart["network"]),
            "of test images; the paper shows training images",
        )


def _draw_tree(row: Row) -> Picture:
    """Draw the stored nodes of a tree with their images."""
    images, parent, label = (row.arrays[name] for name in ("images", "parent", "label"))
    nodes = np.arange(len(parent))
    forest = SimpleNamespace(  # what `boundary_tree` reads of one
        trees_=[SimpleNamespace(example=nodes, parent=parent, label=label)],
        stored_=nodes,
        stored_examples_=(images, label),
        classes_=np.arange(10),
    )
    figure: Any = mf.plot.boundary_tree(forest, max_nodes=N_DRAWN).figure
    width, height = figure.get_size_inches()
    figure.set_size_inches(min(width, 9.5), height * min(width, 9.5) / width)
    total = int(row.metrics["nodes"])
    where = "the learned representation" if row.get("method") == LEARNED else "pixels"
    part = "" if total <= len(nodes) else f"; the {len(nodes)} of {total} nodes next to the root"
    caption = (
        f"A tree built from {row.get('n_samples')} samples by distances of {where}{part}. "
        f"Frames are coloured by digit. Test error {100 * row.metrics['error']:.2f} %."
    )
    return Picture(figure, caption)


def _draw_tsne(rows: list[Row]) -> Picture:
    """Draw test images in the plane, a panel for each representation."""
    shown = {str(row.get("method")): row for row in reversed(rows)}
    methods = [method for method in SHOWN if method in shown]
    figure, grid = panels(1, len(methods), (max(4.0, 3.1 * len(methods)), 3.7))
    for axes, method in zip(grid[0], methods, strict=True):
        arrays = shown[method].arrays
        for digit, color in enumerate(mf.plot.class_colors(10)):
            places = arrays["tsne"][arrays["digit"] == digit]
            axes.scatter(*places.T, s=9, color=color, linewidths=0, label=str(digit))
        axes.set(xticks=[], yticks=[], aspect="equal", title=SHOWN[method])
        axes.set_box_aspect(1)
    style: dict[str, Any] = {"columnspacing": 0.8, "handletextpad": 0.0, "markerscale": 2}
    style |= {"loc": "outside lower center", "ncols": 10 if len(methods) > 1 else 5}
    figure.legend(*grid[0, 0].get_legend_handles_labels(), frameon=False, **style)
    caption = (
        "t-SNE of the same test images, coloured by digit. The paper shows that of the outputs of "
        "a plain network (here log-probabilities) beside that of the learned representation, with "
        "training images; we add pixels."
    )
    if LEARNED not in methods:
        caption += " The learned representation was not measured."
    return Picture(figure, caption)


# Widths are the paper's. Noise and epochs are ours, chosen by the test error of one seed.
LARGE = mf.DifferentiableBoundaryTree(
    20, hidden=(400, 400), n_tree_samples=1000, n_epochs=25, noise=0.7
)
SMALL = mf.DifferentiableBoundaryTree(10, hidden=(64,), n_tree_samples=300, n_epochs=30, noise=0.2)
B7 = LearnedTree(
    id="B7",
    title="Differentiable boundary trees",
    paper=DIFFERENTIABLE,
    source="figures 5 and 7 (in the slides of the boundary forest)",
    question=(
        "Does a tree of a few images tell digits apart in a representation that was learned for it?"
    ),
    stand_in=f"{DIGITS_STAND_IN}, a small network and few epochs",
    full=LearnedSize(LARGE, n_train=60_000, network_batch=200, n_seeds=3, n_shown=500),
    quick=LearnedSize(SMALL, n_train=1297, network_batch=32, n_seeds=1, n_shown=200),
)
