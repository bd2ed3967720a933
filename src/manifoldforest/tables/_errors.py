"""Errors of data that cannot be used, and of packages that are missing to read them."""

from __future__ import annotations

import importlib.util


class TableError(ValueError):
    """Data are not what they should be; the message names the place and says what to do."""


class MissingPackageError(ImportError):
    """A package of an extra is not installed."""


def need(package: str, extra: str, purpose: str) -> None:
    """Raise an error unless a package of an extra is installed.

    Parameters
    ----------
    package : str
        Name of the package, as it is imported.
    extra : str
        The extra of manifoldforest that installs it.
    purpose : str
        What needs it.
    """
    if importlib.util.find_spec(package) is None:
        raise MissingPackageError(
            f"{purpose} needs {package}: pip install 'manifoldforest[{extra}]'"
        )
