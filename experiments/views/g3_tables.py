"""G3: boosting and the recipe for tables on the UCI suite, beside boosting of other libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as bundled

from ..datasets import Array, Split
from ..experiment import Finding, Setting
from ..registry import BEYOND
from ..results import Results
from .comparison import Comparison, Sizes, Task, mean_over_data, not_worse

FOLDER = "uci121"
MOST_ROWS = 2000  # of training, so that the suite takes minutes
N_FOLDS = 4
OURS = ("boosted", "table")
RIVALS = {"boosted": ("LightGBM", "HistGB"), "table": ("RF", "SPORF")}
_STAND_INS: dict[str, Callable[..., Any]] = {
    "iris": bundled.load_iris,
    "wine": bundled.load_wine,
    "breast cancer": bundled.load_breast_cancer,
}


@lru_cache(maxsize=2)
def _stored(path: Path) -> dict[str, Array]:
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _of_suite(path: Path, in_units: bool, seed: int, setting: Setting) -> Split:
    """Return a fold of the suite, or a quarter of the rows where it has none."""
    data = _stored(path)
    X, y = data["X"], data["y"]
    if f"fold{seed}_train" in data:
        train, test = data[f"fold{seed}_train"], data[f"fold{seed}_test"]
    else:
        order = np.random.default_rng(0).permutation(len(X))
        test = np.sort(order[seed::N_FOLDS])
        train = np.setdiff1d(order, test)
    rng = np.random.default_rng(seed)
    train, test = rng.permutation(train)[:MOST_ROWS], rng.permutation(test)[: 2 * MOST_ROWS]
    if in_units:
        X = X * (10.0 ** rng.uniform(-3, 3, X.shape[1])).astype(np.float32)
    return X[train], y[train], X[test], y[test]


def _bundled(load: Callable[..., Any], seed: int, setting: Setting) -> Split:
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    test = order[seed::N_FOLDS]
    train = np.setdiff1d(order, test)
    return X[train].astype(np.float32), y[train], X[test].astype(np.float32), y[test]


def _suite(setting: Setting) -> Mapping[str, Task]:
    found = [] if setting.data is None else sorted((setting.data / FOLDER).glob("*.npz"))
    if not found:
        return {"all": Task(partial(_of_suite, Path(FOLDER), False), FOLDER)}  # which is missing
    tasks = {}
    for path in found:
        needs = f"{FOLDER}/{path.name}"
        tasks[path.stem] = Task(partial(_of_suite, path, False), needs)
        tasks[f"{path.stem}, units"] = Task(partial(_of_suite, path, True), needs)
    return tasks


def _stand_ins(setting: Setting) -> Mapping[str, Task]:
    return {name: Task(partial(_bundled, load)) for name, load in _STAND_INS.items()}


@dataclass(frozen=True, kw_only=True)
class _Tables(Comparison):
    def findings(self, results: Results) -> list[Finding]:
        findings = []
        for units in (False, True):
            names = [n for n in results.distinct("data") if str(n).endswith("units") is units]
            rows = Results(
                tuple(row for row in results if row.get("data") in names), results.preset
            )
            if not names:
                continue
            what = "columns in random units" if units else "tables as they are"
            for method in OURS:
                for rival in RIVALS[method]:
                    claim = f"{what}: “{method}” is not worse than {rival} by more than noise"
                    findings.append(not_worse(claim, mean_over_data(rows, method, rival)))
        return findings


METHODS = ("boosted", "table", "RF", "SPORF", "LightGBM", "HistGB")
G3 = _Tables(
    id="G3",
    title="Tables: boosting and the recipe on the UCI suite",
    paper=BEYOND,
    source="our own comparison, four folds of each set, at most 2000 rows to learn from",
    question="Is boosting as good as that of other libraries on ordinary tables, and is the recipe "
    "for tables as good as the better of single features and sparse sums, in any units?",
    stand_in="three tables that come with scikit-learn",
    quick=Sizes(_stand_ins, ("boosted", "table", "RF", "SPORF", "HistGB"), 1, 30, 30),
    full=Sizes(_suite, METHODS, N_FOLDS),
)
