"""The names of spaces: for users who write a string, and for model files."""

from __future__ import annotations

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
        raise TypeError(f"space must be a name or a Space object, got {space!r}")
    if space not in NAMES:
        raise ValueError(
            f"space must be one of {', '.join(map(repr, NAMES))} or a Space object, got {space!r}"
        )
    return NAMES[space]()
