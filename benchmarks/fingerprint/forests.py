"""Tables of forests: every projection, splitter and criterion, and every option."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import manifoldforest as mf
from fingerprint import data
from fingerprint.case import Case, Data
from fingerprint.parameters import for_installed_version
from fingerprint.projections import ALL, FEW
from manifoldforest import spaces
from manifoldforest.projections import Axis, Mixture, Patches, Projection, Sporf, Sum

COMMON: dict[str, Any] = {"n_estimators": 2, "max_features": 8, "random_state": 1, "n_jobs": 1}
SPLITTERS = ("auto", "exact", "histogram", "random")
N_FAR = 160  # rows of forests that need the distances of all pairs

# What is learned: the forest without its projection and splitter, and the data of a kind.
LEARNED: dict[str, tuple[Callable[..., Any], Callable[..., Data]]] = {
    "gini": (partial(mf.ForestClassifier, criterion="gini"), data.labels_of),
    "entropy": (partial(mf.ForestClassifier, criterion="entropy"), data.labels_of),
    "squared error": (partial(mf.ForestRegressor, criterion="squared_error"), data.numbers_of),
    "absolute error": (partial(mf.ForestRegressor, criterion="absolute_error"), data.numbers_of),
    "poisson": (partial(mf.ForestRegressor, criterion="poisson"), data.counts_of),
    "points": (
        partial(mf.MetricForestRegressor, space="euclidean"),
        partial(data.responses_of, space="euclidean"),
    ),
    "distances": (
        partial(mf.MetricForestRegressor, space=spaces.Precomputed(data.gaps(data.numbers(N_FAR)))),
        partial(data.responses_of, space="indices"),
    ),
    "kernel": (
        partial(mf.KernelForestRegressor, bandwidth=0.3),
        partial(data.responses_of, space="line"),
    ),
}

# Options of classifiers and regressors alike.
OPTIONS: dict[str, dict[str, Any]] = {
    "max_features=None": {"max_features": None},
    "max_features=0.2": {"max_features": 0.2},
    "max_features=2sqrt": {"max_features": "2sqrt"},
    "max_depth=3": {"max_depth": 3},
    "min_samples_split=20": {"min_samples_split": 20},
    "min_samples_split=0.1": {"min_samples_split": 0.1},
    "min_samples_leaf=7": {"min_samples_leaf": 7},
    "min_samples_leaf=0.02": {"min_samples_leaf": 0.02},
    "min_weight_fraction_leaf=0.03": {"min_weight_fraction_leaf": 0.03},
    "min_balance=0.2": {"min_balance": 0.2},
    "min_impurity_decrease=0.002": {"min_impurity_decrease": 0.002},
    "max_leaf_nodes=15": {"max_leaf_nodes": 15},
    "max_leaf_nodes=15 max_depth=4 exact": {
        "max_leaf_nodes": 15,
        "max_depth": 4,
        "splitter": "exact",
    },
    "ccp_alpha=0.002": {"ccp_alpha": 0.002},
    "ccp_alpha=0.002 max_leaf_nodes=30": {"ccp_alpha": 0.002, "max_leaf_nodes": 30},
    "no bootstrap": {"bootstrap": False},
    "no bootstrap exact": {"bootstrap": False, "splitter": "exact"},
    "max_samples=0.5": {"max_samples": 0.5, "oob_score": True},
    "max_samples=1.5": {"max_samples": 1.5},
    "max_samples=100 no bootstrap": {"max_samples": 100, "bootstrap": False, "oob_score": True},
    "honest ignore": {"honest": True, "empty_leaf": "ignore", "oob_score": True},
    "honest empirical": {"honest": True, "empty_leaf": "empirical", "oob_score": True},
    "honest prune": {"honest": True, "empty_leaf": "prune", "oob_score": True},
    "honest 0.9": {"honest": True, "honest_fraction": 0.9},
    "honest prune 0.9": {"honest": True, "honest_fraction": 0.9, "empty_leaf": "prune"},
    "honest no bootstrap": {"honest": True, "bootstrap": False},
    "honest ccp_alpha": {"honest": True, "ccp_alpha": 0.002},
    "honest max_leaf_nodes": {"honest": True, "max_leaf_nodes": 20},
    "ranks": {"ranks": True},
    "oob": {"oob_score": True, "n_estimators": 8},
    "n_jobs=2": {"n_jobs": 2},
    "n_jobs=2 one tree": {"n_jobs": 2, "n_estimators": 1},
    "n_jobs=2 honest oob": {"n_jobs": 2, "honest": True, "oob_score": True},
    "another seed": {"random_state": 12345},
}
# Not known to forests in metric spaces.
OF_SAMPLES: dict[str, dict[str, Any]] = {
    "no samples": {"keep_samples": False},
    "oob no samples": {"keep_samples": False, "oob_score": True},
    "augment": {"augment": 1},
    "augment no bootstrap": {"augment": 1, "bootstrap": False},
}
OF_CLASSES: dict[str, dict[str, Any]] = {
    "stratify": {"stratify": True},
    "stratify honest": {"stratify": True, "honest": True},
    "log_loss": {"criterion": "log_loss"},
    "entropy ccp_alpha=0.01": {"criterion": "entropy", "ccp_alpha": 0.01},
    "entropy min_impurity_decrease=0.01": {"criterion": "entropy", "min_impurity_decrease": 0.01},
    "entropy max_leaf_nodes=20": {"criterion": "entropy", "max_leaf_nodes": 20},
    "entropy honest": {"criterion": "entropy", "honest": True},
    "refine": {"refine": True},
    "refine min_samples_leaf=5": {"refine": True, "min_samples_leaf": 5, "bootstrap": False},
    "hard voting": {"voting": "hard", "oob_score": True},
    "hard voting honest": {"voting": "hard", "honest": True},
    "honest uniform": {"honest": True, "empty_leaf": "uniform", "oob_score": True},
    "balanced": {"class_weight": "balanced", "oob_score": True},
    "balanced no bootstrap": {"class_weight": "balanced", "bootstrap": False},
    "balanced_subsample": {"class_weight": "balanced_subsample", "oob_score": True},
    "balanced_subsample entropy": {
        "class_weight": "balanced_subsample",
        "criterion": "entropy",
    },
    "balanced_subsample honest": {"class_weight": "balanced_subsample", "honest": True},
    "class weights": {"class_weight": {0: 2.0, 1: 0.3, 7: 5.0}},
}
OF_NUMBERS: dict[str, dict[str, Any]] = {
    "absolute error ccp_alpha=0.01": {"criterion": "absolute_error", "ccp_alpha": 0.01},
    "absolute error max_leaf_nodes=20": {"criterion": "absolute_error", "max_leaf_nodes": 20},
    "absolute error honest": {"criterion": "absolute_error", "honest": True, "oob_score": True},
    "absolute error min_impurity_decrease=0.01": {
        "criterion": "absolute_error",
        "min_impurity_decrease": 0.01,
    },
}
WEIGHTS = ("whole", "fractional", "above 2^16", "extreme", "huge")
WEIGHTED: dict[str, dict[str, Any]] = {
    "bootstrap": {"oob_score": True},
    "no bootstrap": {"bootstrap": False},
    "no bootstrap exact leaf": {"bootstrap": False, "splitter": "exact", "min_samples_leaf": 4},
    "no bootstrap weight of leaf": {"bootstrap": False, "min_weight_fraction_leaf": 0.02},
    "honest": {"honest": True},
}
# Metric forests, by space: parameters and the responses of RESPONSES.
SPACES: dict[str, tuple[Any, str]] = {
    "line": ("euclidean", "line"),
    "euclidean": ("euclidean", "euclidean"),
    "frobenius": ("frobenius", "frobenius"),
    "circle": ("circle", "circle"),
    "circle by arcs": (spaces.Circle(split="geodesic"), "circle"),
    "sphere": ("sphere", "sphere"),
    "sphere by arcs": (spaces.Sphere(split="geodesic"), "sphere"),
    "spd": ("spd", "spd"),
    "spd affine": (spaces.SPD("affine-invariant"), "spd"),
    "rotations": ("rotations", "rotations"),
    "rotations by angles": (spaces.Rotations(split="geodesic"), "rotations"),
    "kendall": ("kendall", "kendall"),
    "wasserstein": (spaces.Wasserstein1D(20), "wasserstein"),
    "isomap": ("isomap", "isomap"),
    "indices": (spaces.Precomputed(data.gaps(data.numbers(N_FAR))), "indices"),
    "function": (spaces.FromCallable(lambda a, b: abs(float(a) - float(b)) ** 0.5), "line"),
}
OF_METRIC: dict[str, dict[str, Any]] = {
    "plain": {"oob_score": True},
    "max_rank=2": {"max_rank": 2},
    "max_rank=2 histogram": {"max_rank": 2, "splitter": "histogram"},
    "honest max_leaf_nodes": {"honest": True, "max_leaf_nodes": 12},
}
PREDICTIONS = ("frechet", "projected", "medoid", "barycentre", "drf")


def forest(make: Callable[..., Any], **options: Any) -> Callable[[], Any]:
    """Return what makes a forest of the common size."""

    def made() -> Any:
        params = COMMON | options
        if callable(params.get("projection")):
            params["projection"] = params["projection"]()
        return make(**for_installed_version(make, params))

    return made


def crossed() -> Iterator[Case]:
    """Every projection by every splitter and criterion, on bytes and floats."""
    for (learned, (make, given)), (name, projection) in product(LEARNED.items(), ALL.items()):
        for splitter, kind in product(SPLITTERS, ("bytes", "floats")):
            model = forest(make, projection=projection, splitter=splitter)
            yield Case(f"{learned} | {name} | {splitter} | {kind}", model, partial(given, kind))


def missing() -> Iterator[Case]:
    """Every projection on rows with missing values."""
    for (learned, (make, given)), (name, projection) in product(LEARNED.items(), ALL.items()):
        for splitter in ("auto", "exact"):
            model = forest(make, projection=projection, splitter=splitter)
            yield Case(
                f"{learned} | {name} | {splitter} | missing", model, partial(given, "missing")
            )


def optional() -> Iterator[Case]:
    """Every option of classifiers, regressors and forests in metric spaces."""
    tables = {
        "gini": OPTIONS | OF_SAMPLES | OF_CLASSES,
        "squared error": OPTIONS | OF_SAMPLES | OF_NUMBERS,
        "points": OPTIONS,
        "distances": OPTIONS,
        "kernel": OPTIONS,
    }
    for learned, table in tables.items():
        make, given = LEARNED[learned]
        far = learned in ("points", "distances", "kernel")
        projections = {"axis": FEW["axis"]} if far else FEW
        for (name, projection), kind in product(projections.items(), ("bytes", "floats")):
            for option, params in table.items():
                yield Case(
                    f"{learned} | {name} | {option} | {kind}",
                    forest(make, **({"projection": projection} | params)),
                    partial(given, kind),
                )


def weighted() -> Iterator[Case]:
    """Weights of all sizes."""
    weighed = (
        "gini",
        "entropy",
        "squared error",
        "absolute error",
        "poisson",
        "points",
        "distances",
    )
    for learned, weight, (option, params) in product(weighed, WEIGHTS, WEIGHTED.items()):
        make, given = LEARNED[learned]
        for name, kind in (("axis", "bytes"), ("axis", "floats"), ("patches", "bytes")):
            yield Case(
                f"{learned} | {name} | weights {weight}, {option} | {kind}",
                forest(make, projection=ALL[name], **params),
                partial(given, kind, weight=weight),
            )


def outputs() -> Iterator[Case]:
    """Several outputs."""
    makes: dict[str, tuple[Callable[..., Any], Callable[..., Data]]] = {
        name: (make, data.several_labels if name in ("gini", "entropy") else data.several_numbers)
        for name, (make, _) in list(LEARNED.items())[:4]
    }
    some: dict[str, dict[str, Any]] = {
        "oob": {"oob_score": True},
        "honest empirical": {"honest": True, "empty_leaf": "empirical"},
        "max_leaf_nodes": {"max_leaf_nodes": 20},
        "ccp_alpha": {"ccp_alpha": 0.01},
        "random": {"splitter": "random"},
    }
    names = ("axis", "sporf", "patches", "mean difference", "mixture of all")
    for (learned, (make, given)), name, (option, params) in product(
        makes.items(), names, some.items()
    ):
        for kind in ("bytes", "floats"):
            yield Case(
                f"{learned} | {name} | several outputs, {option} | {kind}",
                forest(make, projection=ALL[name], **params),
                partial(given, kind),
            )


def warm() -> Iterator[Case]:
    """Trees added by a second fit."""

    def in_two_steps(model: Any, given: Data) -> None:
        model.set_params(warm_start=True, n_estimators=2).fit(given.X, given.y)
        model.set_params(n_estimators=5).fit(given.X, given.y)

    for (learned, (make, given)), name in product(
        LEARNED.items(), ("axis", "patches", "rotation", "mixture of all")
    ):
        for kind in ("bytes", "missing"):
            yield Case(
                f"{learned} | {name} | warm start | {kind}",
                forest(make, projection=ALL[name], oob_score=True, ranks=kind == "missing"),
                partial(given, kind),
                in_two_steps,
            )


def metric() -> Iterator[Case]:
    """Spaces of responses, ranks, ways to predict and kernels."""
    for (name, (space, responses)), (option, params) in product(SPACES.items(), OF_METRIC.items()):
        yield Case(
            f"metric | {name} | {option}",
            forest(mf.MetricForestRegressor, space=space, **params),
            partial(data.responses_of, "floats", responses, 120 if name != "indices" else N_FAR),
        )
    for name, prediction in product(("euclidean", "sphere", "indices"), PREDICTIONS):
        space, responses = SPACES[name]
        yield Case(
            f"metric | {name} | prediction {prediction}",
            forest(mf.MetricForestRegressor, space=space, prediction=prediction),
            partial(data.responses_of, "floats", responses),
        )
    for order in ("decreasing", "increasing"):
        yield Case(
            f"metric | euclidean | prediction drf in {order} order, bandwidth 1.5",
            forest(
                mf.MetricForestRegressor,
                prediction="drf",
                bandwidth=1.5,
                distance_order=order,
            ),
            partial(data.responses_of, "floats", "euclidean"),
        )
    for kernel, max_rank in product(("rbf", "laplacian", "linear"), (None, 3)):
        yield Case(
            f"kernel | {kernel} | max_rank={max_rank}",
            forest(mf.KernelForestRegressor, kernel=kernel, max_rank=max_rank, oob_score=True),
            partial(data.responses_of, "floats", "euclidean"),
        )
    for affinity in ("all", "inbag", "oob"):
        yield Case(
            f"kernel | matrix | affinity {affinity}",
            forest(
                mf.KernelForestRegressor,
                kernel=np.exp(-data.gaps(data.numbers(N_FAR))),
                affinity=affinity,
            ),
            partial(data.responses_of, "bytes", "indices"),
        )


def particular() -> Iterator[Case]:
    """Sizes and shapes at which the core goes other ways."""
    classifier, regressor = mf.ForestClassifier, mf.ForestRegressor
    for splitter, kind, criterion in product(SPLITTERS, ("bytes", "floats"), ("gini", "entropy")):
        for name, n_jobs in (("axis", 1), ("sporf", 2)):
            yield Case(
                f"{criterion} | {name} | {splitter} | 5500 rows of {kind} | n_jobs={n_jobs}",
                forest(
                    classifier,
                    projection=name,
                    splitter=splitter,
                    criterion=criterion,
                    n_jobs=n_jobs,
                    max_features=3,
                ),
                partial(data.many_rows, kind),
            )
    for splitter, criterion in product(SPLITTERS, ("squared_error", "absolute_error")):
        yield Case(
            f"{criterion} | sporf | {splitter} | 5500 rows of floats | n_jobs=2",
            forest(
                regressor,
                projection="sporf",
                splitter=splitter,
                criterion=criterion,
                n_jobs=2,
                max_features=3,
                max_depth=8,
            ),
            partial(data.many_rows, "floats"),
        )
    for scale, criterion in product((1e-300, 1e-30, 1e30, 1e300), ("squared", "absolute")):
        for option, params in (("oob", {"oob_score": True}), ("ccp_alpha", {"ccp_alpha": 1e-3})):
            yield Case(
                f"{criterion} error | axis | responses of {scale:g} | {option}",
                forest(regressor, projection="axis", criterion=f"{criterion}_error", **params),
                partial(data.numbers_of, "floats", scale=scale),
            )
    grids = {
        "image": ((8, 8), Patches(max_size=3)),
        "volume": ((4, 4, 4), Patches(max_size=3, channel_axis=None)),
        "colour": ((4, 4, 4), Patches(max_size=3, channel_axis=-1)),
        "series": ((64,), Patches(max_size=12)),
    }
    for (name, (shape, patches)), kind in product(grids.items(), ("bytes", "floats", "missing")):
        yield Case(
            f"gini | examples of shape {shape} | {name} | {kind}",
            forest(classifier, projection=patches, oob_score=True),
            partial(data.shaped, kind, shape),
        )
    for name in ("axis", "sporf", "patches"):
        model = forest(classifier, projection=ALL[name])
        yield Case(f"gini | {name} | 40 classes", model, partial(data.many_classes, "bytes"))
        yield Case(f"gini | {name} | named classes", model, partial(data.names, "floats"))
    for name in ("axis", "sporf", "rerf"):
        yield Case(
            f"gini | {name} | wide rows", forest(classifier, projection=name), data.wide_rows
        )
        yield Case(f"gini | {name} | cancer", forest(classifier, projection=name), data.cancer)
        yield Case(
            f"squared error | {name} | diabetes", forest(regressor, projection=name), data.diabetes
        )
    papers = ("RF", "F-RC", "RerF", "RerF(r)", "RerF(d)", "RerF(d+r)", "RotRF", "SPORF", "MORF")
    for name in (*papers, "table"):
        yield Case(
            f"named forest | {name}",
            forest(partial(mf.named_forest, name)),
            partial(data.labels_of, "bytes"),
        )


def mnist(folder: str) -> Iterator[Case]:
    """Deep trees of images that fill blocks."""
    square = Patches(min_size=2, max_size=5)
    named: dict[str, Projection] = {
        "axis": Axis(),
        "sporf": Sporf(),
        "patches": square,
        "patches wrap": Patches(max_size=7, wrap=True),
        "mixture 95:5": Mixture([("patches", square, 0.95), ("axis", Axis(), 0.05)]),
        "sum": Sum([("patches", square), ("sporf", Sporf())]),
    }
    big = {"max_features": 28, "oob_score": True}
    given = partial(data.mnist, folder)
    for (name, projection), splitter in product(named.items(), SPLITTERS):
        for criterion, n_jobs in (("gini", 1), ("entropy", 2)):
            yield Case(
                f"mnist | {name} | {splitter} | {criterion} | n_jobs={n_jobs}",
                forest(
                    mf.ForestClassifier,
                    projection=projection,
                    splitter=splitter,
                    criterion=criterion,
                    **(big | {"n_jobs": n_jobs}),
                ),
                given,
            )
        yield Case(
            f"mnist | {name} | {splitter} | squared error",
            forest(mf.ForestRegressor, projection=projection, splitter=splitter, **big),
            given,
        )


TABLES: tuple[Callable[[], Iterator[Case]], ...] = (
    crossed,
    missing,
    optional,
    weighted,
    outputs,
    warm,
    metric,
    particular,
)
