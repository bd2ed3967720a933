"""Gone to `_experiment`."""

from ._experiment import one_torch_thread

__all__ = ["one_torch_thread"]
