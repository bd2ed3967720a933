"""Errors of boosted forests on the UCI tables, beside other programs for boosting.

Every program runs with its defaults, one thread, on the suite's own folds (or those of one seed for
tables that have none), one after the other on each table, so that what else the machine does meets
all of them. Tables are cut to a number of rows, the same ones for all. Printed are the mean error
over tables and folds, the mean difference to the first program with its standard error over tables,
on how many tables that is better, worse or equal, and seconds::

    MANIFOLDFOREST_DATA=... python benchmarks/boosting_tables.py --rows 2000 --folds 1
    ... --ours '{"learning_rate": 0.05}' '{"max_depth": 4, "projection": "axis"}'
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

import manifoldforest as mf

Fold = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def folds(path: Path, n_folds: int, most_rows: int) -> Iterator[Fold]:
    """Yield training and test rows of some folds of one table."""
    with np.load(path, allow_pickle=False) as data:
        X, y = data["X"], data["y"]
        if "fold0_train" in data.files:
            names = [n for n in range(n_folds) if f"fold{n}_train" in data.files]
            pairs = [(data[f"fold{n}_train"], data[f"fold{n}_test"]) for n in names]
        else:
            pairs = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))[:n_folds]
    generator = np.random.RandomState(0)
    for train, test in pairs:
        train = generator.permutation(train)[:most_rows]
        yield X[train], y[train], X[test], y[test]


def n_classes(path: Path) -> int:
    """Return the number of classes of a table."""
    with np.load(path, allow_pickle=False) as data:
        return len(np.unique(data["y"]))


def lightgbm() -> Any:
    """Return LightGBM's classifier with its defaults."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1, random_state=0)


def programs(ours: list[dict[str, Any]], *, others: bool) -> dict[str, Callable[[], Any]]:
    """Return what makes the classifiers, by the names under which they are printed."""
    made: dict[str, Callable[[], Any]] = {}
    for params in ours:
        name = "manifoldforest " + " ".join(f"{k}={v}" for k, v in params.items())
        made[name] = lambda params=params: mf.BoostedForestClassifier(random_state=0, **params)
    if others:
        made["HistGradientBoosting"] = lambda: HistGradientBoostingClassifier(random_state=0)
        made["LightGBM"] = lightgbm
    return made


def measure(
    tables: list[Path], made: dict[str, Callable[[], Any]], n_folds: int, most_rows: int
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """Return the error of each program on each table, and its seconds for all of them."""
    errors: dict[str, list[float]] = {name: [] for name in made}
    seconds = dict.fromkeys(made, 0.0)
    for path in tables:
        of_table: dict[str, list[float]] = {name: [] for name in made}
        for X, y, X_test, y_test in folds(path, n_folds, most_rows):
            for name, make in made.items():
                start = time.perf_counter()
                predicted = make().fit(X, y).predict(X_test)
                seconds[name] += time.perf_counter() - start
                of_table[name].append(float(np.mean(predicted != y_test)))
        for name, found in of_table.items():
            errors[name].append(float(np.mean(found)))
    return errors, seconds


def report(errors: dict[str, list[float]], seconds: dict[str, float]) -> None:
    """Print one line for each program."""
    first = np.array(next(iter(errors.values())))
    for name, found in errors.items():
        difference = np.array(found) - first
        noise = difference.std(ddof=1) / np.sqrt(len(difference))
        better, worse = int((difference < 0).sum()), int((difference > 0).sum())
        print(
            f"{np.mean(found):.4f}  {difference.mean():+.4f} ± {noise:.4f}  better {better:3d} "
            f"worse {worse:3d}  {seconds[name]:7.1f} s  {name}",
            flush=True,
        )


def main() -> None:
    """Run the comparison that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000, help="most training rows of a table")
    parser.add_argument("--folds", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="take each n-th table only")
    parser.add_argument("--classes", type=int, default=1000, help="most classes of a table")
    parser.add_argument("--offset", type=int, default=0, help="first table that is taken")
    parser.add_argument("--ours", nargs="*", default=["{}"], help="parameters of ours, as JSON")
    parser.add_argument("--alone", action="store_true", help="leave out the other programs")
    arguments = parser.parse_args()
    folder = Path(os.environ.get("MANIFOLDFOREST_DATA", ".")) / "uci121"
    tables = sorted(folder.glob("*.npz"))[arguments.offset :: arguments.every]
    if not tables:
        parser.error(f"there are no tables in {folder}: set MANIFOLDFOREST_DATA")
    tables = [path for path in tables if n_classes(path) <= arguments.classes]
    warnings.simplefilter("ignore")
    made = programs([json.loads(text) for text in arguments.ours], others=not arguments.alone)
    report(*measure(tables, made, arguments.folds, arguments.rows))


if __name__ == "__main__":
    main()
