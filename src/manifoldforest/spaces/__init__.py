"""Response spaces: what responses are, how far they are apart, and what their mean is.

Every space is a small parameter object in the manner of scikit-learn: it holds parameters and
nothing else, is compared by value, can be cloned and tuned. A forest takes one as `space=`, either
as an object or, for those that need no arguments, by its name in :data:`NAMES`.

* flat: :class:`Euclidean`, :class:`Frobenius`, :class:`Wasserstein1D` for distributions;
* manifolds: :class:`Circle`, :class:`Sphere`, :class:`SPD`, :class:`Rotations`,
  :class:`KendallShape`, and those of geomstats with :class:`FromGeomstats`;
* a manifold that is known from the responses only: :class:`Isomap`;
* anything with distances: :class:`Precomputed`, :class:`FromCallable`.
"""

from ._base import Space
from ._callable import FromCallable
from ._circle import Circle
from ._euclidean import Euclidean, Frobenius
from ._geomstats import FromGeomstats
from ._isomap import Isomap
from ._kendall import KendallShape
from ._names import NAMES, as_space
from ._precomputed import Precomputed
from ._rotations import Rotations
from ._spd import SPD
from ._sphere import Sphere
from ._wasserstein import Wasserstein1D

__all__ = [
    "NAMES",
    "SPD",
    "Circle",
    "Euclidean",
    "Frobenius",
    "FromCallable",
    "FromGeomstats",
    "Isomap",
    "KendallShape",
    "Precomputed",
    "Rotations",
    "Space",
    "Sphere",
    "Wasserstein1D",
    "as_space",
]
