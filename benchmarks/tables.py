"""Which forest to take for tables: errors over many of them, in their own units and others.

    python benchmarks/tables.py classification --data DIR [--units 2] [--rows 2000]
    python benchmarks/tables.py regression --data DIR [--methods scikit-learn,table]

Fits forests of 100 trees on the four folds of the sets in ``DIR/uci121`` (the suite's own folds
where files have them) and of those that come with scikit-learn, on at most ``--rows`` rows each.
For regression, columns of these sets are predicted from the others, and functions that
scikit-learn generates. ``--units`` is how many times all is repeated with every column multiplied
by ten to the power of a uniform number between -3 and 3. In regression ``table`` is ``sporf``.

Prints a line per method: the mean error over all tables (share of wrong labels, or mean squared
error over variance), the mean sum of squared errors of class probabilities (nan in regression), the
mean differences to ``axis`` and ``sporf`` with their standard errors over tables, the mean
difference to the better of the two on each table, and CPU seconds for one fit of each table. Which
of the two is better is told by one seed, and its error is that of another: the lesser of two noisy
numbers would be too small.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold

import manifoldforest as mf
from harness.command_line import names_among, script_parser

Array = NDArray[Any]
TREES, FOLDS, MOST_FEATURES = 100, 4, 64

# Sets of which the column with most distinct values is predicted from the others.
OF_COLUMNS = (
    *("abalone", "magic", "wine-quality-white", "steel-plates", "cardiotocography-3clases"),
    *("parkinsons", "ionosphere", "statlog-vehicle", "statlog-image", "waveform", "seeds"),
    *("oocytes_merluccius_states_2f", "breast-cancer-wisc-diag", "vertebral-column-2clases"),
    *("glass", "statlog-landsat", "pendigits", "spambase", "ilpd-indian-liver", "wine", "ecoli"),
    *("statlog-german-credit", "energy-y2", "bank"),
)


class Table(NamedTuple):
    """Examples, what is to be predicted, and training and test rows of each fold."""

    name: str
    X: Array
    y: Array
    folds: list[tuple[Array, Array]]


class Errors(NamedTuple):
    """Of one method on one table: its error, the other loss of a classifier, seconds."""

    error: float
    brier: float
    seconds: float


def scikit_learn(task: str, seed: int) -> Any:
    """Return scikit-learn's random forest."""
    kind = RandomForestClassifier if task == "classification" else RandomForestRegressor
    return kind(TREES, random_state=seed)


def named(name: str, **params: Any) -> Callable[[str, int], Any]:
    """Return what makes a forest by its name."""

    def made(task: Any, seed: int) -> Any:
        return mf.named_forest(name, task, n_estimators=TREES, random_state=seed, **params)

    return made


# What makes a forest for a task and a seed. AGAIN are methods with another seed.
METHODS: dict[str, Callable[[str, int], Any]] = {
    "axis": named("RF"),
    "sporf": named("SPORF", projection__scale="std"),
    "scikit-learn": scikit_learn,
    "sporf no scale": named("SPORF"),
    "sporf ranks": named("SPORF", ranks=True),
    "sporf leaves of 2": named("SPORF", projection__scale="std", min_samples_leaf=2),
    "table": named("table"),
    "table rate 2": named("table", projection__rate=2),
    "table no bootstrap": named("table", bootstrap=False),
    "table p candidates": named("table", max_features=None),
}
BOTH = ("axis", "sporf")
OTHER_SEED = 100


def stored(path: Path) -> Table:
    """Read a set of the suite, with its own folds if it has any."""
    with np.load(path, allow_pickle=False) as file:
        X, y = file["X"], file["y"]
        if "fold0_train" in file.files:
            folds = [(file[f"fold{k}_train"], file[f"fold{k}_test"]) for k in range(FOLDS)]
        else:
            folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    return Table(path.stem, X, y, folds)


def labelled(data: Path) -> Iterator[Table]:
    """Return the tables of classification."""
    for path in sorted((data / "uci121").glob("*.npz")):
        table = stored(path)
        if len(table.y) >= 60 and table.X.shape[1] <= MOST_FEATURES:
            yield table
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for name in ("wine", "breast_cancer", "digits"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield Table(f"scikit-learn's {name}", X, y, list(splits.split(X, y)))


def numeric(data: Path) -> Iterator[Table]:
    """Return the tables of regression."""
    made = {
        "diabetes": datasets.load_diabetes(return_X_y=True),
        "friedman1": datasets.make_friedman1(1000, noise=1.0, random_state=0),
        "friedman2": datasets.make_friedman2(1000, noise=100.0, random_state=0),
        "friedman3": datasets.make_friedman3(1000, noise=0.2, random_state=0),
        "linear": datasets.make_regression(1000, 20, n_informative=8, noise=30, random_state=0),
        "sparse": datasets.make_sparse_uncorrelated(1000, random_state=0),
    }
    table = stored(data / "uci121" / "wine-quality-white.npz")
    made["wine-quality-white"] = (table.X, table.y.astype(np.float64))
    for name in OF_COLUMNS:
        X = stored(data / "uci121" / f"{name}.npz").X
        column = int(np.argmax([len(np.unique(values)) for values in X.T]))
        made[f"column {column} of {name}"] = (np.delete(X, column, axis=1), X[:, column])
    for name, (X, y) in made.items():
        yield Table(name, X, y, list(KFold(FOLDS, shuffle=True, random_state=0).split(X)))


def in_units(table: Table, draw: int) -> Table:
    """Return a table with its columns in random units; draw 0 leaves them as they are."""
    if draw == 0:
        return table
    rng = np.random.default_rng([draw, *table.name.encode()])
    return table._replace(X=table.X * 10.0 ** rng.uniform(-3, 3, table.X.shape[1]))


def some(rows: Array, most: int, seed: int) -> Array:
    """Return at most so many of the rows."""
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def errors(name: str, task: str, table: Table, most: int, seed: int = 0) -> Errors:
    """Return the mean errors of a method over the folds of a table."""
    found = []
    for k, (train, test) in enumerate(table.folds):
        train, test = some(train, most, k), some(test, most, k)
        start = time.process_time()
        forest = METHODS[name](task, seed + k).fit(
            table.X[train].astype(np.float32), table.y[train]
        )
        seconds = time.process_time() - start
        X, y = table.X[test].astype(np.float32), table.y[test]
        if task == "regression":
            error = float(np.mean((forest.predict(X) - y) ** 2) / np.var(table.y))
            found.append((error, np.nan, seconds))
        else:
            shares = forest.predict_proba(X)
            wrong = forest.classes_[shares.argmax(axis=1)] != y
            squares = (shares - (forest.classes_ == y[:, None])) ** 2
            found.append((float(wrong.mean()), float(squares.sum(axis=1).mean()), seconds))
    return Errors(*np.mean(found, axis=0).tolist())


def of_better(found: Mapping[str, list[float]], again: Mapping[str, list[float]]) -> Array:
    """Return the errors of the better of both methods on each table, by another seed."""
    first, second = BOTH
    return np.where(np.less_equal(found[first], found[second]), again[first], again[second])


def against(error: Array, other: Any) -> str:
    """Return a mean difference with its standard error."""
    difference = error - np.array(other)
    return f"{difference.mean():+.4f} ± {difference.std(ddof=1) / np.sqrt(len(error)):.4f}"


def compare(task: str, tables: list[Table], methods: list[str], most: int) -> None:
    """Print a line per method."""
    found: dict[str, list[float]] = {}
    again = {
        name: [errors(name, task, table, most, OTHER_SEED).error for table in tables]
        for name in BOTH
    }
    print("method                 error  squares         minus axis        minus sporf", end="")
    print("   minus the better  seconds")
    for name in methods:
        mine = [errors(name, task, table, most) for table in tables]
        found[name] = [one.error for one in mine]
        error = np.array(found[name])
        print(f"{name:22} {error.mean():.4f}  {np.mean([one.brier for one in mine]):.4f}", end="")
        if all(both in found for both in BOTH):
            for other in (found["axis"], found["sporf"], of_better(found, again)):
                print(f"  {against(error, other)}", end="")
        print(f"  {sum(one.seconds for one in mine):7.1f}", flush=True)


def main() -> None:
    """Compare methods in the units of the files and in others."""
    parser = script_parser(__doc__)
    parser.add_argument("task", choices=("classification", "regression"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--units", type=int, default=2)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--methods", type=names_among(METHODS), default=list(METHODS))
    options = parser.parse_args()
    tables = list((labelled if options.task == "classification" else numeric)(options.data))
    methods = [name for name in METHODS if name in {*options.methods, *BOTH}]
    for draw in range(options.units + 1):
        units = f"random units, draw {draw}" if draw else "their own units"
        print(f"\n{len(tables)} tables in {units}")
        in_draw = [in_units(table, draw) for table in tables]
        compare(options.task, in_draw, methods, options.rows)


if __name__ == "__main__":
    main()
