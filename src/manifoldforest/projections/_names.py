"""The names of projections: for users who write a string, and for model files."""

from __future__ import annotations

from ._base import Projection
from ._composition import Mixture, Sum
from ._dictionary import Dictionary
from ._graphs import GraphBalls, GraphEdges
from ._node_data import MeanDifference, PrincipalAxes
from ._patches import Patches
from ._plain import Axis, ForestRC, RerF, Rotation, Sporf

#: Projections that work without arguments, by the string that stands for them.
NAMES: dict[str, type[Projection]] = {
    "axis": Axis,
    "forest_rc": ForestRC,
    "rerf": RerF,
    "sporf": Sporf,
    "rotation": Rotation,
    "principal_axes": PrincipalAxes,
    "mean_difference": MeanDifference,
    "patches": Patches,
}

_OTHERS: list[type[Projection]] = [GraphBalls, GraphEdges, Dictionary, Sum, Mixture]

#: All projections by class name, the only classes that a model file may ask for.
CLASSES: dict[str, type[Projection]] = {kind.__name__: kind for kind in [*NAMES.values(), *_OTHERS]}


def as_projection(spec: str | Projection) -> Projection:
    """Return the projection that `spec` stands for.

    Parameters
    ----------
    spec : str or Projection
        A projection, which is returned as it is, or one of :data:`NAMES`.

    Returns
    -------
    projection : Projection
        The projection.

    Examples
    --------
    >>> from manifoldforest.projections import as_projection
    >>> as_projection("sporf")
    Sporf()
    """
    if isinstance(spec, Projection):
        return spec
    if not isinstance(spec, str):
        raise TypeError(f"projection must be a name or a Projection object, got {spec!r}")
    if spec not in NAMES:
        raise ValueError(
            f"projection must be one of {', '.join(map(repr, NAMES))} or a Projection object, "
            f"got {spec!r}"
        )
    return NAMES[spec]()
