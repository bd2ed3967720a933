"""What is known of every forest of trees: its data, its size, what its splits look at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..forests._fitted_forest import FittedForest
from ..forests._forest_model import ForestModel
from ..inspection._atoms import RankedAtom, atom_of, leading_atoms
from ..inspection._node_outcomes import outcomes_of, small_percent, weight_text
from ..projections import NAMES, as_projection
from ._content import Fact, Picture, Section, Table
from ._parameters import parameters_section
from ._wording import count, listed, number_of, one_line, shape_text, size_in_bytes, spread

_N_FEATURES = 15  # in the table of importances
_N_ATOMS = 12
_TEXT_DEPTH = 3  # of the tree
_MAX_TERMS = 8  # of a sum that is written
_WIDTH = 9.6  # inches of a picture that takes a whole page
_NAMES = 200  # letters of names of features or classes


def data_section(forest: FittedForest) -> Section:
    """Return what the forest has learned from."""
    shape, n_features = forest.feature_shape_, forest.n_features_in_
    facts = [Fact("rows", forest._model.n_rows, count(forest._model.n_rows), "training rows")]
    text = number_of(n_features, "feature")
    if len(shape) > 1:
        text = f"{shape_text(shape)} ({text})"
    facts.append(Fact("shape", list(shape), text, "one example"))
    if (names := getattr(forest, "feature_names_in_", None)) is not None:
        shown = listed([str(name) for name in names], _NAMES)
        facts.append(Fact("feature_names", list(map(str, names)), shown, "features"))
    output = forest._describe_target()
    per_output = getattr(forest, "_classes_by_output", [])
    if len(per_output) != 1 and not hasattr(forest, "space_"):
        facts.append(Fact("output", output, output))
    for place, classes in enumerate(per_output):
        name = "classes" if forest.n_outputs_ == 1 else f"classes of output {place}"
        labels = [str(label) for label in classes]
        facts.append(Fact(name.replace(" ", "_"), labels, listed(labels, _NAMES), name))
    return Section("data", "Data", facts, data={"output": output})


def forest_parameters_section(forest: FittedForest) -> Section:
    """Return the parameters, and what became of those that depend on the data."""
    projection = one_line(repr(forest.projection_), _NAMES)
    candidates = forest.max_features_
    facts = []
    if not _is_projection_in_use(forest.projection, forest):
        facts.append(Fact("projection_", projection, projection, "projection in use"))
    facts.append(
        Fact(
            "candidates",
            candidates,
            "the best of " + number_of(candidates, "candidate") + " per node",
            "splits",
        )
    )
    if grids := forest.projection_._grids(forest.feature_shape_):
        facts.append(Fact("grid", grids, "; ".join(grids)))
    return parameters_section(forest, forest.get_params(deep=False), facts)


def _is_projection_in_use(given: Any, forest: FittedForest) -> bool:
    """Whether the parameter, which may have been changed since, says what the forest uses."""
    if isinstance(given, str) and given in NAMES:
        given = as_projection(given)
    return bool(given == forest.projection_)


def size_section(forest: FittedForest) -> Section:
    """Return how large the forest is."""
    model = forest._model
    trees = model.trees
    n_leaves = int((trees["left"] == 0).sum())
    depth = np.maximum.reduceat(trees.depths(), trees["tree_offsets"][:-1])
    n_bytes = memory_of(model)
    depths = {"min": depth.min(), "max": depth.max(), "mean": depth.mean()}
    facts = [
        Fact("trees", trees.n_trees, count(trees.n_trees)),
        Fact("nodes", trees.n_nodes, f"{count(trees.n_nodes)}, of which {count(n_leaves)} leaves"),
        Fact("depth", depths, spread(depth.min(), depth.max(), depth.mean())),
        Fact("bytes", n_bytes, size_in_bytes(n_bytes), "memory"),
    ]
    if model.record is not None:
        kept = model.record.n_rows
        text = f"the leaves of {number_of(kept, 'training row')}"
        facts.append(Fact("rows_kept", kept, text, "remembers"))
    return Section("size", "Size", facts, data={"leaves": n_leaves})


def memory_of(model: ForestModel) -> int:
    """Return how many bytes the arrays of a forest take."""
    arrays: list[NDArray[Any]] = [*model.trees.arrays.values(), *model.geometry.dictionary]
    if model.record is not None:
        arrays += [model.record.total_weight, model.record.row_weight]
        arrays += [] if model.record.y is None else [model.record.y]
    return sum(array.nbytes for array in arrays)


# ------------------------------------------------------------------------------- importance


def importance_section(forest: FittedForest) -> Section:
    """Return how much features matter, in the shape of the data."""
    gain, usage = forest.feature_importances_, forest.feature_usage_
    data = {"gain": gain, "usage": usage} if gain.size <= 10_000 else {}
    title = "Importance"
    if not gain.any():
        return Section("importance", title, notes=["No tree has a split."], data=data)
    facts = []
    if gain.size > 1:
        n_half = int(np.searchsorted(np.cumsum(np.sort(gain, axis=None)[::-1]), 0.5)) + 1
        text = f"{number_of(n_half, 'feature')} of {count(gain.size)}"
        facts.append(Fact("n_half", n_half, text, "half of the gain by"))
    order = np.argsort(-gain, axis=None, kind="stable")[:_N_FEATURES]
    largest = float(gain.flat[order[0]])
    table = Table(
        "Features by the gain of their splits",
        ("feature", "gain", "usage"),
        [
            (
                _feature_name(forest, int(i)),
                small_percent(gain.flat[i]),
                small_percent(usage.flat[i]),
            )
            for i in order
            if gain.flat[i] > 0
        ],
        [gain.flat[i] / largest for i in order if gain.flat[i] > 0],
    )
    pictures = _importance_pictures(forest)
    if pictures:
        table = replace(table, rows=table.rows[:5], bars=table.bars[:5], is_drawn=True)
    notes = [
        "Gain is the mean decrease of impurity by splits on the feature, usage its share in all "
        "uses of features by splits. Both were found on training rows; "
        "forest.permutation_importance(X, y, held_out=True) tells what new examples would lose."
        if hasattr(forest, "permutation_importance")
        else "Gain is the mean decrease of the loss by splits on the feature, usage its share in "
        "all uses of features by splits. Both were found on training rows."
    ]
    return Section("importance", title, facts, [table], pictures, notes=notes, data=data)


def _feature_name(forest: FittedForest, feature: int) -> str:
    """Return the name of a feature, or its place in an example."""
    given = getattr(forest, "feature_names_in_", None)
    if given is not None:
        return str(given[feature])
    place = np.unravel_index(feature, forest.feature_shape_)
    return f"x[{', '.join(str(int(index)) for index in place)}]"


def _lies_on_grid(forest: FittedForest) -> bool:
    """Whether the places of features mean something."""
    model = forest._model
    return len(forest.feature_shape_) > 1 or bool(model.geometry.grids) or model.bank is not None


def _importance_pictures(forest: FittedForest) -> list[Picture]:
    """Return maps of images and curves of series; tables have none."""
    pictures = []
    if _lies_on_grid(forest) and _can_be_drawn(forest):
        pictures.append(
            Picture(
                "The share of each feature in the gain of all splits, drawn where features lie.",
                "Gain of splits, by the place of the features that they look at.",
                partial(_draw_importance, forest),
                (4.2, 3.4),
            )
        )
    by_view = forest.view_importances_
    for number, (kind, _, _) in enumerate(forest._model.geometry.views):
        gains = by_view[number]
        if gains.any() and gains.ndim <= 3:
            pictures.append(
                Picture(
                    f"The share of each cell of the view {kind} in the gain of all splits.",
                    f"Gain of splits, by the cells of the view {kind}"
                    + (", one picture for each orientation." if kind == "gradients" else "."),
                    partial(_draw_view, forest, number),
                    (9.0, 2.6 if gains.ndim == 3 and len(gains) > 8 else 1.7),
                    wide=True,
                )
            )
    return pictures


def _can_be_drawn(forest: FittedForest) -> bool:
    """Whether examples are curves or images, perhaps with channels."""
    from ..plot._importance import drawable

    return drawable(forest)


def _draw_importance(forest: FittedForest, axes: Any) -> None:
    from ..plot import importance_map

    importance_map(forest, axes, kind="gain", colorbar=True)
    if not axes.images:
        axes.set(xlabel="place", ylabel="share of the gain")
        axes.spines[["top", "right"]].set_visible(False)


def _draw_view(forest: FittedForest, number: int, axes: Any) -> None:
    from ..plot import view_map

    figure = axes.figure
    axes.remove()
    gains = forest.view_importances_[number]
    kind = forest._model.geometry.views[number][0]
    n_panels = n_channels(gains, kind)
    down = -(-n_panels // 8)
    panels = figure.subplots(down, -(-n_panels // down), squeeze=False).ravel()
    for unused in panels[n_panels:]:
        unused.remove()
    view_map(forest, ax=panels[:n_panels], view=number)


def n_channels(gains: NDArray[Any], kind: str) -> int:
    """Return how many panels the cells of a view take."""
    from ..plot._view_map import by_channel

    return len(by_channel(gains, kind)[0])


# ------------------------------------------------------------------------------- splits


def atoms_section(forest: FittedForest) -> Section | None:
    """Return what splits look at most; None if that is the same as the importance of features."""
    model = forest._model
    ranked = leading_atoms(model, _N_ATOMS)
    is_picture = all(_is_picture(model, atom.tree, atom.node) for atom in ranked)
    if not ranked or (not is_picture and splits_on_single_features(model)):
        return None
    names = getattr(forest, "feature_names_in_", None)
    own = None if names is None else [str(name) for name in names]
    texts = [_atom_text(model, atom.tree, atom.node, own) for atom in ranked]
    largest = max(atom.share for atom in ranked) or 1.0
    table = Table(
        "Atoms by the gain of their splits",
        ("atom", "gain", "splits"),
        [
            (text, small_percent(atom.share), count(atom.n_splits))
            for text, atom in zip(texts, ranked, strict=True)
        ],
        [atom.share / largest for atom in ranked],
    )
    data = [
        {"text": text, "gain": atom.share, "splits": atom.n_splits}
        for text, atom in zip(texts, ranked, strict=True)
    ]
    pictures = []
    if is_picture:
        table = replace(table, rows=table.rows[:5], bars=table.bars[:5], is_drawn=True)
        pictures = [
            Picture(
                f"The {len(ranked)} atoms whose splits gain most, on the grid of the features: "
                + "; ".join(texts[:3]),
                "What splits look at most: features that are added are blue, features that are "
                "subtracted orange.",
                partial(_draw_atoms, forest),
                _atoms_size(model, ranked),
                wide=True,
                is_bare=True,
            )
        ]
    return Section(
        "atoms",
        "What splits look at",
        tables=[table],
        pictures=pictures,
        data={"atoms": data},
    )


def _is_picture(model: ForestModel, tree: int, node: int) -> bool:
    from ..plot._atoms import picture_of_split

    return picture_of_split(model, tree, node) is not None


def splits_on_single_features(model: ForestModel) -> bool:
    """Whether every split of a forest looks at one feature, as it is."""
    trees = model.trees
    splits = trees["left"] > 0
    if model.bank is not None:
        return False
    single = (np.diff(trees["atom_offsets"]) == 1) & (np.diff(trees["weight_offsets"]) == 1)
    # one number and one weight: a sparse atom
    return bool(single[splits].all() and (trees["atom_weights"] == 1).all())


def _atoms_size(model: ForestModel, ranked: list[RankedAtom]) -> tuple[float, float]:
    """Return the size of the picture of atoms, in inches."""
    from ..plot._atoms import mosaic_size, picture_of_split

    pictures = [picture_of_split(model, atom.tree, atom.node) for atom in ranked]
    across, down = mosaic_size([picture for picture in pictures if picture is not None], 6)
    inch = min(1.5, _WIDTH / across)
    return inch * across, inch * down + 0.1


def _draw_atoms(forest: FittedForest, axes: Any) -> None:
    from ..plot import atoms

    atoms(forest, _N_ATOMS, axes).set_title("")


def _atom_text(model: ForestModel, tree: int, node: int, names: list[str] | None) -> str:
    """Return an atom in words: a patch by its places, a sum by its summands."""
    atom = atom_of(model, tree, node)
    if atom.is_patch:
        return model.atom_text(tree, node)
    terms = atom.terms(names)
    if len(terms) > _MAX_TERMS:
        terms = [*terms[:_MAX_TERMS], f"+ … ({len(terms) - _MAX_TERMS} more)"]
    return " ".join(terms)


def tree_section(forest: FittedForest) -> Section:
    """Return one tree: its first levels as a picture, and as text."""
    model = forest._model
    view = model.tree_view(0)
    names = getattr(forest, "feature_names_in_", None)
    own = None if names is None else [str(name) for name in names]
    outcomes = outcomes_of(forest, view, 0)
    lines: list[str] = []

    def write(node: int, first: str, others: str) -> None:
        says = outcomes.text(node)
        rows = weight_text(float(view.weight[node]))
        if view.left[node] and view.depth[node] < _TEXT_DEPTH:
            condition = _atom_text(model, 0, node, own)
            lines.append(f"{first}{condition} <= {view.threshold[node]:.4g}")
            write(int(view.left[node]), f"{others}├─ yes: ", f"{others}│  ")
            write(int(view.right[node]), f"{others}└─ no:  ", f"{others}   ")
        else:
            hidden = ", split further" if view.left[node] else ""
            lines.append(f"{first}{says}{' ' if says else ''}({rows}{hidden})")

    write(0, "", "")
    depth = int(view.depth.max())
    max_depth = _TEXT_DEPTH if all(_has_pictures(model, view)) else _TEXT_DEPTH - 1
    n_drawn = int((view.depth <= max_depth).sum())
    caption = f"The first tree, {n_drawn} of its {number_of(view.n_nodes, 'node')}."
    if depth == 0:
        caption = "The first tree, which has no split."
    several = ""
    if forest.n_outputs_ > 1 and not hasattr(forest, "space_"):
        several = " Leaves show the first output."
    picture = Picture(
        f"{caption} The same as text: " + " / ".join(line.strip() for line in lines[:4]),
        f"{caption} Examples of which a condition is true go to the left.{several}",
        partial(_draw_tree, forest, max_depth),
        _tree_size(forest, max_depth),
        wide=True,
        is_bare=True,
    )
    return Section(
        "tree",
        "The first tree",
        pictures=[picture],
        lines=lines,
        data={"nodes": view.n_nodes, "depth": depth, "text": lines},
    )


def _has_pictures(model: ForestModel, view: Any) -> list[bool]:
    splits = np.flatnonzero((view.left > 0) & (view.depth < _TEXT_DEPTH))
    return [_is_picture(model, 0, int(node)) for node in splits]


def _tree_size(forest: FittedForest, max_depth: int) -> tuple[float, float]:
    """Return the size of the picture of a tree, in inches."""
    from ..plot._tree import tree_size

    across, down = tree_size(forest, 0, max_depth)
    inch = min(1.45, _WIDTH / across)
    has_legend = len(getattr(forest, "_classes_by_output", [()])[0]) in range(1, 13)
    return inch * across, inch * down + (0.5 if has_legend else 0.1)


def _draw_tree(forest: FittedForest, max_depth: int, axes: Any) -> None:
    from ..plot import tree

    tree(forest, 0, axes, max_depth=max_depth).set_title("")
