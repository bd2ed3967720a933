"""Whether ``splitter="auto"`` costs accuracy.

Fits SPORF, or another projection, with both splitters on UCI sets that are large enough for bins
to be used at all, several seeds each, on the suite's own first fold, and prints the mean difference
of the errors beside the difference that another seed makes. The folds are read from files that
``manifoldforest.datasets.load_uci`` finds too, in the folder that MANIFOLDFOREST_DATA names::

    MANIFOLDFOREST_DATA=... python benchmarks/auto_against_exact.py --seeds 5
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

import manifoldforest as mf


def errors(path: Path, splitter: str, options: argparse.Namespace) -> list[float]:
    """Return the test error of each seed on the first fold of one set."""
    with np.load(path, allow_pickle=False) as data:
        X, y = data["X"], data["y"]
        train, test = data["fold0_train"], data["fold0_test"]
    return [
        float(
            np.mean(
                mf.ForestClassifier(
                    100,
                    projection=options.projection,
                    splitter=splitter,
                    random_state=seed,
                    n_jobs=options.n_jobs,
                )
                .fit(X[train], y[train])
                .predict(X[test])
                != y[test]
            )
        )
        for seed in range(options.seeds)
    ]


def large_sets(folder: Path, low: int, high: int) -> list[Path]:
    """Return the sets with folds and a number of rows between the two."""
    chosen = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path, allow_pickle=False) as data:
            if "fold0_train" in data.files and low <= len(data["y"]) <= high:
                chosen.append(path)
    return chosen


def main() -> None:
    """Run the comparison and print one line per set and the summary."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--projection", default="sporf", choices=("sporf", "axis"))
    parser.add_argument("--n-jobs", type=int, default=-1)
    parser.add_argument("--rows", type=int, nargs=2, default=(700, 12000))
    options = parser.parse_args()
    differences, noise = [], []
    for path in large_sets(Path(os.environ["MANIFOLDFOREST_DATA"]) / "uci121", *options.rows):
        exact = errors(path, "exact", options)
        auto = errors(path, "auto", options)
        differences.append(np.mean(auto) - np.mean(exact))
        noise.append(np.std(exact, ddof=1))
        print(f"{path.stem:30s} exact {np.mean(exact):.4f}  auto - exact {differences[-1]:+.4f}")
    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    print(
        f"{len(differences)} sets: auto - exact {np.mean(differences):+.5f} (s.e. {error:.5f}); "
        f"standard deviation over seeds {np.mean(noise):.5f}"
    )


if __name__ == "__main__":
    main()
