"""What can be asked of a fitted forest: leaves, trees, importances, pruning paths.

Forests have all of it as methods and properties; the functions behind them are here.
"""

from ._time_curves import TimeCurves, time_curves
from ._tree_view import TreeView

__all__ = ["TimeCurves", "TreeView", "time_curves"]
