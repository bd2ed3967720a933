"""The papers, and all experiments by their ids: ``morf/m1_circle.py`` holds the constant ``M1``."""

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from .experiment import Experiment, Paper

MORF = Paper("MORF", "Manifold Forests: Closing the Gap on Neural Networks", "Perry et al., 2019")
THESIS = Paper(
    "thesis",
    "Manifold-aware Forests: Closing the Gap to Convolutional Neural Networks",
    "Perry, 2020",
)
RERF = Paper("RerF", "Randomer Forests", "Tomita et al., 2016")
DRF = Paper(
    "dRF", "Random Forest Regression for Manifold-Valued Responses", "Tsagkrasoulis and Montana"
)
BOUNDARY = Paper("boundary forest", "The Boundary Forest Algorithm", "Mathy et al., 2015")
DIFFERENTIABLE = Paper(
    "differentiable trees",
    "Learning Deep Nearest Neighbor Representations Using Differentiable Boundary Trees",
    "Zoran, Lakshminarayanan and Blundell, 2017",
)
BEYOND = Paper("beyond", "Views, boosting and recipes: beyond the papers", "manifoldforest")

FOLDERS = ("morf", "rerf", "drf", "boundary", "views")
_FILE = re.compile(r"([a-z])(\d+)_\w+\.py")


@lru_cache(maxsize=1)
def _modules() -> dict[str, str]:
    """Return the module of every id, papers in order and ids by number."""
    found: dict[str, str] = {}
    for folder in FOLDERS:
        files = (path.name for path in (Path(__file__).parent / folder).iterdir())
        matches = [match for match in map(_FILE.fullmatch, files) if match]
        for match in sorted(matches, key=lambda match: (match[1], int(match[2]))):
            found[f"{match[1]}{match[2]}".upper()] = f"{folder}.{match[0].removesuffix('.py')}"
    return found


def experiment_ids() -> list[str]:
    return list(_modules())


def get_experiment(id: str) -> Experiment:
    """Return the experiment with an id; upper and lower case are the same."""
    key = id.upper()
    if key not in _modules():
        raise ValueError(f"EXPERIMENT must be one of {', '.join(_modules())}, got {id!r}")
    experiment = getattr(import_module(f".{_modules()[key]}", __package__), key)
    if not isinstance(experiment, Experiment) or experiment.id != key:
        raise TypeError(f"{_modules()[key]}.{key} must be the experiment {key}")
    return experiment


def get_experiments(ids: Iterable[str] = ()) -> list[Experiment]:
    """Return the experiments with these ids, or all, in the order of the papers."""
    wanted = {get_experiment(id).id for id in ids} or set(_modules())
    return [get_experiment(id) for id in _modules() if id in wanted]
