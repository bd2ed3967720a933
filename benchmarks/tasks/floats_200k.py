"""200 000 rows of 20 floats, with sparse oblique forests of several numbers of candidates.

Libraries draw candidates in different ways: of two that are asked for as many, one may search
more. Errors over d tell what to compare.
"""

from __future__ import annotations

from harness.task import Forest, Task
from tasks._mixed_boundaries import FORESTS, SHAPE, mixed_boundaries

TASK = Task(
    name="floats-200k",
    about="straight, oblique and curved boundaries",
    shape=SHAPE,
    n_train=200_000,
    n_test=10_000,
    n_classes=2,
    trees=20,
    forests=(*FORESTS, Forest("SPORF", 6), Forest("SPORF", 8), Forest("SPORF", 12)),
    data=mixed_boundaries,
)
