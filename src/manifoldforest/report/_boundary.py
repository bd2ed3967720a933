"""What is known of boundary forests, differentiable boundary trees and indexes of points."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..boundary import BoundaryIndex, DifferentiableBoundaryTree
from ..boundary._base import BaseBoundaryForest
from ..boundary._neighbour_index import NeighbourIndex
from ..inspection._node_outcomes import small_percent
from ._content import Fact, Picture, Section
from ._parameters import parameters_section
from ._report import Report
from ._wording import count, listed, number_of, one_line, shape_text, size_in_bytes, spread

_NAMES = 200  # letters of names
_MAX_NODES = 24  # of a tree that are drawn


def boundary_forest_report(forest: BaseBoundaryForest) -> Report:
    """Return the report of a boundary forest for labels or numbers."""
    n_nodes, depth = forest.n_nodes_, forest.depth_
    n_stored, n_seen = len(forest.stored_), forest.n_seen_
    core = forest._learned.forest
    n_bytes = int(core.core.n_bytes())
    share = n_stored / n_seen if n_seen else 0.0
    size = [
        Fact("trees", len(n_nodes), count(len(n_nodes))),
        Fact("nodes", n_nodes.tolist(), _range(n_nodes), "nodes of a tree"),
        Fact("depth", depth.tolist(), _range(depth)),
        Fact("seen", n_seen, count(n_seen), "examples seen"),
        Fact("passes", forest.n_passes_, count(forest.n_passes_)),
        Fact(
            "stored",
            n_stored,
            f"{count(n_stored)}, {small_percent(share)} of those seen",
            "examples stored",
        ),
        Fact("bytes", n_bytes, size_in_bytes(n_bytes), "memory"),
    ]
    sections = [
        _boundary_data(forest, core.shape),
        parameters_section(forest, forest.get_params(deep=False)),
        Section("size", "Size", size),
        _growth_section(forest),
        _tree_section(forest, "One of the trees"),
    ]
    classes = getattr(forest, "classes_", None)
    aim = "" if classes is None else f", {number_of(len(classes), 'class', 'classes')}"
    summary = (
        f"{number_of(len(n_nodes), 'tree')}, {count(n_stored)} of "
        f"{number_of(n_seen, 'example')} stored{aim}"
    )
    top = [
        Fact("stored", n_stored, small_percent(share), "of examples stored"),
        Fact("trees", len(n_nodes), count(len(n_nodes))),
        Fact("depth", float(depth.mean()), f"{depth.mean():.1f}", "mean depth"),
        Fact("bytes", n_bytes, size_in_bytes(n_bytes), "memory"),
    ]
    return Report(type(forest).__name__, summary, top, sections)


def _range(numbers: Any) -> str:
    return spread(float(numbers.min()), float(numbers.max()), float(numbers.mean()))


def _boundary_data(forest: BaseBoundaryForest, shape: tuple[int, ...] | None) -> Section:
    facts = []
    if shape is None:
        facts.append(Fact("shape", None, "objects", "one example"))
    else:
        facts.append(Fact("shape", list(shape), shape_text(shape), "one example"))
    if (names := getattr(forest, "feature_names_in_", None)) is not None:
        words = [str(name) for name in names]
        facts.append(Fact("feature_names", words, listed(words, _NAMES), "features"))
    if (classes := getattr(forest, "classes_", None)) is not None:
        labels = [str(label) for label in classes]
        facts.append(Fact("classes", labels, listed(labels, _NAMES)))
    if getattr(forest, "embedding_", None) is not None:
        text = one_line(repr(forest.embedding_), _NAMES)
        facts.append(Fact("embedding", text, text))
    return Section("data", "Data", facts)


def _growth_section(forest: BaseBoundaryForest) -> Section:
    title = "Growth"
    if forest.n_passes_ > 1:
        note = "When nodes were added is not known after more than one pass: fit with passes=1."
        return Section("growth", title, notes=[note])
    picture = Picture(
        "The number of nodes of each tree over the number of examples that it has seen, on "
        "logarithmic scales.",
        "Nodes over examples seen. Trees keep only the examples that they would have got wrong.",
        partial(_draw_growth, forest),
    )
    kept = [np.sort(tree.example) for tree in forest.trees_]
    steps = [n for n in _steps(forest.n_seen_) if n >= len(kept)] or [forest.n_seen_]
    means = [float(np.mean([np.searchsorted(tree, n) for tree in kept])) for n in steps]
    facts = [
        Fact(f"nodes_at_{n}", mean, f"{mean:.1f} nodes per tree", f"after {count(n)} examples")
        for n, mean in zip(steps, means, strict=True)
    ]
    return Section("growth", title, facts, pictures=[picture])


def _steps(n_seen: int) -> list[int]:
    """Return powers of ten up to a number, and the number itself."""
    steps, step = [], 10
    while step < n_seen:
        steps.append(step)
        step *= 10
    return [*steps, n_seen]


def _draw_growth(forest: Any, axes: Any) -> None:
    from ..plot import boundary_growth

    boundary_growth(forest, axes)


def _tree_section(forest: Any, title: str) -> Section:
    from ..plot._boundary_tree import boundary_tree_size, is_colour_image

    tree = forest.trees_[0]
    stored = forest.stored_examples_[0]
    shape = stored.shape[1:] if hasattr(stored, "shape") else ()
    n_drawn = min(len(tree), _MAX_NODES)
    caption = f"Examples that the first tree stores, {n_drawn} of {count(len(tree))}."
    across, down = boundary_tree_size(forest, _MAX_NODES)
    inch = min(0.8, 9.6 / across)
    picture = Picture(
        f"{caption} Each was stored below the example that it was taken for.",
        f"{caption} Each was stored because the tree would have taken it for the one above it.",
        partial(_draw_boundary_tree, forest),
        (inch * across, inch * down + 0.4),
        wide=True,
        is_bare=True,
        natural=is_colour_image(shape),
    )
    return Section(
        "tree", title, pictures=[picture], data={"nodes": len(tree), "depth": tree.depth}
    )


def _draw_boundary_tree(forest: Any, axes: Any) -> None:
    from ..plot import boundary_tree

    boundary_tree(forest, axes, max_nodes=_MAX_NODES).set_title("")


# ------------------------------------------------------------------------------- indexes


def index_report(index: NeighbourIndex[Any]) -> Report:
    """Return the report of an index of points."""
    storage = index._storage
    n = 0 if storage is None else len(storage)
    facts = [Fact("points", n, count(n))]
    shape = None if storage is None else storage.shape
    if storage is not None:
        text = "objects" if shape is None else shape_text(shape)
        facts.append(Fact("shape", None if shape is None else list(shape), text, "one point"))
        ids = storage.ids
        low, high = int(ids.min()), int(ids.max())
        facts.append(Fact("ids", [low, high], f"{low} to {high}"))
    names = [name for name in ("n_estimators", "max_children") if hasattr(index, name)]
    params = {name: getattr(index, name) for name in (*names, "metric", "embedding")}
    sections = [Section("data", "Data", facts), parameters_section(index, params)]
    top = [Fact("points", n, count(n))]
    if isinstance(index, BoundaryIndex) and storage is not None:
        n_nodes, depth = storage.n_nodes, storage.depths
        n_bytes = int(storage.core.n_bytes())
        size = [
            Fact("trees", len(n_nodes), count(len(n_nodes))),
            Fact("nodes", n_nodes.tolist(), _range(n_nodes), "nodes of a tree"),
            Fact("depth", depth.tolist(), _range(depth)),
            Fact("bytes", n_bytes, size_in_bytes(n_bytes), "memory"),
        ]
        sections.append(Section("size", "Size", size))
        top += [
            Fact("trees", len(n_nodes), count(len(n_nodes))),
            Fact("depth", float(depth.mean()), f"{depth.mean():.1f}", "mean depth"),
            Fact("bytes", n_bytes, size_in_bytes(n_bytes), "memory"),
        ]
    of_shape = "" if shape is None else f" of {shape_text(shape)} numbers"
    metric = one_line(params["metric"], 60)
    summary = f"{number_of(n, 'point')}{of_shape}, metric {metric}"
    return Report(type(index).__name__, summary, top, sections)


# ------------------------------------------------------------------------------- differentiable


def differentiable_tree_report(tree: DifferentiableBoundaryTree) -> Report:
    """Return the report of a differentiable boundary tree."""
    n_nodes, n_classes = int(tree.n_nodes_[0]), len(tree.classes_)
    labels = [str(label) for label in tree.classes_]
    n_weights = sum(weights.size + bias.size for weights, bias in tree.layers_)
    widths = [tree.n_features_in_, *(len(bias) for _, bias in tree.layers_)]
    data = [
        Fact("shape", list(tree.feature_shape_), shape_text(tree.feature_shape_), "one example"),
        Fact("classes", labels, listed(labels, _NAMES)),
    ]
    size = [
        Fact("nodes", n_nodes, count(n_nodes)),
        Fact("depth", int(tree.depth_[0]), count(int(tree.depth_[0]))),
        Fact("layers", widths, " → ".join(map(str, widths)), "widths of the network"),
        Fact("weights", n_weights, count(n_weights), "weights of the network"),
    ]
    losses = np.asarray(tree.loss_curve_)
    training = Section(
        "training",
        "Training",
        [
            Fact("epochs", len(losses), count(len(losses))),
            Fact("loss", float(losses[-1]), f"{losses[-1]:.4g}", "loss in the last epoch"),
        ],
        pictures=[
            Picture(
                f"The mean negative log-likelihood in each of {count(len(losses))} epochs.",
                "Mean negative log-likelihood of the examples, epoch by epoch.",
                partial(_draw_losses, losses),
            )
        ],
        data={"curve": losses},
    )
    sections = [
        Section("data", "Data", data),
        parameters_section(tree, tree.get_params(deep=False)),
        Section("size", "Size", size),
        training,
        _tree_section(tree, "The tree"),
    ]
    summary = (
        f"a tree of {number_of(n_nodes, 'example')} in {widths[-1]} learned dimensions, for "
        f"{number_of(n_classes, 'class', 'classes')}"
    )
    return Report(type(tree).__name__, summary, size[:2], sections)


def _draw_losses(losses: Any, axes: Any) -> None:
    from ..plot import COLORS

    axes.plot(np.arange(1, len(losses) + 1), losses, color=COLORS["SPORF"], linewidth=1.6)
    axes.set(xlabel="epoch", ylabel="mean negative log-likelihood")
    axes.spines[["top", "right"]].set_visible(False)
