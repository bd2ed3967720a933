"""The methods for series, in one table.

Libraries are imported when a method is made: aeon lives in an environment of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from harness.library import Library

TREES = 200  # of forests whose name does not decide it


class Aeon(Library):
    """aeon, with what its QUANT needs."""

    name = "aeon"
    module = "aeon.classification.interval_based"
    distribution = "aeon"
    environment = "aeon-series"
    requirements = ("aeon==1.6.0", "torch==2.13.0")
    compiles = True


class Ours(Library):
    """The package itself, where it is installed."""

    name = "manifoldforest"
    module = "manifoldforest"
    distribution = "manifoldforest"


AEON, OURS = Aeon(), Ours()


@dataclass(frozen=True)
class Method:
    """How a method is made for a task, with a seed and a number of threads."""

    library: Library
    make: Callable[[str, int, int], Any]
    tasks: tuple[str, ...] = ("classification", "multivariate", "regression")
    channel_axis: bool = False  # whether a series alone is one channel of an example


def _forest(name: str, **params: Any) -> Method:
    def make(task: str, seed: int, n_jobs: int) -> Any:
        named_forest = import_module("manifoldforest").named_forest
        kind = "regression" if task == "regression" else "classification"
        return named_forest(name, kind, random_state=seed, n_jobs=n_jobs, **params)

    return Method(OURS, make)


def _aeon(kinds: dict[str, str], *, threads: bool = True) -> Method:
    def make(task: str, seed: int, n_jobs: int) -> Any:
        module, _, name = kinds[task].rpartition(".")
        params = {"n_jobs": n_jobs} if threads else {}
        return getattr(import_module(f"aeon.{module}"), name)(random_state=seed, **params)

    return Method(AEON, make, tasks=tuple(kinds), channel_axis=True)


METHODS: dict[str, Method] = {
    "series": _forest("series"),
    "QUANT": _forest("QUANT"),
    "MORF": _forest("MORF", n_estimators=TREES),
    "RF": _forest("RF", n_estimators=TREES),
    "aeon QUANT": _aeon(
        {
            "classification": "classification.interval_based.QUANTClassifier",
            "multivariate": "classification.interval_based.QUANTClassifier",
            "regression": "regression.interval_based.QUANTRegressor",
        },
        threads=False,
    ),
    "aeon MiniRocket": _aeon(
        {
            "classification": "classification.convolution_based.MiniRocketClassifier",
            "multivariate": "classification.convolution_based.MiniRocketClassifier",
        }
    ),
    "aeon Rocket": _aeon({"regression": "regression.convolution_based.RocketRegressor"}),
    "aeon R-STSF": _aeon({"classification": "classification.interval_based.RSTSF"}),
    "aeon TimeSeriesForest": _aeon(
        {
            "classification": "classification.interval_based.TimeSeriesForestClassifier",
            "regression": "regression.interval_based.TimeSeriesForestRegressor",
        }
    ),
}
