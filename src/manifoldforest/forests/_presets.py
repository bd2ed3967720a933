"""The forests of the papers under their own names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from ..projections import Axis, ForestRC, MeanDifference, Patches, Projection, RerF, Rotation, Sporf
from ..validation._rules import check_argument, none, one_of

if TYPE_CHECKING:
    from ..responses import KernelForestRegressor, MetricForestRegressor
    from ._base import BaseForest
    from ._classifier import ForestClassifier
    from ._regressor import ForestRegressor


class _Recipe(NamedTuple):
    projection: Callable[[], Projection]
    ranks: bool = False
    # class and parameters of a forest that is not for labels and numbers
    kind: str | None = None
    params: Mapping[str, Any] = MappingProxyType({})


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
    "dRF": _Recipe(Axis, kind="MetricForestRegressor", params={"prediction": "drf"}),
    "kRF": _Recipe(Axis, kind="KernelForestRegressor"),
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
    """Return the forest that a paper calls `name`.

    Parameters
    ----------
    name : str
        Name of the system: ``"RF"``, ``"F-RC"``, ``"RerF"``, ``"RerF(r)"``, ``"RerF(d)"``,
        ``"RerF(d+r)"``, ``"RotRF"``, ``"SPORF"``, ``"MORF"``; or ``"dRF"`` and ``"kRF"``, which are
        for responses in metric spaces. It decides `projection` and `ranks`, for dRF and kRF the
        kind of forest, for dRF also `prediction`, and nothing else.
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
    """
    import manifoldforest as mf

    check_argument("name", name, one_of(*_RECIPES))
    check_argument("task", task, one_of("classification", "regression") | none)
    recipe = _RECIPES[name]
    if recipe.kind is not None and task == "classification":
        raise ValueError(f"task must be 'regression' for {name}, got 'classification'")
    kinds = {None: "ForestClassifier", "classification": "ForestClassifier"}
    kind: type[BaseForest] = getattr(mf, recipe.kind or kinds.get(task, "ForestRegressor"))
    forest = kind(projection=recipe.projection(), ranks=recipe.ranks, **recipe.params)
    forest.set_params(**params)
    return forest
