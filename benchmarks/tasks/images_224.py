"""Large images of four textures: noise that is smooth over 1, 3, 7 or 15 pixels.

All have the same mean and contrast, so that a pixel tells nothing and sums over patches vary the
more, the smoother the texture is.
"""

from __future__ import annotations

from typing import Any

from harness.task import Arrays, Forest, Patch, Task, split

SIDE = 224
WIDTHS = (1, 3, 7, 15)
SPREAD = 40  # of the grey values around 128


def textures(n_train: int, n_test: int) -> Arrays:
    """Draw the images, a few at a time."""
    import numpy as np

    rng = np.random.default_rng(0)
    n_rows = n_train + n_test
    X = np.empty((n_rows, SIDE, SIDE), dtype=np.uint8)
    y = rng.integers(len(WIDTHS), size=n_rows)
    for row, label in enumerate(y):
        X[row] = _texture(rng, WIDTHS[label])
    return split(X, y, n_train)


def _texture(rng: Any, width: int) -> Any:
    """Return means of noise over width x width pixels, at full contrast again."""
    import numpy as np

    noise = rng.standard_normal((SIDE + width, SIDE + width), dtype=np.float32)
    table = noise.cumsum(axis=0).cumsum(axis=1)
    sums = table[width:, width:] - table[:-width, width:] - table[width:, :-width]
    sums += table[:-width, :-width]
    return np.clip(128 + SPREAD * sums / width, 0, 255)


TASK = Task(
    name="images-224",
    about="noise smooth over 1, 3, 7 or 15 pixels, uint8",
    shape=(SIDE, SIDE),
    n_train=2000,
    n_test=1000,
    n_classes=len(WIDTHS),
    trees=20,
    forests=(
        Forest("RF", SIDE),  # sqrt(p)
        Forest("SPORF", SIDE),
        Forest("MORF", SIDE, Patch((2, 2), (15, 15))),
    ),
    data=textures,
)
