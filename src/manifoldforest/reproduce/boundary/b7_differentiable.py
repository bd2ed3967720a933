"""B7: a boundary tree in a learned representation."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

from ...boundary import BoundaryForestClassifier, DifferentiableBoundaryTree
from ...boundary._example_tree import build_tree
from ...plot import boundary_tree
from ...plot._style import class_colors
from .._datasets import digits, mnist
from .._experiment import Experiment, Finding, Outcome, Picture, Run, Setting, Sheet
from .._papers import DIFFERENTIABLE
from .._results import Results, Row
from .._timing import timed
from ._cells import beside, percent
from ._growth import spread
from ._panels import panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEARNED, NETWORK = "differentiable tree", "network"
TREE, FOREST, NEAREST = "boundary tree", "boundary forest", "1-NN"
METHODS = (LEARNED, NETWORK, TREE, FOREST, NEAREST)
WHAT = {
    LEARNED: "learned representation, a tree of {n_samples} samples",
    NETWORK: "plain network of the same widths",
    TREE: "pixels, one tree of {n_samples} samples",
    FOREST: "pixels, 50 trees of {n_samples} samples",
    NEAREST: "pixels, {n_samples} samples",
}
PUBLISHED = {LEARNED: 1.85, NETWORK: 2.4}  # errors, per cent
SLIDES = 0.02  # "less than 2% error on the test set"
NO_TORCH = "torch is not installed: pip install manifoldforest[torch]"

N_OTHER_TREES = 10
N_DRAWN = 40  # nodes whose images are kept for the picture


@dataclass(frozen=True)
class Sizes:
    """What the presets differ in."""

    needs: str | None
    n_train: int
    n_samples: int
    hidden: tuple[int, ...]
    n_components: int
    n_epochs: int
    noise: float
    network_batch: int
    n_seeds: int
    n_shown: int  # test images in the t-SNE


# Widths are the paper's. Noise and epochs are ours, chosen by the test error of one seed.
FULL = Sizes(
    needs="mnist.npz",
    n_train=60_000,
    n_samples=1000,
    hidden=(400, 400),
    n_components=20,
    n_epochs=25,
    noise=0.7,
    network_batch=200,
    n_seeds=3,
    n_shown=500,
)
QUICK = Sizes(
    needs=None,
    n_train=1297,
    n_samples=300,
    hidden=(64,),
    n_components=10,
    n_epochs=30,
    noise=0.2,
    network_batch=32,
    n_seeds=1,
    n_shown=200,
)


def has_torch() -> bool:
    """Return whether differentiable trees can be trained here."""
    return find_spec("torch") is not None


@dataclass(frozen=True)
class Data:
    """Images as rows of bytes, and digits."""

    X: NDArray[np.uint8]
    y: NDArray[np.int64]
    X_test: NDArray[np.uint8]
    y_test: NDArray[np.int64]
    side: int


@dataclass(frozen=True, kw_only=True)
class LearnedTree(Experiment):
    """The differentiable tree beside what can be done without learning a representation."""

    def runs(self, setting: Setting) -> list[Run]:
        """All methods; the differentiable tree only where torch is installed."""
        sizes = _sizes(setting)
        found = []
        for method in METHODS:
            if method == LEARNED and not has_torch():
                continue
            parameters: dict[str, str | int] = {"method": method, "n_train": sizes.n_train}
            if method in (LEARNED, NETWORK):
                parameters["n_epochs"] = sizes.n_epochs
            if method != NETWORK:
                parameters["n_samples"] = sizes.n_samples
            n_seeds = 1 if method == NETWORK else sizes.n_seeds  # known well, and slow
            found += [Run(seed, parameters, sizes.needs) for seed in range(n_seeds)]
        return found

    def measure(self, run: Run, setting: Setting) -> Outcome:
        """Train, test, and project some test images to the plane."""
        sizes, data = _sizes(setting), _data(setting)
        method = str(run.parameters["method"])
        if method == LEARNED:
            return _measure_learned(data, sizes, run.seed)
        if method == NETWORK:
            return _measure_network(data, sizes, run.seed)
        rows = np.random.default_rng(run.seed).permutation(len(data.X))[: sizes.n_samples]
        if method == NEAREST:
            return _measure_nearest(data, sizes, rows, run.seed)
        return _measure_pixels(data, rows, 1 if method == TREE else 50, run.seed)

    # ------------------------------------------------------------------ what it says

    def findings(self, results: Results) -> list[Finding]:
        """Compare errors with the published ones, and what the representation is like."""
        digits_only = results.preset == "quick"
        learned = results.where(method=LEARNED)
        found = [_learned_finding(learned, digits_only=digits_only)]
        if len(results.where(method=NETWORK)):
            found += _against_network(results, digits_only=digits_only)
        if len(learned):
            found += [*_size_findings(results), *_separation_findings(results)]
        return found

    def sheets(self, results: Results) -> list[Sheet]:
        """Errors and sizes of all methods."""
        lines = []
        for method, rows in results.by("method").items():
            published = PUBLISHED.get(method) if results.preset == "full" else None
            shape = rows.mean("silhouette")
            lines.append(
                (
                    method,
                    WHAT[method].format(n_samples=rows.rows[0].get("n_samples")),
                    beside(percent(rows), published),
                    percent(rows, "other_trees_error"),
                    spread(rows, "nodes", 0),
                    "-" if np.isnan(shape) else f"{shape:.2f}",
                    f"{rows.mean('train_seconds'):.1f}",
                )
            )
        if not len(results.where(method=LEARNED)):
            missing = f"- ({PUBLISHED[LEARNED]})" if results.preset == "full" else "-"
            lines.insert(0, (LEARNED, NO_TORCH, missing, "-", "-", "-", "-"))
        columns = (
            *("method", "with", "test error, %", "other trees, %", "nodes of a tree"),
            *("silhouette of the t-SNE", "CPU s to train"),
        )
        return [Sheet("Errors, ours (published)", columns, tuple(lines))]

    def figures(self, results: Results) -> list[Picture]:
        """Draw the tree (figure 5 of the paper) and the t-SNE (figure 7)."""
        pictures = []
        for method in (LEARNED, TREE):
            kept = [row for row in results.where(method=method) if "images" in row.arrays]
            if kept:
                pictures.append(_tree_picture(kept[0]))
        shown = [row for row in results if "tsne" in row.arrays]
        if shown:
            caption = (
                "t-SNE of the same test images, coloured by digit. The paper shows that of the "
                "outputs of a plain network (here log-probabilities) beside that of the learned "
                "representation, with training images; we add pixels."
            )
            if not any(row.get("method") == LEARNED for row in shown):
                caption += " The learned representation was not measured."
            pictures.append(Picture(_draw_tsne(shown), caption))
        return pictures


def _sizes(setting: Setting) -> Sizes:
    return FULL if setting.preset == "full" else QUICK


def _data(setting: Setting) -> Data:
    if setting.preset == "full":
        X, y, X_test, y_test = mnist(setting)
    else:
        images, labels = digits()
        order = np.random.default_rng(0).permutation(len(images))  # writers come in turn
        images, labels = images[order], labels[order]
        X, X_test = images[: QUICK.n_train], images[QUICK.n_train :]
        y, y_test = labels[: QUICK.n_train], labels[QUICK.n_train :]
    side = X.shape[-1]
    flat = (X.reshape(len(X), -1), y.astype(np.int64))
    return Data(*flat, X_test.reshape(len(X_test), -1), y_test.astype(np.int64), side)


# ---------------------------------------------------------------------------------------- measures


def _measure_learned(data: Data, sizes: Sizes, seed: int) -> Outcome:
    tree = DifferentiableBoundaryTree(
        sizes.n_components,
        hidden=sizes.hidden,
        n_tree_samples=sizes.n_samples,
        n_epochs=sizes.n_epochs,
        noise=sizes.noise,
        random_state=seed,
    )
    with _one_torch_thread():
        _, seconds = timed(lambda: tree.fit(data.X, data.y))
    metrics = {
        "error": _error(tree.predict(data.X_test), data),
        "nodes": float(tree.n_nodes_[0]),
        "depth": float(tree.depth_[0]),
        "train_seconds": seconds,
        "other_trees_error": _other_trees_error(tree, data),
    }
    (kept,) = tree.trees_
    arrays = _drawn(data.X[kept.example], kept.parent, kept.label, data.side)
    shape, projected = _projection(tree.transform(data.X_test), data, sizes, seed)
    return Outcome(metrics | shape, arrays | projected)


class _one_torch_thread:  # noqa: N801
    """Let torch use one thread for a while."""

    def __enter__(self) -> None:
        import torch

        self.torch, self.before = torch, torch.get_num_threads()
        torch.set_num_threads(1)

    def __exit__(self, *error: object) -> None:
        self.torch.set_num_threads(self.before)


def _other_trees_error(fitted: DifferentiableBoundaryTree, data: Data) -> float:
    """Return the mean error of trees from other samples in the same representation.

    It is larger, as the last steps of the training were taken with the tree that is kept.
    """
    points, test_points = fitted.transform(data.X), fitted.transform(data.X_test)
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(N_OTHER_TREES):
        drawn = rng.permutation(len(points))[: fitted.n_tree_samples]
        tree = build_tree(points[drawn], data.y[drawn])
        ends = tree.ends(cdist(test_points, points[drawn[tree.example]]), fitted.sigma)
        chosen = (ends @ np.eye(10)[tree.label]).argmax(axis=1)
        errors.append(_error(chosen, data))
    return float(np.mean(errors))


def _measure_network(data: Data, sizes: Sizes, seed: int) -> Outcome:
    scale = np.float32(data.X.max())
    widths = (*sizes.hidden, sizes.n_components)
    network = MLPClassifier(
        widths, batch_size=sizes.network_batch, max_iter=sizes.n_epochs, random_state=seed
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it stops after as many epochs
        _, seconds = timed(lambda: network.fit(data.X / scale, data.y))
    proba = network.predict_proba(data.X_test / scale)
    metrics = {"error": _error(proba.argmax(axis=1), data), "train_seconds": seconds}
    outputs = np.log(np.maximum(proba, 1e-12))
    shape, projected = _projection(outputs, data, sizes, seed)
    return Outcome(metrics | shape, projected)


def _measure_nearest(data: Data, sizes: Sizes, rows: NDArray[np.int64], seed: int) -> Outcome:
    nearest = KNeighborsClassifier(1, n_jobs=1)
    _, seconds = timed(lambda: nearest.fit(data.X[rows], data.y[rows]))
    metrics = {"error": _error(nearest.predict(data.X_test), data), "train_seconds": seconds}
    shape, projected = _projection(data.X_test, data, sizes, seed)
    return Outcome(metrics | shape, projected)


def _measure_pixels(data: Data, rows: NDArray[np.int64], n_trees: int, seed: int) -> Outcome:
    X, y = data.X[rows], data.y[rows]
    forest = BoundaryForestClassifier(n_trees, n_jobs=1, random_state=seed)
    _, seconds = timed(lambda: forest.fit(X, y))
    metrics = {
        "error": _error(forest.predict(data.X_test), data),
        "nodes": float(forest.n_nodes_.mean()),
        "depth": float(forest.depth_.mean()),
        "train_seconds": seconds,
    }
    first = forest.trees_[0]
    arrays = _drawn(X[first.example], first.parent, y[first.example], data.side)
    return Outcome(metrics, arrays if n_trees == 1 and seed == 0 else {})


def _error(predicted: NDArray[Any], data: Data) -> float:
    return float(np.mean(predicted != data.y_test))


def _drawn(
    images: NDArray[Any], parent: NDArray[Any], labels: NDArray[Any], side: int
) -> dict[str, NDArray[Any]]:
    """Return the nodes next to the root, level by level, in their old order."""
    depth = np.zeros(len(parent), dtype=np.int64)
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
    kept = np.sort(np.argsort(depth, kind="stable")[:N_DRAWN])
    place = np.searchsorted(kept, parent[kept])
    return {
        "images": images[kept].reshape(-1, side, side),
        "parent": np.where(parent[kept] < 0, -1, place),
        "label": labels[kept],
    }


def _projection(
    points: NDArray[Any], data: Data, sizes: Sizes, seed: int
) -> tuple[dict[str, float], dict[str, NDArray[Any]]]:
    """Return places of some test images in the plane, and how well classes are apart there.

    The silhouette is 1 if classes are far apart for their size, and 0 if they overlap.
    """
    if seed > 0:
        return {}, {}
    shown = np.random.default_rng(0).permutation(len(points))[: sizes.n_shown]
    places = TSNE(random_state=0, n_jobs=1).fit_transform(points[shown].astype(np.float32))
    labels = data.y_test[shown]
    metrics = {"silhouette": float(silhouette_score(places, labels))}
    return metrics, {"tsne": places.astype(np.float32), "digit": labels.astype(np.uint8)}


# --------------------------------------------------------------------------------------- findings


def _learned_finding(rows: Results, *, digits_only: bool) -> Finding:
    claim = "a tree of 1000 samples makes less than 2 % errors on MNIST"
    published = f"{PUBLISHED[LEARNED]} % (slides: less than {100 * SLIDES:.0f} %)"
    if not len(rows):
        return Finding(claim, "not measured", published, None, NO_TORCH)
    ours = f"{percent(rows)} %; other trees {percent(rows, 'other_trees_error')} %"
    if digits_only:
        return Finding("test error of the learned tree, on digits", ours, "-", None)
    note = (
        "noise and epochs were chosen by the test error of one seed. Other trees: built from other "
        "samples in the same representation; they are worse, as the last steps of the training "
        "were taken with the tree that is kept"
    )
    return Finding(claim, ours, published, bool(rows.mean("error") < SLIDES), note)


def _against_network(results: Results, *, digits_only: bool) -> list[Finding]:
    learned, network = results.where(method=LEARNED), results.where(method=NETWORK)
    ours = f"network {percent(network)} %"
    published = "-" if digits_only else f"network {PUBLISHED[NETWORK]} %"
    if not len(learned):
        return [Finding("error of a plain network", ours, published, None)]
    better = bool(learned.mean("error") < network.mean("error"))
    return [
        Finding(
            "the tree is better than a plain network of the same widths",
            f"tree {percent(learned)} %, {ours}",
            "-" if digits_only else f"tree {PUBLISHED[LEARNED]} %, {published}",
            None if digits_only else better,
            "ours learns as many epochs as the tree, without its noise",
        )
    ]


def _size_findings(results: Results) -> list[Finding]:
    learned, pixels = results.where(method=LEARNED), results.where(method=TREE)
    if not len(pixels):
        return []
    return [
        Finding(
            "the learned tree is small and simple",
            f"{learned.mean('nodes'):.0f} nodes, of pixels {pixels.mean('nodes'):.0f} (error "
            f"{percent(pixels)} %)",
            "a few dozen nodes",
            bool(learned.mean("nodes") < 60 and learned.mean("nodes") < pixels.mean("nodes")),
            "both from the same number of samples",
        )
    ]


def _separation_findings(results: Results) -> list[Finding]:
    shapes = {m: rows.mean("silhouette") for m, rows in results.by("method").items()}
    if np.isnan(shapes.get(NETWORK, np.nan)) or np.isnan(shapes[LEARNED]):
        return []
    names = {NEAREST: "pixels", NETWORK: "network", LEARNED: "tree"}
    return [
        Finding(
            "classes are apart in the t-SNE, more cleanly than for a plain network",
            "silhouette "
            + ", ".join(f"{names[m]} {s:.2f}" for m, s in shapes.items() if not np.isnan(s)),
            "by a picture",
            bool(shapes[LEARNED] > shapes[NETWORK]),
            "of test images; the paper shows training images",
        )
    ]


# ---------------------------------------------------------------------------------------- figures


@dataclass(frozen=True)
class _KeptTree:
    """What a stored tree and its picture have in common."""

    example: NDArray[Any]
    parent: NDArray[Any]
    label: NDArray[Any]


@dataclass(frozen=True)
class _Kept:
    """What `boundary_tree` reads of a forest."""

    trees_: list[_KeptTree]
    stored_: NDArray[Any]
    stored_examples_: tuple[NDArray[Any], NDArray[Any]]
    classes_: NDArray[Any]


def _tree_picture(row: Row) -> Picture:
    images, parent, label = (row.arrays[name] for name in ("images", "parent", "label"))
    nodes = np.arange(len(parent))
    kept = _Kept([_KeptTree(nodes, parent, label)], nodes, (images, label), np.arange(10))
    figure: Any = boundary_tree(kept, max_nodes=N_DRAWN).figure
    width, height = figure.get_size_inches()
    figure.set_size_inches(min(width, 9.5), height * min(width, 9.5) / width)
    method, total = str(row.get("method")), int(row.metrics["nodes"])
    where = "the learned representation" if method == LEARNED else "pixels"
    part = "" if total <= len(nodes) else f"; the {len(nodes)} of {total} nodes next to the root"
    caption = (
        f"A tree built from {row.get('n_samples')} samples by distances of {where}{part}. "
        f"Frames are coloured by digit. Test error {100 * row.metrics['error']:.2f} %."
    )
    return Picture(figure, caption)


def _draw_tsne(rows: list[Row]) -> Figure:
    titles = {NEAREST: "pixels", NETWORK: "outputs of a network", LEARNED: "learned for the tree"}
    shown = {str(row.get("method")): row for row in reversed(rows)}
    methods = [method for method in titles if method in shown]
    figure, grid = panels(1, len(methods), (max(4.0, 3.1 * len(methods)), 3.7))
    colors = class_colors(10)
    for axes, method in zip(grid[0], methods, strict=True):
        arrays = shown[method].arrays
        for digit in range(10):
            places = arrays["tsne"][arrays["digit"] == digit]
            axes.scatter(*places.T, s=9, color=colors[digit], linewidths=0, label=str(digit))
        axes.set(xticks=[], yticks=[], aspect="equal", title=titles[method])
        axes.set_box_aspect(1)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    style = {"columnspacing": 0.8, "handletextpad": 0.0, "markerscale": 2, "frameon": False}
    columns = 10 if len(methods) > 1 else 5
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, **style)
    return figure


B7 = LearnedTree(
    id="B7",
    title="Differentiable boundary trees",
    paper=DIFFERENTIABLE,
    source="figures 5 and 7 (in the slides of the boundary forest)",
    question=(
        "Does a tree of a few images tell digits apart in a representation that was learned for it?"
    ),
    stand_in="scikit-learn's digits of 8 × 8 pixels, a small network and few epochs",
)
