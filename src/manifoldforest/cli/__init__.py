"""The command ``manifoldforest``. It needs the extra ``manifoldforest[cli]``.

Nothing heavy is imported before a command runs, so that ``--help`` and completion answer at once:
modules of this package import NumPy and everything that needs it inside of functions.
"""

from ._main import build_app, main

__all__ = ["build_app", "main"]
