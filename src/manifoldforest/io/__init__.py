"""Model files: :func:`load` opens them, and a model's method `save` writes them."""

from ._archive import ModelFileError
from ._load import load

__all__ = ["ModelFileError", "load"]
