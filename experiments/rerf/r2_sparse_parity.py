"""R2: errors relative to RF and training times on sparse parity, with and without pruning."""

from __future__ import annotations

from manifoldforest.datasets import make_sparse_parity

from .._papers import RERF
from ._claims import Order
from ._oob_study import Sizes
from ._published import SPARSE_PARITY
from ._relative_errors import RAW, RelativeErrors

P = (2, 5, 10, 25, 50, 100)
METHODS = ("RF", "RerF", "RotRF")

DIFFERENCES = {
    "RerF": dict(zip(P, (-0.000, -0.019, -0.146, -0.043, -0.005, 0.004), strict=True)),
    "RotRF": dict(zip(P, (-0.001, -0.020, -0.117, 0.015, -0.005, 0.005), strict=True)),
}
SECONDS = {
    "RF": dict(zip(P, (3.3, 11.4, 17.6, 19.2, 25.6, 39.7), strict=True)),
    "RerF": dict(zip(P, (3.9, 10.3, 18.2, 20.3, 26.7, 40.7), strict=True)),
    "RotRF": dict(zip(P, (3.3, 8.4, 16.8, 19.4, 26.0, 40.4), strict=True)),
}

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
    published_differences=DIFFERENCES,
    published_seconds=SECONDS,
    claims=(
        Order(
            claim="RerF has a lower error than RF for p = 5 to 25",
            curve=("RerF", RAW),
            other=("RF", RAW),
            sizes=(5, 10, 25),
            published=DIFFERENCES["RerF"],
        ),
        Order(
            claim="RerF performs as well as or better than RF for all p",
            curve=("RerF", RAW),
            other=("RF", RAW),
            sizes=P,
            how="no higher",
            published=DIFFERENCES["RerF"],
        ),
        Order(
            claim="RerF performs as well as or better than RotRF for all p",
            curve=("RerF", RAW),
            other=("RotRF", RAW),
            sizes=P,
            how="no higher",
            published={p: DIFFERENCES["RerF"][p] - DIFFERENCES["RotRF"][p] for p in P},
        ),
        Order(
            claim="RotRF has a lower error than RF for p up to 10",
            curve=("RotRF", RAW),
            other=("RF", RAW),
            sizes=(2, 5, 10),
            published=DIFFERENCES["RotRF"],
        ),
        Order(
            claim="RotRF has a higher error than RF at p = 25",
            curve=("RotRF", RAW),
            other=("RF", RAW),
            sizes=(25,),
            how="higher",
            published=DIFFERENCES["RotRF"],
        ),
    ),
)
