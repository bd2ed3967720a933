"""The names of projections: for users who write a string, and for model files."""

from __future__ import annotations

from dataclasses import replace

from manifoldforest.validation._rules import check_argument, instance_of, one_of

from ._base import Projection
from ._composition import Mixture, Sum
from ._data_driven import MeanDifference, PrincipalAxes
from ._dictionary import Dictionary
from ._dilated_kernels import DilatedKernels
from ._graphs import GraphBalls, GraphEdges
from ._image_patches import ImagePatches
from ._intervals import Intervals
from ._patches import Patches
from ._random_combinations import Axis, ForestRC, RerF, Rotation, Sporf

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
    "image_patches": ImagePatches,
    "intervals": Intervals,
    "dilated_kernels": DilatedKernels,
}

_OTHERS: dict[str, type[Projection]] = {
    "graph_balls": GraphBalls,
    "graph_edges": GraphEdges,
    "dictionary": Dictionary,
    "sum": Sum,
    "mixture": Mixture,
}

_NAME_OF: dict[type[Projection], str] = {kind: name for name, kind in (NAMES | _OTHERS).items()}

#: All projections by class name, the only classes that a model file may ask for.
CLASSES: dict[str, type[Projection]] = {kind.__name__: kind for kind in _NAME_OF}

#: What a user may write, and what to write instead: for the hint in the message of an error.
MEANT: dict[str, str] = {name: repr(name) for name in NAMES} | {
    "GraphBalls": "GraphBalls(adjacency)",
    "GraphEdges": "GraphEdges()",
    "Dictionary": "Dictionary(atoms)",
    "Sum": "a + b",
    "Mixture": "Mixture(parts)",
    "RF": "'axis'",
    "F-RC": "'forest_rc'",
    "RotRF": "'rotation'",
    "MORF": "'patches'",
}


_RULE = replace(
    one_of(*NAMES) | instance_of(Projection, "a Projection object"),
    words=MEANT,
)


def name_of(projection: Projection) -> str:
    """Return the name of a projection's class, as in :data:`NAMES` for those that are there."""
    kind = type(projection)
    return _NAME_OF.get(kind, kind.__name__.lower())


def as_projection(spec: str | Projection) -> Projection:
    """Return a projection as it is, or make one from its name.

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
    check_argument("projection", spec, _RULE)
    return NAMES[spec]() if isinstance(spec, str) else spec
