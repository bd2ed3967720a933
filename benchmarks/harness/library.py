"""A library, where it lives and what it takes to install it."""

from __future__ import annotations

from typing import Any


class Library:
    """What is measured.

    Libraries are imported inside methods only: each lives in an environment of its own.

    Attributes
    ----------
    name : str
        Name in the tables and on the command line.
    module : str
        Module that is imported after the installation, to see whether the library works.
    distribution : str
        Name under which its version is recorded; empty if it is a part of the benchmark.
    environment : str
        Environment that holds it; libraries that can live together share one. Empty: that of this
        package.
    requirements : tuple of str
        What pip installs there.
    headers : tuple of str
        What pip installs there first because the build needs its C++ headers.
    quick : bool
        Whether it takes part in quick runs unasked.
    compiles : bool
        Whether the first fit of an index compiles; a small one then comes before the clock, as it
        does for all forests.
    note : str
        How its models differ from ours beyond names.
    """

    name: str
    module: str
    distribution: str
    environment: str = ""
    requirements: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    quick: bool = True
    compiles: bool = False
    note: str = ""

    def __init__(self) -> None:
        self.options: dict[str, Any] = {}  # parameters from the command line, for our own forests
