"""Gone to `_results`."""

from ._results import Mean, average, mean_of

__all__ = ["Mean", "average", "mean_of"]
