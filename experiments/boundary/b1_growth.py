"""B1: how boundary trees grow where classes meet in the plane."""

from __future__ import annotations

from .._papers import BOUNDARY
from ._borders import RINGS, WAVE
from ._plane_growth import PlaneGrowth, PlaneSize

B1 = PlaneGrowth(
    id="B1",
    title="Growth of boundary trees",
    paper=BOUNDARY,
    source="slides, two-dimensional example",
    question=(
        "How many of the examples does a boundary tree keep? Where classes meet along a line in "
        "the plane, about the square root."
    ),
    borders=(WAVE, RINGS),
    forests=((1, 50), (1, 2), (5, 50), (50, 50)),
    shown=10_000,
    counted=(1000, 2500, 10_000, 40_000, 100_000),
    published={10_000: 680, 100_000: 2220},
    published_exponent=0.51,
    # Counted by another program for the wave and one tree: one sample for 2, the mean of two for
    # 50. Samples differ by 6 to 11 % (standard deviation).
    reference={
        2: {2500: 103, 10_000: 212, 40_000: 466},
        50: {2500: 72, 10_000: 152, 40_000: 326},
    },
    full=PlaneSize(n=100_000, seeds_of_trees=30, seeds_of_forests=10),
    quick=PlaneSize(n=10_000, seeds_of_trees=5, seeds_of_forests=2),
)
