"""Prediction by forests of small trees beside scikit-learn's, in CPU time of one core.

Iris, 100 trees, 10 000 rows near the training rows. Programs take turns; printed are the smallest
times of the repetitions, and how many times as long scikit-learn's random forest takes::

    python benchmarks/small_forests.py
    ... --instructions avx2 --repeats 30
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import manifoldforest as mf
from manifoldforest import _core


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--instructions", choices=_core.supported_kernels())
    arguments = parser.parse_args()
    if arguments.instructions:
        _core.use_kernels(arguments.instructions)
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    rows = X[rng.integers(0, len(X), arguments.rows)] + rng.normal(0, 0.1, (arguments.rows, 4))
    n = arguments.trees
    forests = {
        "scikit-learn": RandomForestClassifier(n, random_state=0).fit(X, y),
        "axis": mf.ForestClassifier(n, projection="axis", random_state=0).fit(X, y),
        "sporf": mf.ForestClassifier(n, projection="sporf", random_state=0).fit(X, y),
    }
    best = dict.fromkeys(forests, np.inf)
    for _ in range(arguments.repeats):
        for name, forest in forests.items():
            start = time.process_time()
            forest.predict(rows)
            best[name] = min(best[name], time.process_time() - start)
    for name, seconds in best.items():
        ratio = best["scikit-learn"] / seconds
        print(f"{name}: {1e3 * seconds:.2f} ms, {ratio:.2f} times as fast as scikit-learn")


if __name__ == "__main__":
    main()
