"""How fast forests predict that mix kinds of candidates, beside those of one kind.

    python benchmarks/mixtures.py [--data DIR] [--repeats 9]

Each line compares a mixture, 95 to 5, with the forest of its first kind alone: fully grown forests
of 100 trees on 28 × 28 images, one thread. The two take turns, and the ratio is that of the median
times. Images are MNIST's (``mnist.npz`` in DIR) or else scikit-learn's digits, enlarged.
"""

from __future__ import annotations

import time
from itertools import product

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf
from harness.command_line import script_parser
from manifoldforest.projections import Axis, Mixture, Patches, Projection, Rotation, Sporf
from versions.tasks import Examples

KINDS: dict[str, Projection] = {
    "patches": Patches(max_size=7),
    "axis": Axis(),
    "sporf": Sporf(),
    "rotation": Rotation(max_dims=50),
}
PAIRS = (
    ("patches", "axis"),
    ("patches", "sporf"),
    ("patches", "rotation"),
    ("axis", "patches"),
    ("sporf", "patches"),
)


def seconds(forest: mf.ForestClassifier, X: NDArray[np.generic]) -> float:
    """Return the time of one prediction."""
    start = time.perf_counter()
    forest.predict(X)
    return time.perf_counter() - start


def main() -> None:
    """Print a line for each pair of kinds and each type of pixels."""
    parser = script_parser(__doc__)
    parser.add_argument("--data", help="folder with mnist.npz")
    parser.add_argument("--repeats", type=int, default=9, help="turns of each forest")
    options = parser.parse_args()
    train, y, test = Examples(options.data).images
    for dtype, (first, second) in product((np.uint8, np.float32), PAIRS):
        mixture = Mixture([(first, KINDS[first], 0.95), (second, KINDS[second], 0.05)])
        forests = [
            mf.ForestClassifier(100, projection=projection, random_state=0, n_jobs=1).fit(
                train.astype(dtype), y
            )
            for projection in (KINDS[first], mixture)
        ]
        rows = test.astype(dtype)
        times = [[seconds(forest, rows) for forest in forests] for _ in range(options.repeats + 1)]
        pure, mixed = np.median(times[1:], axis=0)
        name = f"{np.dtype(dtype).name} {first}:{second} 95:5"
        print(
            f"{name:32s} {mixed * 1e3:6.1f} ms, {first} alone {pure * 1e3:6.1f} ms, "
            f"ratio {mixed / pure:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
