"""Projections: the distributions from which a forest draws the candidate directions of its splits.

Every projection is a small parameter object in the manner of scikit-learn: it holds parameters and
nothing else, is compared by value, can be cloned and tuned. A forest takes one as `projection=`,
either as an object or, for those that need no arguments, by its name in :data:`NAMES`.

* no geometry: :class:`Axis`, :class:`ForestRC`, :class:`RerF`, :class:`Sporf`, :class:`Rotation`;
* derived from the data of a node: :class:`PrincipalAxes`, :class:`MeanDifference`;
* geometry of the features: :class:`Patches`, :class:`GraphBalls`, :class:`GraphEdges`, and
  :class:`Dictionary` for any other;
* statistics and pooled kernels of series: :class:`Intervals`, :class:`DilatedKernels`;
* combinations: :class:`Sum` (written ``a + b``) and :class:`Mixture`.
"""

from ._base import Projection
from ._composition import Mixture, Sum
from ._data_driven import MeanDifference, PrincipalAxes
from ._dictionary import Dictionary
from ._dilated_kernels import DilatedKernels
from ._graphs import GraphBalls, GraphEdges
from ._image_patches import ImagePatches
from ._intervals import Intervals
from ._names import NAMES, as_projection
from ._patches import Patches
from ._random_combinations import Axis, ForestRC, RerF, Rotation, Sporf
from ._serialization import projection_from_dict, projection_to_dict

__all__ = [
    "NAMES",
    "Axis",
    "Dictionary",
    "DilatedKernels",
    "ForestRC",
    "GraphBalls",
    "GraphEdges",
    "ImagePatches",
    "Intervals",
    "MeanDifference",
    "Mixture",
    "Patches",
    "PrincipalAxes",
    "Projection",
    "RerF",
    "Rotation",
    "Sporf",
    "Sum",
    "as_projection",
    "projection_from_dict",
    "projection_to_dict",
]
