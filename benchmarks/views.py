"""What views cost: time and memory of training tables, and the time of predictions.

    python benchmarks/views.py [--data DIR] [--rows 60000] [--repeats 5]

Images of 28 × 28 bytes are seen in 8 orientations of their gradients, on one core. Printed are
memory, above that of the images, and CPU time of a trainer that is ready to grow trees (cells of
the view and their summed-area tables), beside one of patches on the images themselves; the time of
the cells alone; and that of predictions by forests of 100 trees, on orientations, on the same cells
made by hand, and on raw images. Images are MNIST's (``mnist.npz`` in DIR) or else scikit-learn's
digits, enlarged, and repeated if there are too few.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import manifoldforest as mf
from harness.command_line import script_parser
from harness.memory import resident_bytes
from manifoldforest import _core
from manifoldforest.forests._forest_model import make_sampler
from manifoldforest.projections import Patches, Projection
from manifoldforest.views import Gradients
from versions.tasks import Examples

SIDE = 28
RAW = Patches(min_size=3, max_size=12, placement="interior")
VIEW = Patches(min_size=3, max_size=12, placement="interior", view=Gradients())
BY_HAND = Patches(min_size=3, max_size=12, placement="interior", channel_axis=0)


def cpu_seconds(function: Callable[[], Any], repeats: int) -> float:
    """Return the median CPU time of a call, after one that is not counted."""
    times = []
    for _ in range(repeats + 1):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return float(np.median(times[1:]))


def measure_trainer(projection: Projection, rows: NDArray[np.uint8]) -> tuple[float, float]:
    """Return CPU seconds and bytes of a trainer."""
    learned = projection._learned(rows, (SIDE, SIDE), np.ones(len(rows)))
    geometry, sampler = make_sampler(learned, (SIDE, SIDE))
    before, start = resident_bytes(), time.process_time()
    trainer = _core.Trainer(rows, geometry, sampler, 1)
    seconds, n_bytes = time.process_time() - start, resident_bytes() - before
    del trainer
    return seconds, n_bytes


def main() -> None:
    """Print a line for each measurement."""
    parser = script_parser(__doc__)
    parser.add_argument("--data", help="folder with mnist.npz")
    parser.add_argument("--rows", type=int, default=60000, help="images of the trainer")
    parser.add_argument("--repeats", type=int, default=5, help="repetitions of each measurement")
    options = parser.parse_args()
    images, labels, new = Examples(options.data).images
    images, new = (part.reshape(len(part), -1).astype(np.uint8) for part in (images, new))
    many = np.resize(images, (options.rows, SIDE * SIDE))
    for name, projection in {"orientations": VIEW, "raw": RAW}.items():
        found = [measure_trainer(projection, many) for _ in range(options.repeats)]
        seconds, n_bytes = np.median(found, axis=0)
        print(f"trainer of {len(many)} images, {name}: {seconds:.2f} s, {n_bytes / 1e6:.0f} MB")
    shaped = many.reshape(-1, SIDE, SIDE)
    view = Gradients()
    seconds = cpu_seconds(lambda: view.transform(shaped), options.repeats)
    print(f"cells of {len(many)} images: {seconds:.2f} s")

    queries = np.resize(new, (10000, SIDE * SIDE)).reshape(-1, SIDE, SIDE)
    inputs = {
        "raw": (RAW, images.reshape(-1, SIDE, SIDE), queries),
        "orientations": (VIEW, images.reshape(-1, SIDE, SIDE), queries),
        "cells by hand": (
            BY_HAND,
            view.transform(images.reshape(-1, SIDE, SIDE)),
            view.transform(queries),
        ),
    }
    for name, (projection, training, asked) in inputs.items():
        forest = mf.ForestClassifier(
            100, projection=projection, bootstrap=False, random_state=0, n_jobs=1
        ).fit(training, labels)
        seconds = cpu_seconds(lambda f=forest, a=asked: f.predict(a), options.repeats)  # type: ignore[misc]
        print(f"predicting {len(asked)} images, {name}: {seconds:.3f} s")


if __name__ == "__main__":
    main()
