"""Reports about fitted forests and indexes: text, dictionaries, and pages with pictures.

``forest.describe()`` returns a :class:`Report`. Notebooks show it in place of a fitted forest.
"""

from ._report import Report

__all__ = ["Report"]
