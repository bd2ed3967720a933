"""R2: errors relative to RF and training times on sparse parity, with and without pruning."""

from __future__ import annotations

from manifoldforest.datasets import make_sparse_parity

from ..registry import RERF
from .comparisons import RERF_RAW, RF_RAW, ROTRF_RAW, Order
from .error_curves import RelativeErrors
from .oob_study import RAW, Sizes
from .r4_parity_transformed import SPARSE_PARITY

P = (2, 5, 10, 25, 50, 100)
METHODS = ("RF", "RerF", "RotRF")
AS_WELL = "RerF performs as well as or better"

R2 = RelativeErrors(
    id="R2",
    title="Sparse parity: error and training time",
    paper=RERF,
    source="Figure 2 A to C",
    question="Do sparse oblique splits help where three features among many decide, and what do "
    "they cost? Errors are out of bag, the lowest over d as in the paper, which flatters all "
    "methods alike; trees are as grown, and once more pruned.",
    make=make_sparse_parity,
    methods=METHODS,
    transformations=(RAW,),
    # At p = 50 and 100 nobody learns anything, and runs are slow.
    full=Sizes(1000, 500, P, 25, {(method, p): 10 for method in METHODS for p in (50, 100)}),
    quick=Sizes(400, 50, (2, 5, 10, 25), 3),
    prices=(0, 1, 2, 4, 8),
    published=SPARSE_PARITY,
    published_differences={
        "RerF": dict(zip(P, (-0.000, -0.019, -0.146, -0.043, -0.005, 0.004), strict=True)),
        "RotRF": dict(zip(P, (-0.001, -0.020, -0.117, 0.015, -0.005, 0.005), strict=True)),
    },
    published_seconds={
        "RF": dict(zip(P, (3.3, 11.4, 17.6, 19.2, 25.6, 39.7), strict=True)),
        "RerF": dict(zip(P, (3.9, 10.3, 18.2, 20.3, 26.7, 40.7), strict=True)),
        "RotRF": dict(zip(P, (3.3, 8.4, 16.8, 19.4, 26.0, 40.4), strict=True)),
    },
    claims=(
        Order("RerF has a lower error than RF for p = 5 to 25", RERF_RAW, RF_RAW, (5, 10, 25)),
        Order(f"{AS_WELL} than RF for all p", RERF_RAW, RF_RAW, P, "no higher"),
        Order(f"{AS_WELL} than RotRF for all p", RERF_RAW, ROTRF_RAW, P, "no higher"),
        Order("RotRF has a lower error than RF for p up to 10", ROTRF_RAW, RF_RAW, (2, 5, 10)),
        Order("RotRF has a higher error than RF at p = 25", ROTRF_RAW, RF_RAW, (25,), "higher"),
    ),
)
