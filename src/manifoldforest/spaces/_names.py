"""The names of spaces: for users who write a string, and for model files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from manifoldforest.validation._rules import check_argument, instance_of, one_of

from ._base import Space
from ._circle import Circle
from ._euclidean import Euclidean, Frobenius
from ._isomap import Isomap
from ._kendall import KendallShape
from ._precomputed import Precomputed
from ._rotations import Rotations
from ._spd import SPD
from ._sphere import Sphere
from ._wasserstein import Wasserstein1D

#: Spaces that work without arguments, by the string that stands for them.
NAMES: dict[str, type[Space]] = {
    "euclidean": Euclidean,
    "frobenius": Frobenius,
    "circle": Circle,
    "sphere": Sphere,
    "spd": SPD,
    "rotations": Rotations,
    "kendall": KendallShape,
    "wasserstein": Wasserstein1D,
    "isomap": Isomap,
}

#: All spaces that a model file may ask for, by class name; others are made of code.
CLASSES: dict[str, type[Space]] = {kind.__name__: kind for kind in NAMES.values()}
CLASSES["Precomputed"] = Precomputed

# What a user may write, and what to write instead: for the hint in the message of an error.
_MEANT: dict[str, str] = {name: repr(name) for name in NAMES} | {
    "angle": "'circle'",
    "radians": "'circle'",
    "degrees": "Circle(360)",
    "SO(3)": "'rotations'",
    "SO3": "'rotations'",
    "quaternion": "Rotations('quaternion')",
    "log-euclidean": "SPD('log-euclidean')",
    "affine-invariant": "SPD('affine-invariant')",
    "covariance": "'spd'",
    "KendallShape": "'kendall'",
    "shape": "'kendall'",
    "Wasserstein1D": "'wasserstein'",
    "distribution": "'wasserstein'",
    "Precomputed": "Precomputed(D)",
    "callable": "FromCallable(distance)",
    "FromCallable": "FromCallable(distance)",
    "geomstats": "FromGeomstats(manifold)",
    "FromGeomstats": "FromGeomstats(manifold)",
}


def as_space(space: str | Space) -> Space:
    """Return a space as it is, or make one from its name.

    Parameters
    ----------
    space : str or Space
        A space, which is returned as it is, or one of :data:`NAMES`.

    Returns
    -------
    space : Space
        The space.

    Examples
    --------
    >>> from manifoldforest.spaces import as_space
    >>> as_space("sphere")
    Sphere()
    """
    check_argument("space", space, _RULE)
    return NAMES[space]() if isinstance(space, str) else space


def _what_to_write(space: Any) -> str:
    """Return a suggestion for something that is neither a name nor a space."""
    if hasattr(space, "__array__"):
        return ": a matrix of distances is written Precomputed(D)"
    if isinstance(getattr(space, "dim", None), int) and hasattr(space, "metric"):
        return ": a manifold of geomstats is written FromGeomstats(manifold)"
    if callable(space) and not isinstance(space, type):
        return ": a distance of your own is written FromCallable(distance)"
    return ""


_OBJECT = instance_of(Space, "a Space object")
_RULE = replace(
    one_of(*NAMES) | _OBJECT,
    words=_MEANT,
    hint=lambda space: _OBJECT.hint(space) or _what_to_write(space),
)
