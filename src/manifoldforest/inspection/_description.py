"""A few lines about a fitted forest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..forests._fitted_forest import FittedForest
    from ..projections import Projection


def describe(forest: FittedForest) -> str:
    """Return a few lines about a forest."""
    trees = forest._model.trees
    is_leaf = trees["left"] == 0
    depth = trees.depths()
    tree_depth = np.maximum.reduceat(depth, trees["tree_offsets"][:-1])
    candidates = forest.max_features_
    shape = " × ".join(map(str, forest.feature_shape_))
    lines = {
        "trees": f"{trees.n_trees}, {trees.n_nodes} nodes, {int(is_leaf.sum())} leaves, "
        f"depth {tree_depth.min()} to {tree_depth.max()} (mean {tree_depth.mean():.1f})",
        "examples": f"{shape} ({forest.n_features_in_} features)",
        "projection": f"{_shortened(forest.projection_)}, {candidates} candidates per node",
    }
    if grids := forest.projection_._grids(forest.feature_shape_):
        lines["grid"] = "; ".join(grids)
    lines["output"] = forest._describe_target()
    if forest._model.record is not None:
        lines["training"] = f"{forest._model.record.n_rows} rows kept"
    if hasattr(forest, "oob_score_"):
        lines["out of bag"] = f"score {forest.oob_score_:.4f}"
    width = max(map(len, lines)) + 2
    body = "\n".join(f"  {name:<{width}}{text}" for name, text in lines.items())
    return f"{type(forest).__name__}\n{body}"


def _shortened(projection: Projection) -> str:
    """Return a projection as one line; arrays among its parameters may be long."""
    text = " ".join(repr(projection).split())
    return text if len(text) <= 80 else text[:79] + "…"
