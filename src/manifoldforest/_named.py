"""The forests of the papers under their own names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from .projections import (
    Axis,
    ForestRC,
    MeanDifference,
    Patches,
    Projection,
    RerF,
    Rotation,
    Sporf,
)

if TYPE_CHECKING:
    from ._classifier import ForestClassifier
    from ._regressor import ForestRegressor


class _Recipe(NamedTuple):
    projection: Callable[[], Projection]
    ranks: bool = False


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
}


@overload
def named_forest(
    name: str, task: Literal["classification"] = ..., **params: Any
) -> ForestClassifier: ...
@overload
def named_forest(name: str, task: Literal["regression"], **params: Any) -> ForestRegressor: ...
def named_forest(
    name: str,
    task: Literal["classification", "regression"] = "classification",
    **params: Any,
) -> ForestClassifier | ForestRegressor:
    """Return the forest that a paper calls `name`.

    Parameters
    ----------
    name : {"RF", "F-RC", "RerF", "RerF(r)", "RerF(d)", "RerF(d+r)", "RotRF", "SPORF", "MORF"}
        Name of the system. It decides `projection` and `ranks` and nothing else.
    task : {"classification", "regression"}, default="classification"
        Kind of forest.
    **params : dict
        Parameters of the forest, which win over those that the name stands for. Parameters of its
        projection are ``projection__parameter``.

    Returns
    -------
    forest : ForestClassifier or ForestRegressor
        A forest that is not fitted yet.

    Examples
    --------
    >>> import manifoldforest as mf
    >>> forest = mf.named_forest("MORF", n_estimators=10, projection__max_size=5)
    >>> forest.projection
    Patches(max_size=5)
    >>> mf.named_forest("RerF(d+r)", task="regression").ranks
    True
    """
    from ._classifier import ForestClassifier
    from ._regressor import ForestRegressor

    if not isinstance(name, str) or name not in _RECIPES:
        raise ValueError(f"name must be one of {', '.join(map(repr, _RECIPES))}, got {name!r}")
    if task not in ("classification", "regression"):
        raise ValueError(f"task must be 'classification' or 'regression', got {task!r}")
    recipe = _RECIPES[name]
    kind = ForestClassifier if task == "classification" else ForestRegressor
    forest = kind(projection=recipe.projection(), ranks=recipe.ranks)
    forest.set_params(**params)
    return forest
