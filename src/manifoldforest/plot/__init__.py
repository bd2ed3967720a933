"""Pictures of forests and of their errors; they need the extra ``manifoldforest[plot]``.

Every function draws into the axes it is given, or into a new figure, and returns the axes.
"""

from ._boundary_tree import boundary_tree
from ._decision_boundary import decision_boundary
from ._errors import error_curves
from ._growth import boundary_growth
from ._importance import importance_map
from ._responses import responses
from ._style import COLORS

__all__ = [
    "COLORS",
    "boundary_growth",
    "boundary_tree",
    "decision_boundary",
    "error_curves",
    "importance_map",
    "responses",
]
