"""What refined leaf values and shifted copies bring on MNIST, on held-out training images.

    python benchmarks/refine_and_augment.py [--data DIR] [--rows 1000 10000] [--sets 3]

Images are eight channels of signed orientations; 100 trees on patches inside one channel, without
bootstrap. Each line has the mean error over training sets drawn from the first 50 000 images, as
leaves say and refined, and the seconds to grow and to refine; errors are those on images 50 000 to
59 999. Reads ``mnist.npz`` in DIR.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf
from manifoldforest.augmentation import Shifts
from manifoldforest.projections import Patches

N_ORIENTATIONS = 8


def orientations(images: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return gradients of images, shared out to the two nearest of eight directions."""
    x = np.pad(images.astype(np.float32), ((0, 0), (1, 1), (1, 1)), mode="edge")
    right = (x[:, 1:-1, 2:] - x[:, 1:-1, :-2]) / 2
    down = (x[:, 2:, 1:-1] - x[:, :-2, 1:-1]) / 2
    turn = N_ORIENTATIONS * np.arctan2(down, right) / (2 * np.pi) % N_ORIENTATIONS
    first, share = np.floor(turn).astype(int) % N_ORIENTATIONS, turn - np.floor(turn)
    channels = np.zeros((*images.shape, N_ORIENTATIONS), dtype=np.uint8)
    for channel, part in ((first, 1 - share), ((first + 1) % N_ORIENTATIONS, share)):
        cells = np.minimum(np.rint(2 * np.hypot(right, down) * part), 255).astype(np.uint8)
        np.put_along_axis(channels, channel[..., None], cells[..., None], axis=-1)
    return channels


def measured(
    train: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    test: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    min_samples_leaf: int,
    copies: int,
    n_jobs: int,
) -> tuple[float, float, float, float]:
    """Return the errors without and with refinement, and the seconds of both fits."""
    numbers = []
    for refine in (False, True):
        forest = mf.ForestClassifier(
            100,
            projection=Patches(min_size=3, max_size=12, channel_axis=-1, placement="interior"),
            max_features=28,
            bootstrap=False,
            min_samples_leaf=min_samples_leaf,
            augment=Shifts(1, copies=copies, channel_axis=-1) if copies else None,
            refine=refine,
            n_jobs=n_jobs,
            random_state=0,
        )
        start = time.perf_counter()
        forest.fit(*train)
        seconds = time.perf_counter() - start
        numbers.append((float(np.mean(forest.predict(test[0]) != test[1])), seconds))
    (plain, grown), (refined, both) = numbers
    return plain, refined, grown, both


def main() -> None:
    """Print one line for each number of rows, size of leaves and number of copies."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=Path("."))
    parser.add_argument("--rows", type=int, nargs="+", default=(1000, 10_000))
    parser.add_argument("--leaves", type=int, nargs="+", default=(1, 2, 5))
    parser.add_argument("--copies", type=int, nargs="+", default=(0, 1, 2, 4))
    parser.add_argument("--sets", type=int, default=3)
    parser.add_argument("--n-jobs", type=int, default=-1)
    options = parser.parse_args()
    with np.load(options.data / "mnist.npz") as data:
        images, labels = data["X_train"].reshape(-1, 28, 28), data["y_train"]
    test = orientations(images[50_000:]), labels[50_000:]
    print("rows leaf copies   error refined  seconds with refining")
    for n_rows in options.rows:
        for min_samples_leaf in options.leaves:
            for copies in options.copies:
                lines = []
                for seed in range(options.sets):
                    some = np.random.default_rng(seed).choice(50_000, n_rows, replace=False)
                    train = orientations(images[some]), labels[some]
                    lines.append(measured(train, test, min_samples_leaf, copies, options.n_jobs))
                plain, refined, grown, both = np.mean(lines, axis=0)
                print(
                    f"{n_rows:5} {min_samples_leaf:4} {copies:6}   {plain:.4f}  {refined:.4f}"
                    f"  {grown:7.1f} {both:7.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
