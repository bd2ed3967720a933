"""Projections that are recommended for kinds of data."""

from __future__ import annotations

from ._base import Projection
from ._random_combinations import Sporf


def table_projection() -> Projection:
    """Return the projection for tables, whose columns may have any units."""
    return Sporf(scale="std")
