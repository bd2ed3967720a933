"""Data in files: reading tables, arrays and images, and writing predictions.

The command line stands on it. Forests know one thing of it, the :class:`TableSchema` that a model
file keeps. All other modules are private.
"""

from ._schema import TableSchema

__all__ = ["TableSchema"]
