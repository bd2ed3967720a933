"""Gone to `_experiment`."""

from ._experiment import timed

__all__ = ["timed"]
