"""Projections of rows with 64 features, one or more of every kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import random as random_sparse
from sklearn.feature_extraction.image import grid_to_graph

from manifoldforest.projections import (
    Axis,
    Dictionary,
    ForestRC,
    GraphBalls,
    GraphEdges,
    MeanDifference,
    Mixture,
    Patches,
    PrincipalAxes,
    Projection,
    RerF,
    Rotation,
    Sporf,
    Sum,
)

SIDE = 8
_SQUARE = Patches(max_size=4, shape=(SIDE, SIDE))
_ATOMS = random_sparse(
    SIDE * SIDE, 30, density=0.05, random_state=9, data_rvs=np.random.RandomState(9).randn
)
_WHOLE_ATOMS = (_ATOMS != 0).astype(np.float32)

# A function makes its projection with each forest: an error, in versions that do not know it.
Made = Projection | Callable[[], Projection]

PLAIN: dict[str, Made] = {
    "axis": Axis(),
    "forest_rc": ForestRC(3),
    "rerf": RerF(),
    "rerf 2016": RerF("2016"),
    "sporf": Sporf(),
    "sporf poisson": Sporf(2.0, "poisson"),
    "sporf scale": partial(Sporf, 3.0, scale="std"),
    "forest_rc scale": partial(ForestRC, 3, scale="std"),
    "rerf scale": partial(RerF, scale="std"),
    "rotation": Rotation(),
    "rotation of 10": Rotation(10),
    "principal axes": PrincipalAxes(4),
    "principal axes of 50 rows": PrincipalAxes(2, max_rows=50),
    "mean difference": MeanDifference(),
}

PATCHES: dict[str, Made] = {
    "patches": _SQUARE,
    "patches corner": Patches(max_size=4, shape=(8, 8), placement="corner"),
    "patches interior": Patches(min_size=2, max_size=4, shape=(8, 8), placement="interior"),
    "patches wrap": Patches(max_size=4, shape=(8, 8), wrap=True),
    "patches wrap one axis": Patches(max_size=(3, 5), shape=(8, 8), wrap=(True, False)),
    "patches scattered": Patches(max_size=3, shape=(8, 8), contiguous=False),
    "patches scattered rows": Patches(max_size=(2, 5), shape=(8, 8), contiguous=(False, True)),
    "series": Patches(max_size=12, shape=(64,)),
    "circle": Patches(min_size=3, max_size=12, shape=(64,), wrap=True),
    "series of channels": Patches(max_size=6, shape=(4, 16), channel_axis=0),
    "volume": Patches(max_size=3, shape=(4, 4, 4), channel_axis=None),
    "volume wrap": Patches(max_size=3, shape=(4, 4, 4), channel_axis=None, wrap=True),
    "colour": Patches(max_size=3, shape=(4, 4, 4), channel_axis=-1),
    "four axes": Patches(max_size=2, shape=(4, 4, 2, 2), channel_axis=None),
}

LISTED: dict[str, Made] = {
    "dictionary": Dictionary(_ATOMS),
    "dictionary of ones": Dictionary(_WHOLE_ATOMS),
    "graph balls": GraphBalls(grid_to_graph(8, 8), radius=(0, 2)),
    "graph edges": GraphEdges((1, 4)),
    "graph edges of some": GraphEdges(2, adjacency=np.eye(8, k=1) + np.eye(8, k=3)),
}

COMPOSED: dict[str, Made] = {
    "sum": Sum([("axis", Axis()), ("patches", _SQUARE)]),
    "sum with means": Sum([("rerf", RerF()), ("means", MeanDifference())]),
    "sum with rotation": Sum([("rotation", Rotation(12)), ("patches", _SQUARE)]),
    "mixture": Mixture([("patches", _SQUARE, 0.5), ("sporf", Sporf(), 0.5)]),
    "mixture 95:5": Mixture([("patches", _SQUARE, 0.95), ("axis", Axis(), 0.05)]),
    "mixture with rotation": Mixture(
        [("rotation", Rotation(), 0.3), ("axis", Axis(), 0.3), ("patches", _SQUARE, 0.4)]
    ),
    "mixture of two grids": Mixture(
        [("square", _SQUARE, 0.6), ("series", Patches(max_size=9, shape=(64,)), 0.4)]
    ),
    "mixture of all": Mixture(
        [
            ("axis", Axis(), 1.0),
            ("sporf", Sporf(), 1.0),
            ("patches", _SQUARE, 1.0),
            ("wrap", Patches(max_size=4, shape=(8, 8), wrap=True), 1.0),
            ("scattered", Patches(max_size=3, shape=(8, 8), contiguous=False), 1.0),
            ("dictionary", Dictionary(_ATOMS), 1.0),
            ("means", MeanDifference(), 1.0),
            ("principal", PrincipalAxes(4), 1.0),
            ("rotation", Rotation(8), 1.0),
        ]
    ),
}


def _on_view(name: str, *arguments: Any, **params: Any) -> Projection:
    """Return patches of 8 x 8 digits, or what `params` say, on a view."""
    from manifoldforest import views

    view = getattr(views, name)(*arguments)
    return Patches(**{"max_size": 4, "shape": (SIDE, SIDE), **params}, view=view)


def _beside_view() -> Projection:
    """Return patches on gradients, those on a spectrum and features."""
    edges, waves = _on_view("Gradients", 4), _on_view("Spectrum", max_size=2)
    return Sum([("edges", edges), ("waves", waves), ("axis", Axis())])


VIEWS: dict[str, Made] = {
    "gradients": partial(_on_view, "Gradients"),
    "gradients interior": partial(_on_view, "Gradients", 6, placement="interior"),
    "gradients of colours": partial(
        _on_view, "Gradients", max_size=3, shape=(4, 4, 4), channel_axis=-1
    ),
    "difference": partial(_on_view, "Difference", shape=(64,)),
    "second difference": partial(_on_view, "Difference", 2, 3, shape=(4, 16), channel_axis=0),
    "spectrum": partial(_on_view, "Spectrum", shape=(4, 16), contiguous=(False, True)),
    "transformer": partial(_on_view, "FromTransformer", np.tanh),
    "sum of views": _beside_view,
}


def _on_series(name: str, *arguments: Any, **params: Any) -> Projection:
    """Return a projection of statistics of series, each example being one."""
    from manifoldforest import projections

    return getattr(projections, name)(*arguments, **params)


def _sum_on_series() -> Projection:
    return Sum([("i", _on_series("Intervals")), ("k", _on_series("DilatedKernels", 40))])


SERIES: dict[str, Made] = {
    "intervals": partial(_on_series, "Intervals"),
    "intervals of all statistics": partial(
        _on_series,
        "Intervals",
        ("mean", "minimum", "maximum", "std", "slope", "position", "quantile"),
        depth=3,
        centre=False,
    ),
    "random intervals": partial(_on_series, "Intervals", "std", intervals="random"),
    "dilated kernels": partial(_on_series, "DilatedKernels", 60),
    "sum on series": _sum_on_series,
}

ALL = PLAIN | PATCHES | LISTED | COMPOSED | VIEWS | SERIES
FEW = {name: ALL[name] for name in ("axis", "sporf", "patches")}
