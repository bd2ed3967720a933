"""G4: the recipe for series, on the simulations of MORF and on the sets of the UCR archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from manifoldforest.datasets import make_circle, make_impulse

from ..datasets import Split
from ..experiment import Finding, Setting
from ..registry import BEYOND
from ..results import Results
from .comparison import Comparison, Sizes, Task, mean_over_data, not_worse

FOLDER = "ts"
METHODS = ("series", "QUANT", "MORF", "RF")
BOUNDS = {"circle, n = 50": 0.02, "impulse, n = 100": 0.16}


def _simulated(make: Callable[..., Any], n: int, n_test: int, seed: int, setting: Setting) -> Split:
    X, y = make(n + n_test, random_state=seed)
    return X[:n], y[:n], X[n:], y[n:]


def _of_archive(path: Path, seed: int, setting: Setting) -> Split:
    """Return the parts of a set, which are the same for all seeds."""
    with np.load(path, allow_pickle=False) as stored:
        return stored["X_train"], stored["y_train"], stored["X_test"], stored["y_test"]


def _is_complete(path: Path) -> bool:
    """Whether a set has both parts, labels, one channel and no missing values."""
    with np.load(path, allow_pickle=False) as stored:
        parts = [stored[name] for name in ("X_train", "X_test") if name in stored.files]
        return len(parts) == 2 and all(len(X) and not np.isnan(X).any() for X in parts)


def _simulations(n_test: int, setting: Setting) -> Mapping[str, Task]:
    tasks = {"circle, n = 50": (make_circle, 50), "impulse, n = 100": (make_impulse, 100)}
    return {name: Task(partial(_simulated, make, n, n_test)) for name, (make, n) in tasks.items()}


def _all(setting: Setting) -> Mapping[str, Task]:
    tasks = dict(_simulations(1000, setting))
    found = [] if setting.data is None else sorted((setting.data / FOLDER).glob("*.npz"))
    if not found:
        return tasks | {"archive": Task(partial(_of_archive, Path(FOLDER)), FOLDER)}
    for path in found:
        if not path.name.startswith(("mv_", "reg_")) and _is_complete(path):
            tasks[path.stem] = Task(partial(_of_archive, path), f"{FOLDER}/{path.name}")
    return tasks


@dataclass(frozen=True, kw_only=True)
class _Series(Comparison):
    def findings(self, results: Results) -> list[Finding]:
        findings = []
        for name, bound in BOUNDS.items():
            rows = results.where(data=name, method="series")
            if len(rows):
                error = rows.mean("error")
                claim = f"{name}: the recipe for series has an error of at most {bound}"
                findings.append(Finding(claim, f"{error:.3f}", "–", error <= bound))
        archive = Results(
            tuple(row for row in results if row.get("data") not in BOUNDS), results.preset
        )
        if len(archive):
            for other in METHODS[1:]:
                claim = f"UCR archive: “series” is not worse than {other} by more than noise"
                findings.append(not_worse(claim, mean_over_data(archive, "series", other)))
        return findings


G4 = _Series(
    id="G4",
    title="Series: statistics of intervals, and kernels",
    paper=BEYOND,
    source="our own comparison, default splits of the archive",
    question="Is one recipe for series good with few examples of the simulations, and as good as "
    "QUANT on the UCR archive?",
    quick=Sizes(partial(_simulations, 200), METHODS, repetitions=2, trees=30),
    full=Sizes(_all, METHODS, repetitions=20),
)
