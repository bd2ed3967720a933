"""Gone to `_registry`."""

from ._registry import BOUNDARY, DIFFERENTIABLE, DRF, MORF, RERF, THESIS

__all__ = ["BOUNDARY", "DIFFERENTIABLE", "DRF", "MORF", "RERF", "THESIS"]
