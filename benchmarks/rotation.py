"""CPU seconds of a tree on rotated data, and of predicting with it, beside one on single features.

Two classes, normal features, some trees of each kind; the smallest time of the repetitions::

    python benchmarks/rotation.py
    ... --rows 5000 --features 500 --instructions avx2
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import manifoldforest as mf
from manifoldforest import _core


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--features", type=int, default=500)
    parser.add_argument("--trees", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--instructions", choices=_core.supported_kernels())
    arguments = parser.parse_args()
    if arguments.instructions:
        _core.use_kernels(arguments.instructions)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(arguments.rows, arguments.features)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    for projection in ("axis", "rotation"):
        fit = predict = np.inf
        for _ in range(arguments.repeats):
            forest = mf.ForestClassifier(
                arguments.trees, projection=projection, random_state=0, n_jobs=1
            )
            start = time.process_time()
            forest.fit(X, y)
            middle = time.process_time()
            forest.predict(X)
            fit = min(fit, middle - start)
            predict = min(predict, time.process_time() - middle)
        print(
            f"{projection}: {fit / arguments.trees:.4f} s to fit a tree, "
            f"{predict / arguments.trees:.4f} s to predict {arguments.rows} rows with it"
        )


if __name__ == "__main__":
    main()
