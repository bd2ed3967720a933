"""Forests by name: those of the papers, and recipes for kinds of data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from ..projections import (
    Axis,
    ForestRC,
    ImagePatches,
    Intervals,
    MeanDifference,
    Patches,
    Projection,
    RerF,
    Rotation,
    Sporf,
)
from ..projections._recipes import series_projection, table_projection
from ..validation._rules import check_argument, none, one_of

if TYPE_CHECKING:
    from ..responses import KernelForestRegressor, MetricForestRegressor
    from ._base import BaseForest
    from ._classifier import ForestClassifier
    from ._regressor import ForestRegressor


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class _Recipe(NamedTuple):
    projection: Callable[[], Projection]
    ranks: bool = False
    # class of a forest that is not for labels and numbers
    kind: str | None = None
    # further parameters of the forest, of all tasks and of one
    params: Mapping[str, Any] = _NOTHING
    classification: Mapping[str, Any] = _NOTHING
    regression: Mapping[str, Any] = _NOTHING
    # for regression, if it is another one
    regression_projection: Callable[[], Projection] | None = None


# What recipes set besides projection and candidates, so that other defaults would not change them.
_FULL_TREES = {"splitter": "auto", "bootstrap": True, "min_samples_leaf": 1}
_EXTRA_TREES = {"splitter": "random", "bootstrap": False, "min_samples_leaf": 1}


# (d) adds differences of class means, (r) passes to ranks first: [RERF] section 4.5.
_RECIPES: dict[str, _Recipe] = {
    "RF": _Recipe(Axis),
    "F-RC": _Recipe(ForestRC),
    "RerF": _Recipe(RerF),
    "RerF(r)": _Recipe(RerF, ranks=True),
    "RerF(d)": _Recipe(lambda: RerF() + MeanDifference()),
    "RerF(d+r)": _Recipe(lambda: RerF() + MeanDifference(), ranks=True),
    "RotRF": _Recipe(Rotation),
    "SPORF": _Recipe(Sporf),
    "MORF": _Recipe(Patches),
    # Extra-Trees of 200 trees on a tenth of the cells [Dempster, Schmidt and Webb 2024]
    "QUANT": _Recipe(
        Intervals,
        params=_EXTRA_TREES | {"n_estimators": 200, "max_features": 0.1},
        classification={"criterion": "entropy"},
        regression={"criterion": "squared_error"},
    ),
    "dRF": _Recipe(Axis, kind="MetricForestRegressor", params={"prediction": "drf"}),
    "kRF": _Recipe(Axis, kind="KernelForestRegressor"),
    # Starting points that are no paper's; benchmarks/NOTES.md has what they were chosen by.
    "image": _Recipe(
        ImagePatches,
        params=_FULL_TREES | {"bootstrap": False},
        classification={"max_features": "sqrt", "criterion": "gini"},
        regression={"max_features": "sqrt", "criterion": "squared_error"},
    ),
    "series": _Recipe(
        series_projection,
        regression_projection=lambda: series_projection(kernels=False),
        params=_EXTRA_TREES | {"n_estimators": 200, "max_features": 0.1},
        classification={"criterion": "gini"},
        regression={"criterion": "squared_error"},
    ),
    "table": _Recipe(
        table_projection,
        params=_FULL_TREES,
        classification={"max_features": "2sqrt", "criterion": "gini"},
        regression={"max_features": 1.0, "criterion": "squared_error"},
    ),
}


@overload
def named_forest(
    name: Literal["dRF"], task: Literal["regression"] | None = ..., **params: Any
) -> MetricForestRegressor: ...
@overload
def named_forest(
    name: Literal["kRF"], task: Literal["regression"] | None = ..., **params: Any
) -> KernelForestRegressor: ...
@overload
def named_forest(
    name: str, task: Literal["classification"] | None = ..., **params: Any
) -> ForestClassifier: ...
@overload
def named_forest(name: str, task: Literal["regression"], **params: Any) -> ForestRegressor: ...
def named_forest(
    name: str,
    task: Literal["classification", "regression"] | None = None,
    **params: Any,
) -> BaseForest:
    """Return the forest that a paper calls `name`, or a recipe for a kind of data.

    Parameters
    ----------
    name : str
        Name of the system: ``"RF"``, ``"F-RC"``, ``"RerF"``, ``"RerF(r)"``, ``"RerF(d)"``,
        ``"RerF(d+r)"``, ``"RotRF"``, ``"SPORF"``, ``"MORF"``; or ``"dRF"`` and ``"kRF"``, which are
        for responses in metric spaces. It decides `projection` and `ranks`, for dRF and kRF the
        kind of forest, for dRF also `prediction`, and nothing else. Or ``"QUANT"``, or a recipe, a
        starting point for a kind of data, which also decide `max_features`, `criterion`,
        `splitter`, `bootstrap` and `min_samples_leaf`: ``"image"`` for images with or without
        channels, ``"series"`` for series along the last axis, with or without channels before it,
        ``"table"`` for columns in any units. QUANT and ``"series"`` also decide `n_estimators`.
    task : {"classification", "regression"} or None, default=None
        Kind of forest; None is classification, but for dRF and kRF, which only know regression.
    **params : dict
        Parameters of the forest, which win over those that the name stands for. Parameters of its
        projection are ``projection__parameter``.

    Returns
    -------
    forest : ForestClassifier, ForestRegressor, MetricForestRegressor or KernelForestRegressor
        A forest that is not fitted yet.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> forest = mf.named_forest("MORF", n_estimators=10, projection__max_size=5)
    >>> forest.projection
    Patches(max_size=5)
    >>> mf.named_forest("RerF(d+r)", task="regression").ranks
    True
    >>> mf.named_forest("dRF", space="sphere").prediction
    'drf'
    >>> mf.named_forest("table").projection
    Sporf(scale='std')
    """
    import manifoldforest as mf

    check_argument("name", name, one_of(*_RECIPES))
    check_argument("task", task, one_of("classification", "regression") | none)
    recipe = _RECIPES[name]
    if recipe.kind is not None and task == "classification":
        raise ValueError(f"task must be 'regression' for {name}, got 'classification'")
    make_projection = recipe.projection
    if recipe.kind is not None or task == "regression":
        default_kind, of_task = "ForestRegressor", recipe.regression
        make_projection = recipe.regression_projection or make_projection
    else:
        default_kind, of_task = "ForestClassifier", recipe.classification
    kind: type[BaseForest] = getattr(mf, recipe.kind or default_kind)
    forest = kind(projection=make_projection(), ranks=recipe.ranks, **recipe.params, **of_task)
    forest.set_params(**params)
    return forest
