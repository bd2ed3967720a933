"""R3: errors relative to RF and training times on Trunk's problem."""

from __future__ import annotations

from manifoldforest.datasets import make_trunk

from ..registry import RERF
from .comparisons import RERF_RAW, RF_RAW, ROTRF_RAW, Order
from .error_curves import RelativeErrors
from .oob_study import RAW, Sizes
from .r5_trunk_transformed import TRUNK

P = (2, 10, 50, 100, 500, 1000)

R3 = RelativeErrors(
    id="R3",
    title="Trunk's problem: error and training time",
    paper=RERF,
    source="Figure 2 D to F",
    question="Do sums of a few features help where each further feature tells less? Errors are out "
    "of bag, the lowest over d as in the paper. RotRF at p = 500 is drawn in a faster way with the "
    "same distribution; its time there is that of a few trees, times the ratio of trees.",
    make=make_trunk,
    methods=("RF", "RerF", "RotRF"),
    transformations=(RAW,),
    full=Sizes(100, 1000, P, 25, {("RotRF", 500): 10, ("RotRF", 1000): 0}),
    quick=Sizes(100, 50, (2, 10, 50, 150), 3, {("RotRF", 150): 2}),
    published=TRUNK,
    published_differences={
        "RerF": dict(zip(P, (-0.009, -0.009, -0.006, -0.009, -0.014, -0.003), strict=True)),
        "RotRF": dict(zip(P[:-1], (-0.013, -0.011, -0.017, -0.024, 0.008), strict=True)),
    },
    published_seconds={
        "RF": dict(zip(P, (5.0, 5.1, 8.1, 8.8, 42.7, 219.0), strict=True)),
        "RerF": dict(zip(P, (6.6, 6.5, 10.0, 10.6, 43.3, 221.0), strict=True)),
        "RotRF": dict(zip(P[:-1], (5.2, 5.2, 8.6, 10.2, 70.4), strict=True)),
    },
    slow_rotations_at=500,
    claims=(
        Order("RerF has a lower error than RF for all p", RERF_RAW, RF_RAW, P),
        Order("RotRF has a lower error than RerF up to p = 100", ROTRF_RAW, RERF_RAW, P[:4]),
        Order("RotRF is worse than RF at p = 500", ROTRF_RAW, RF_RAW, (500,), "higher"),
    ),
)
