"""The names of spaces: for users who write a string, and for model files."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifoldforest.validation._suggestions import did_you_mean

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
    """Return the space that `space` stands for.

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
    if isinstance(space, Space):
        return space
    if not isinstance(space, str):
        raise TypeError(f"space must be a name or a Space object, got {_got(space)}")
    if space not in NAMES:
        raise ValueError(
            f"space must be one of {', '.join(map(repr, NAMES))} or a Space object, got {space!r}"
            f"{did_you_mean(space, _MEANT)}"
        )
    return NAMES[space]()


def _got(space: Any) -> str:
    """Describe what is neither a name nor a space, and say what may have been meant."""
    if isinstance(space, type) and issubclass(space, Space):
        return f"the class {space.__name__}: write {space.__name__}(), with parentheses"
    if hasattr(space, "__array__"):
        return (
            f"an array of shape {np.shape(space)}: a matrix of distances is written Precomputed(D)"
        )
    if isinstance(getattr(space, "dim", None), int) and hasattr(space, "metric"):
        return f"{space!r}: a manifold of geomstats is written FromGeomstats(manifold)"
    if callable(space):
        return f"{space!r}: a distance of your own is written FromCallable(distance)"
    return repr(space)
