"""Pictures of forests and of their errors; they need the extra ``manifoldforest[plot]``.

A function that draws does so in the axes it is given, or in a new figure, and returns the axes.
``COLORS`` and ``MARKERS`` hold the colour and the marker of each named method; `method_colors` and
`class_colors` give figures of your own the same colours.
"""

from ._atoms import atoms
from ._boundary_tree import boundary_tree
from ._calibration import calibration
from ._confusion_matrix import confusion_matrix
from ._decision_boundary import decision_boundary
from ._error_over_trees import error_over_trees
from ._errors import error_curves
from ._growth import boundary_growth
from ._importance import importance_map
from ._proximity_embedding import proximity_embedding
from ._quantile_band import quantile_band
from ._residuals import residuals
from ._responses import responses
from ._shap_map import shap_map
from ._style import COLORS, MARKERS, class_colors, method_colors
from ._time_curves import time_curves
from ._tree import tree
from ._view_map import view_map

__all__ = [
    "COLORS",
    "MARKERS",
    "atoms",
    "boundary_growth",
    "boundary_tree",
    "calibration",
    "class_colors",
    "confusion_matrix",
    "decision_boundary",
    "error_curves",
    "error_over_trees",
    "importance_map",
    "method_colors",
    "proximity_embedding",
    "quantile_band",
    "residuals",
    "responses",
    "shap_map",
    "time_curves",
    "tree",
    "view_map",
]
