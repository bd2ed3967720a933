"""How even importance over time is where a forest on series learned from noise.

    python benchmarks/time_curves.py [--points 64] [--forests 40]

Grows forests of 100 trees on 100 series of noise with labels that mean nothing, and prints for
dyadic and random intervals and for kernels, as shares of the mean over all times: importance, and
relative importance, at the first and the last time and in each eighth of the series, and the
largest distance of a time from the mean in standard errors over forests.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf
from harness.command_line import script_parser
from manifoldforest.projections import DilatedKernels, Intervals, Projection

ROWS, TREES, PARTS = 100, 100, 8


def projections(seed: int) -> dict[str, Projection]:
    """Return what is compared; random ones are drawn anew for each forest."""
    statistics = ("mean", "std", "slope")
    return {
        "dyadic": Intervals(),
        "random": Intervals(statistics, intervals="random", n_intervals=200, random_state=seed),
        "kernels": DilatedKernels(random_state=seed),
    }


def curves(name: str, seed: int, n_points: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return importance and relative importance over time of one forest."""
    X = np.random.default_rng(seed).normal(size=(ROWS, n_points))
    forest = mf.named_forest(
        "QUANT", projection=projections(seed)[name], n_estimators=TREES, random_state=seed
    )
    found = mf.inspection.time_curves(forest.fit(X, np.arange(ROWS) % 2))
    return found.importance.sum(axis=(0, 1)), found.of_channels()[0]


def line(label: str, of_forests: NDArray[Any]) -> str:
    """Return what is printed of one kind of curve."""
    mean = of_forests.mean(axis=0)
    errors = of_forests.std(axis=0, ddof=1) / np.sqrt(len(of_forests))
    largest = np.abs((mean - mean.mean()) / errors).max()
    shares = mean / mean.mean()
    parts = " ".join(f"{part.mean():.3f}" for part in np.array_split(shares, PARTS))
    return f"{label}: ends {shares[0]:.3f} {shares[-1]:.3f}; eighths {parts}; z {largest:.1f}"


def main() -> None:
    """Print two lines for each projection."""
    parser = script_parser(__doc__)
    parser.add_argument("--points", type=int, default=64, help="of a series")
    parser.add_argument("--forests", type=int, default=40)
    options = parser.parse_args()
    for name in projections(0):
        found = [curves(name, seed, options.points) for seed in range(options.forests)]
        raw, relative = (np.array(arrays) for arrays in zip(*found, strict=True))
        print(line(f"{name}, importance", raw), flush=True)
        print(line(f"{name}, relative importance", relative), flush=True)


if __name__ == "__main__":
    main()
