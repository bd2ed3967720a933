"""Every public parameter: a wrong type is a TypeError, a wrong value a ValueError.

The callables and their parameters come from the package itself, so that a new one fails until it
is in these tables. What accepts anything is listed with the reason.
"""

import functools
import inspect
import re

import numpy as np
import pytest
import xarray as xr
from scipy.sparse import csr_matrix

import manifoldforest as mf
from manifoldforest import (
    augmentation,
    boundary,
    datasets,
    evaluation,
    explanation,
    inspection,
    plot,
    projections,
    spaces,
    views,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 9))
LABELS = np.arange(40) % 2
NUMBERS = X[:, 0]
PLANE = X[:, :2]
RING = np.roll(np.eye(9, dtype=int), 1, axis=1)
POINTS = RNG.normal(size=(5, 3))
UNIT = POINTS / np.linalg.norm(POINTS, axis=1, keepdims=True)
MATRICES = np.stack([np.eye(2)] * 5)
IMAGES = X.reshape(-1, 3, 3)


# ------------------------------------------------------------------- how each callable is called


def fitted(make, y, **small):
    """Return a class, and a function that fits it with some parameters."""
    return make, lambda **params: make(**{**small, **params}).fit(X, y)


def built(make, **good):
    """Return a projection, and a function that fits a forest with it."""
    return make, lambda **params: mf.ForestClassifier(2, projection=make(**{**good, **params})).fit(
        X, LABELS
    )


def seen(make, **good):
    """Return a view, and a function that makes cells with it."""
    return make, lambda **params: make(**{**good, **params}).transform(IMAGES)


def learned(make):
    """Return an augmentation, and a function that fits a forest with it."""
    return make, lambda **params: mf.ForestClassifier(2, augment=make(**params)).fit(X, LABELS)


def checked(make, Y, **good):
    """Return a space, and a function that checks responses in it."""
    return make, lambda **params: make(**{**good, **params}).check(Y)


def used(make, **small):
    """Return an index, and a function that adds points to it and asks it."""

    def use(**params):
        index = make(**{**small, **params})
        index.add(X)
        index.query(X[:1])

    return make, use


CONSTRUCTORS = {
    "ForestClassifier": fitted(mf.ForestClassifier, LABELS, n_estimators=2),
    "ForestRegressor": fitted(mf.ForestRegressor, NUMBERS, n_estimators=2),
    "MetricForestRegressor": fitted(
        mf.MetricForestRegressor, NUMBERS, n_estimators=2, prediction="drf"
    ),
    "KernelForestRegressor": fitted(mf.KernelForestRegressor, NUMBERS, n_estimators=2),
    "BoostedForestClassifier": fitted(mf.BoostedForestClassifier, LABELS, n_estimators=2),
    "BoostedForestRegressor": fitted(mf.BoostedForestRegressor, NUMBERS, n_estimators=2),
    "BoundaryForestClassifier": fitted(mf.BoundaryForestClassifier, LABELS, n_estimators=2),
    "BoundaryForestRegressor": fitted(mf.BoundaryForestRegressor, NUMBERS, n_estimators=2),
    "DifferentiableBoundaryTree": fitted(mf.DifferentiableBoundaryTree, LABELS),
    "RankTransformer": fitted(mf.RankTransformer, None),
    "BoundaryIndex": used(mf.BoundaryIndex, n_estimators=2),
    "boundary.BruteForceIndex": used(boundary.BruteForceIndex),
    "projections.Axis": built(projections.Axis),
    "projections.ForestRC": built(projections.ForestRC),
    "projections.RerF": built(projections.RerF),
    "projections.Sporf": built(projections.Sporf),
    "projections.Rotation": built(projections.Rotation),
    "projections.PrincipalAxes": built(projections.PrincipalAxes),
    "projections.MeanDifference": built(projections.MeanDifference),
    "projections.Patches": built(projections.Patches),
    "projections.ImagePatches": (
        projections.ImagePatches,
        lambda **params: mf.ForestClassifier(2, projection=projections.ImagePatches(**params)).fit(
            IMAGES, LABELS
        ),
    ),
    "projections.Intervals": built(projections.Intervals),
    "projections.DilatedKernels": built(projections.DilatedKernels, n_kernels=3),
    "projections.GraphBalls": built(projections.GraphBalls, adjacency=RING),
    "projections.GraphEdges": built(projections.GraphEdges),
    "projections.Dictionary": built(projections.Dictionary, atoms=np.eye(9)),
    "projections.Sum": built(projections.Sum),
    "projections.Mixture": built(projections.Mixture),
    "views.Identity": seen(views.Identity),
    "views.Gradients": seen(views.Gradients),
    "views.Difference": seen(views.Difference),
    "views.Spectrum": seen(views.Spectrum),
    "views.FromTransformer": seen(views.FromTransformer, transformer=np.tanh),
    "augmentation.Shifts": learned(augmentation.Shifts),
    "spaces.Euclidean": checked(spaces.Euclidean, NUMBERS),
    "spaces.Frobenius": checked(spaces.Frobenius, NUMBERS),
    "spaces.Circle": checked(spaces.Circle, NUMBERS),
    "spaces.Sphere": checked(spaces.Sphere, UNIT),
    "spaces.SPD": checked(spaces.SPD, MATRICES),
    "spaces.Rotations": checked(spaces.Rotations, MATRICES),
    "spaces.KendallShape": checked(spaces.KendallShape, X.reshape(-1, 3, 3)),
    "spaces.Wasserstein1D": checked(spaces.Wasserstein1D, X),
    "spaces.Isomap": checked(spaces.Isomap, NUMBERS),
    "spaces.Precomputed": checked(spaces.Precomputed, [0]),
    "spaces.FromCallable": checked(spaces.FromCallable, [1, 2], distance=lambda a, b: abs(a - b)),
    "spaces.FromGeomstats": checked(spaces.FromGeomstats, NUMBERS),
}


@functools.cache
def subject(kind):
    """Return the object on which methods of a class are called."""
    if kind == "DifferentiableBoundaryTree":
        pytest.importorskip("torch")
        return mf.DifferentiableBoundaryTree(n_epochs=1, n_tree_samples=20, random_state=0).fit(
            X, LABELS
        )
    if kind in ("BoundaryIndex", "boundary.BruteForceIndex"):
        index = mf.BoundaryIndex(2) if kind == "BoundaryIndex" else boundary.BruteForceIndex()
        index.add(X)
        return index
    if kind == "RankTransformer":
        return mf.RankTransformer().fit(X)
    y = LABELS if kind.endswith("Classifier") else NUMBERS
    params = {} if kind.startswith(("Boundary", "Boosted")) else {"keep_samples": True}
    if kind in ("MetricForestRegressor", "KernelForestRegressor"):
        params = {}
    return getattr(mf, kind)(5, random_state=0, **params).fit(X, y)


def good_arguments(kind, method):
    """Return arguments of a method that are right, apart from those that have a default."""
    y = LABELS if kind.endswith(("Classifier", "Tree")) else NUMBERS
    every = {"X": X, "y": y, "tree": 0, "leaf": first_leaf(kind), "q": 0.5, "ids": [0]}
    if "Index" in kind:
        every["X"] = X[:1]
        every["ids"] = [100] if method == "add" else [0]
    return every


def first_leaf(kind):
    trees = subject(kind).trees_ if "Forest" in kind and "Boundary" not in kind else ()
    return int(np.flatnonzero(trees[0].left == 0)[0]) if trees else 0


OBJECTS = [
    "ForestClassifier",
    "ForestRegressor",
    "MetricForestRegressor",
    "KernelForestRegressor",
    "BoostedForestClassifier",
    "BoostedForestRegressor",
    "BoundaryForestClassifier",
    "BoundaryForestRegressor",
    "DifferentiableBoundaryTree",
    "RankTransformer",
    "BoundaryIndex",
    "boundary.BruteForceIndex",
]
# what scikit-learn's base classes do, or what takes no argument
NOT_OURS = {"get_params", "set_params", "describe"}


def methods():
    found = {}
    for kind in OBJECTS:
        owner = CONSTRUCTORS[kind][0]
        for name, function in inspect.getmembers(owner, inspect.isfunction):
            ours = str(getattr(function, "__module__", "")).startswith("manifoldforest")
            if ours and not name.startswith("_") and name not in NOT_OURS:
                found[f"{kind}.{name}"] = (function, kind, name)
    return found


def called_method(function, kind, name):
    """Return a function that calls a method with good arguments but for those it is given."""

    def call(**params):
        needed = [
            parameter.name
            for parameter in inspect.signature(function).parameters.values()
            if parameter.default is parameter.empty and parameter.name != "self"
        ]
        good = {key: good_arguments(kind, name)[key] for key in needed if key not in params}
        return getattr(subject(kind), name)(**{**good, **params})

    return function, call


def called(function, **good):
    """Return a function, and one that calls it with good arguments but for those it is given."""
    return function, lambda **params: function(**{**good, **params})


TRUTH = {
    "vectors": {"truth": POINTS, "predicted": POINTS},
    "images": {
        "truth": np.ones((5, 2, 2)),
        "predicted": np.ones((5, 2, 2)),
        "known": np.ones((5, 2, 2)),
    },
    "angles": {"truth": POINTS[:, 0], "predicted": POINTS[:, 0]},
    "sphere": {"truth": UNIT, "predicted": UNIT},
    "ellipsoids": {"truth": MATRICES, "predicted": MATRICES},
}
PICTURE_OF = {
    "known": "images",
    "side": "images",
    "shape": "images",
    "marked": "images",
    "cmap": "images",
    "columns": "images",
    "period": "angles",
    "projection": "sphere",
    "view": "sphere",
    "positions": "ellipsoids",
}


def draw_responses(**params):
    kind = next((PICTURE_OF[name] for name in params if name in PICTURE_OF), "vectors")
    return plot.responses(**{"kind": kind, **TRUTH[kind], **params})


def draw_tree(**params):
    return plot.boundary_tree(**{"forest": subject("BoundaryForestClassifier"), **params})


@functools.cache
def plane_forest():
    return mf.ForestClassifier(2, random_state=0).fit(PLANE, LABELS)


def draw_boundary(**params):
    good = {"classifier": plane_forest(), "X": PLANE, "resolution": 3}
    return plot.decision_boundary(**{**good, **params})


@functools.cache
def edges_forest():
    projection = projections.Patches(view=views.Gradients())
    return mf.ForestClassifier(2, projection=projection, random_state=0).fit(IMAGES, LABELS)


def draw_view(**params):
    good = {"source": edges_forest()}
    if "channel_axis" in params:
        good = {"source": views.Gradients(), "example": IMAGES[0]}
    return plot.view_map(**{**good, **params})


def draw_growth(**params):
    return plot.boundary_growth(**{"forests": subject("BoundaryForestClassifier"), **params})


@functools.cache
def plane_regressor():
    return mf.ForestRegressor(2, random_state=0).fit(PLANE, PLANE[:, 0])


def draw_quantiles(**params):
    return plot.quantile_band(**{"forest": plane_regressor(), "X": PLANE, **params})


def draw_proximity(**params):
    return plot.proximity_embedding(**{"forest": plane_forest(), "X": PLANE, **params})


def draw_error_over_trees(**params):
    good = {"forest": plane_forest(), "X": PLANE, "y": LABELS}
    return plot.error_over_trees(**{**good, **params})


def draw_one_tree(**params):
    return plot.tree(**{"forest": plane_forest(), **params})


def draw_atoms(**params):
    return plot.atoms(**{"forest": plane_forest(), **params})


@functools.cache
def explained():
    return mf.shap_values(plane_regressor(), PLANE)


def draw_shap_map(**params):
    return plot.shap_map(**{"explained": explained(), **params})


@functools.cache
def series_forest():
    return mf.named_forest("QUANT", n_estimators=2, random_state=0).fit(X, LABELS)


def curves(**params):
    return inspection.time_curves(**{"forest": series_forest(), **params})


def curves_of_kinds(**params):
    return curves().of_channels(**params)


def draw_curves(**params):
    return plot.time_curves(**{"forest": series_forest(), **params})


def evaluate(**params):
    good = {"forest": plane_forest(), "X": PLANE, "y": LABELS, "n_bootstrap": 2}
    return mf.evaluate(**{**good, **params})


def suggest(**params):
    good = {"X": PLANE, "y": LABELS, "n_estimators": 3}
    return mf.suggest_projection(**{**good, **params})


FUNCTIONS = {
    "suggest_projection": (mf.suggest_projection, suggest),
    "evaluate": (mf.evaluate, evaluate),
    "shap_values": called(mf.shap_values, forest=plane_forest(), X=PLANE),
    "plot.shap_map": (plot.shap_map, draw_shap_map),
    "inspection.time_curves": (inspection.time_curves, curves),
    "inspection.TimeCurves.of_channels": (inspection.TimeCurves.of_channels, curves_of_kinds),
    "named_forest": called(mf.named_forest, name="RF"),
    "load": called(mf.load),
    "to_onnx": called(mf.to_onnx),
    "projections.as_projection": called(projections.as_projection),
    "projections.Patches.from_xarray": called(
        projections.Patches.from_xarray, X=xr.DataArray(IMAGES, dims=("n", "y", "x"))
    ),
    "projections.projection_to_dict": called(projections.projection_to_dict),
    "projections.projection_from_dict": called(
        projections.projection_from_dict, config={"class": "Axis", "params": {}}, arrays={}
    ),
    "spaces.as_space": called(spaces.as_space),
    "datasets.make_circle": called(datasets.make_circle, n_samples=3),
    "datasets.make_bars": called(datasets.make_bars, n_samples=3),
    "datasets.make_impulse": called(datasets.make_impulse, n_samples=3),
    "datasets.make_sparse_parity": called(datasets.make_sparse_parity, n_samples=3),
    "datasets.make_trunk": called(datasets.make_trunk, n_samples=3),
    "datasets.make_swiss_roll_responses": called(datasets.make_swiss_roll_responses),
    "datasets.apply_random_map": called(datasets.apply_random_map, X=X),
    "datasets.add_outliers": called(datasets.add_outliers, X=X, y=LABELS, make=datasets.make_trunk),
    "datasets.bayes_error": called(datasets.bayes_error, problem="trunk"),
    "datasets.load_mnist": called(datasets.load_mnist),
    "datasets.load_faces": called(datasets.load_faces),
    "datasets.load_letter": called(datasets.load_letter),
    "datasets.load_pendigits": called(datasets.load_pendigits),
    "datasets.load_dna": called(datasets.load_dna),
    "datasets.load_uci": called(datasets.load_uci, name="iris", data_home="."),
    "datasets.load_time_series": called(datasets.load_time_series, name="a", data_home="."),
    "plot.importance_map": called(plot.importance_map, importance=np.ones(4)),
    "plot.view_map": (plot.view_map, draw_view),
    "plot.time_curves": (plot.time_curves, draw_curves),
    "plot.method_colors": called(plot.method_colors),
    "plot.class_colors": called(plot.class_colors),
    "plot.error_curves": called(plot.error_curves, n_samples=[1, 2], errors={"RF": [0.1, 0.2]}),
    "plot.decision_boundary": (plot.decision_boundary, draw_boundary),
    "plot.boundary_tree": (plot.boundary_tree, draw_tree),
    "plot.boundary_growth": (plot.boundary_growth, draw_growth),
    "plot.responses": (plot.responses, draw_responses),
    "plot.error_over_trees": (plot.error_over_trees, draw_error_over_trees),
    "plot.calibration": called(plot.calibration, y_true=LABELS, proba=np.full(40, 0.5)),
    "plot.confusion_matrix": called(plot.confusion_matrix, y_true=LABELS, y_pred=LABELS),
    "plot.residuals": called(plot.residuals, y_true=[1.0, 2.0], y_pred=[1.0, 3.0]),
    "plot.tree": (plot.tree, draw_one_tree),
    "plot.atoms": (plot.atoms, draw_atoms),
    "plot.quantile_band": (plot.quantile_band, draw_quantiles),
    "plot.proximity_embedding": (plot.proximity_embedding, draw_proximity),
    "BoundaryIndex.load": called(mf.BoundaryIndex.load, path="none.mf"),
    "boundary.BruteForceIndex.load": called(boundary.BruteForceIndex.load, path="none.mf"),
    "views.View.fit": called(views.Gradients().fit, X=IMAGES),
    "views.View.transform": called(views.Gradients().transform, X=IMAGES),
    "spaces.Space.check": called(spaces.Euclidean().check),
    "spaces.Space.distance": called(spaces.Euclidean().distance, a=1.0, b=2.0),
    "spaces.Space.mean": called(
        spaces.Euclidean().mean, Y=POINTS, weights=csr_matrix(np.full((1, 5), 0.2))
    ),
}

METHODS = {key: called_method(*value) for key, value in methods().items()}
CALLS = {**CONSTRUCTORS, **METHODS, **FUNCTIONS}


# --------------------------------------------------------------------------- what they may refuse

# public names that are not called by users, and why
NO_CALLS = {
    "ModelFileError": "an error",
    "projections.Projection": "abstract",
    "views.View": "abstract; its methods are tried with Gradients",
    "spaces.Space": "abstract; its methods are tried with Euclidean",
    "projections.NAMES": "a table",
    "spaces.NAMES": "a table",
    "plot.COLORS": "a table",
    "plot.MARKERS": "a table",
    "evaluation.Evaluation": "a result, which the package makes",
    "evaluation.Suggestion": "the same",
    "explanation.ShapValues": "the same",
    "inspection.TimeCurves": "the same; its method is tried",
    "inspection.TreeView": "a view of a fitted tree, which the package makes",
    "evaluation.Interval": "a part of it",
    "evaluation.Part": "a part of it",
    "boundary.BoundaryTree": "a view of a fitted tree, which the package makes",
}

# parameters that accept everything, and why
ANYTHING = {
    ("RankTransformer.fit", "y"): "ignored, as scikit-learn's transformers do",
    ("views.View.fit", "y"): "the same",
    ("named_forest", "params"): "those of the forest, checked when it is fitted",
    ("spaces.Space.check", "name"): "a word of the messages, written by other code",
    ("spaces.Space.mean", "Y"): "what check has returned, taken as it is",
}

# methods of spaces whose arguments are what `check` has returned, taken as they are
OF_CANONICAL_RESPONSES = {
    "distances",
    "embed",
    "from_vectors",
    "paired_distances",
    "project",
    "split_distance_chunks",
    "split_distances",
    "vectors",
}

# parameters that messages call as those do that users write
CALLED = {("projections.as_projection", "spec"): "projection"}

# wrong values of right types, by parameter, or by callable and parameter; None: there is none
WRONG_VALUES = {
    "n_estimators": 0,
    "projection": "diagonal",
    "max_features": 0,
    "criterion": "guess",
    "splitter": "best",
    "max_depth": -1,
    "min_samples_split": 1,
    "min_samples_leaf": 0,
    "min_weight_fraction_leaf": 0.6,
    "min_balance": 0.6,
    "min_impurity_decrease": -1.0,
    "max_leaf_nodes": 1,
    "ccp_alpha": float("nan"),
    "bootstrap": None,
    "max_samples": 0,
    "stratify": None,
    "honest": None,
    "honest_fraction": 1.0,
    "empty_leaf": "guess",
    "ranks": None,
    "oob_score": None,
    "keep_samples": "sometimes",
    "warm_start": None,
    "n_jobs": 0,
    "random_state": -1,
    "verbose": -1,
    "refine": None,
    "augment": 0,
    "max_shift": -1,
    "copies": 0,
    "flip": True,
    "fill": "mirror",
    "voting": "loud",
    "class_weight": "fair",
    "max_rank": 0,
    "prediction": "mean",
    "embedding_dim": 0,
    "bandwidth": 0.0,
    "smoothness": 0.0,
    "affinity": "none",
    "distance_order": "none",
    "ridge": "none",
    "out_of_sample": "none",
    "center": None,
    "space": "plane",
    "kernel": "none",
    "max_children": 1,
    "metric": "minkowski",
    "embedding": None,
    "power": -1.0,
    "passes": 0,
    "tolerance": -1.0,
    "n_components": 0,
    "hidden": [0],
    "paths": "none",
    "sigma": 0.0,
    "n_tree_samples": 0,
    "n_epochs": 0,
    "steps_per_tree": 0,
    "batch_size": 0,
    "learning_rate": 0.0,
    "loss": "guess",
    "subsample": 0.0,
    "l2": -1.0,
    "early_stopping": "never",
    "validation_fraction": 1.0,
    "n_iter_no_change": 0,
    "noise": -1.0,
    "n_features": 0,
    "variant": "2017",
    "rate": 0.0,
    "scale": "variance",
    "count": "random",
    "max_dims": 0,
    "max_rows": 1,
    "min_size": 0,
    "max_size": (0,),
    "shape": (0, 2),
    "wrap": (True, True),
    "contiguous": (True, True),
    "placement": "centre",
    "channel_axis": "last",
    "adjacency": np.eye(4),
    "radius": (2, 1),
    "n_edges": 0,
    "atoms": np.eye(4),
    "parts": [],
    "period": 0.0,
    "split": "arc",
    "form": "euler",
    "n_quantiles": 0,
    "n_neighbors": 0,
    "D": np.ones((2, 2)),
    "distance": None,
    "mean": None,
    "manifold": None,
    "sample_weight": [-1.0] * 40,
    "tree": 10**6,
    "leaf": 10**6,
    "held_out": None,
    "features": [9],
    "n_repeats": 0,
    "coverage": 1.0,
    "q": [0.5, 1.5],
    "trees": [99],
    "path": None,
    "ids": [1, 1],
    "k": 0,
    "effort": 0,
    "among": [],
    "where": lambda i: False,
    "verify": None,
    "name": "none",
    "task": "clustering",
    "spec": "diagonal",
    "config": None,
    "arrays": None,
    "n_samples": 0,
    "covariance_factor": -1.0,
    "noise_variance": -1.0,
    "kind": "none",
    "make": None,
    "fraction": -1.0,
    "problem": "moons",
    "data_home": None,
    "ax": None,
    "cmap": "none",
    "color": "no such",
    "limit": -1.0,
    "colorbar": None,
    "channel_names": ["left", "right"],
    "channels": [1],
    "by_kind": None,
    "raw": None,
    "names": None,
    "n_classes": 0,
    "importance": np.ones((2, 2, 2)),
    "errors": {"RF": [0.1]},
    "published": {"RF": [0.1]},
    "bayes_error": 2.0,
    "legend": None,
    "classifier": None,
    "limits": (1, 0, 0, 1),
    "resolution": 1,
    "stored": None,
    "forest": None,
    "over": "space",
    "kinds": ["mode of series"],
    "forests": None,
    "max_nodes": 0,
    "truth": np.ones((5, 1)),
    "predicted": np.ones((4, 3)),
    "plane": (0, 0),
    "background": np.ones(3),
    "known": np.ones((4, 2, 2)),
    "side": "under",
    "marked": {"kRF": [True] * 5},
    "view": [0, 0, 0],
    "orientations": 7,
    "order": 0,
    "smoothing": 4,
    "transformer": None,
    "source": None,
    "example": np.array(3.0),
    "positions": np.ones((4, 2)),
    "columns": 0,
    "weights": csr_matrix(np.ones((1, 5))),
    "y_true": [],
    "y_pred": [1],
    "proba": np.full(40, 1.5),
    "n_bins": 0,
    "labels": [],
    "normalize": "rows",
    "feature": 9,
    "feature_names": ["one name for two features"],
    "output": 1,
    "explained": None,
    "quantiles": [0.9, 0.1],
    "n_bootstrap": 0,
    "y": np.arange(39),
    "a": float("nan"),
    "b": float("nan"),
    "Y": [float("nan")],
    ("projections.GraphEdges", "adjacency"): np.eye(3),
    ("projections.Patches", "view"): views.Gradients(),  # of rows that are no images
    ("projections.Patches.from_xarray", "X"): xr.DataArray(NUMBERS, dims="n"),
    ("projections.Patches.from_xarray", "channel"): "n",
    ("projections.Patches.from_xarray", "wrap"): "z",
    ("projections.Patches.from_xarray", "free"): ["x", "z"],
    ("projections.Patches.from_xarray", "max_size"): {"x": 0},
    ("projections.Patches.from_xarray", "view"): None,
    ("projections.ImagePatches", "max_size"): 0,
    ("projections.ImagePatches", "raw"): "never",
    ("projections.Intervals", "statistics"): "median",
    ("projections.Intervals", "intervals"): "shapelets",
    ("projections.Intervals", "depth"): 0,
    ("projections.Intervals", "n_intervals"): 0,
    ("projections.Intervals", "min_size"): 0,
    ("projections.Intervals", "spacing"): 0,
    ("projections.Intervals", "centre"): None,
    ("projections.Intervals", "views"): [],
    ("projections.Intervals", "random_state"): -1,
    ("projections.DilatedKernels", "n_kernels"): 0,
    ("projections.DilatedKernels", "pool"): ["mean", "median"],
    ("projections.DilatedKernels", "whole"): 1.5,
    ("projections.DilatedKernels", "view"): None,
    ("projections.DilatedKernels", "random_state"): -1,
    ("views.View.fit", "channel_axis"): 2,
    ("plot.view_map", "view"): 1,
    ("plot.atoms", "n"): 0,
    ("plot.time_curves", "ax"): [],
    ("plot.shap_map", "example"): 40,
    ("plot.view_map", "channel_axis"): 2,
    ("views.View.transform", "channel_axis"): 2,
    ("datasets.load_uci", "name"): "a/b",
    ("datasets.load_time_series", "name"): "",
    ("plot.error_curves", "n_samples"): [0, 1],
    ("BoundaryIndex.get", "ids"): np.array([[0]]),
    ("boundary.BruteForceIndex.get", "ids"): np.array([[0]]),
    ("projections.projection_to_dict", "projection"): None,
    ("plot.importance_map", "channel_axis"): 1,
    ("plot.boundary_growth", "published"): [(1, -1)],
    ("plot.decision_boundary", "X"): np.ones((5, 3)),
    ("datasets.apply_random_map", "X"): np.ones(3),
    ("datasets.add_outliers", "X"): np.ones(3),
    ("BoundaryForestClassifier.partial_fit", "classes"): [],
}

# Those of the examples X are in scikit-learn's words, which its estimator checks ask for; here
# only that they are a ValueError.
X_OF_NO_USE = np.ones(7)


def parameters():
    for key, (function, call) in CALLS.items():
        for name, parameter in inspect.signature(function).parameters.items():
            if name != "self" and (key, name) not in ANYTHING:
                assert parameter.kind is not parameter.VAR_POSITIONAL
                yield key, name, call


CASES = [pytest.param(*case, id=f"{case[0]}: {case[1]}") for case in parameters()]


# --------------------------------------------------------------------------------------- the tests


def public_names():
    for prefix, module in {
        "": mf,
        "augmentation.": augmentation,
        "projections.": projections,
        "spaces.": spaces,
        "views.": views,
        "datasets.": datasets,
        "plot.": plot,
        "boundary.": boundary,
        "evaluation.": evaluation,
        "explanation.": explanation,
        "inspection.": inspection,
    }.items():
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.ismodule(value) and name != "__version__":
                same = prefix in ("boundary.", "evaluation.", "explanation.") and name in mf.__all__
                yield name if same else prefix + name


def test_everything_public_is_called_here():
    assert set(public_names()) <= CALLS.keys() | NO_CALLS.keys()
    assert set(NO_CALLS) <= set(public_names())


def test_nothing_is_listed_that_is_not_there():
    known = {
        (key, name)
        for key, (function, _) in CALLS.items()
        for name in inspect.signature(function).parameters
    }
    names = {name for _, name in known}
    assert ANYTHING.keys() | CALLED.keys() <= known
    assert {key for key in WRONG_VALUES if isinstance(key, tuple)} <= known
    assert {key for key in WRONG_VALUES if isinstance(key, str)} <= names


def test_methods_of_spaces_are_called_here_or_take_what_check_returned():
    ours = {
        name
        for name, _ in inspect.getmembers(spaces.Space, inspect.isfunction)
        if not name.startswith("_")
        and name not in ("get_params", "set_params", "get_metadata_routing")
    }
    tried = {key.rpartition(".")[2] for key in FUNCTIONS if key.startswith("spaces.Space.")}
    assert ours == tried | OF_CANONICAL_RESPONSES


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("key", "name", "call"), CASES)
def test_a_wrong_type_is_a_type_error_that_names_the_parameter(key, name, call):
    with pytest.raises(TypeError) as caught:
        call(**{name: object()})
    text = str(caught.value)
    assert re.search(rf"\b{CALLED.get((key, name), name)}\b", text), text
    assert " must " in text, text
    assert re.search(r"got .*object", text), text


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("key", "name", "call"), CASES)
def test_a_wrong_value_is_a_value_error_that_names_the_parameter(key, name, call):
    if name == "X" and (key, name) not in WRONG_VALUES:
        with pytest.raises(ValueError):
            call(X=X_OF_NO_USE)
        return
    wrong = WRONG_VALUES[key, name] if (key, name) in WRONG_VALUES else WRONG_VALUES[name]
    if wrong is None:
        return  # all values of the type are right
    with pytest.raises(ValueError) as caught:
        call(**{name: wrong})
    text = str(caught.value)
    assert re.search(rf"\b{CALLED.get((key, name), name)}\b", text), text
    assert " must " in text, text
    assert "got" in text, text


def test_good_arguments_are_accepted():
    for key in ("ForestClassifier", "projections.GraphBalls", "spaces.Sphere", "BoundaryIndex"):
        CALLS[key][1]()
    for key in METHODS:
        if key.startswith(("ForestRegressor.predict", "boundary.BruteForceIndex.query")):
            CALLS[key][1]()
    draw_responses()
    draw_responses(side="below")
    draw_tree()
    draw_boundary()
    draw_growth()
