"""Augmentation: copies of training examples that are moved or turned over, for forests to learn.

A forest takes it as `augment=`: a number of cells, or an object of this package. Copies are drawn
anew for every few trees, and only those of one draw exist at a time.
"""

from ._shifts import Shifts

__all__ = ["Shifts"]
